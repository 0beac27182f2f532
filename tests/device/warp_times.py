#!/usr/bin/env python3
"""Records programs with pass warp_time, and holds the times of warps against what must be true of them.

Usage: warp_times.py FOLDER WARPSCOPE PATH_TRACER DIVERGENCE RASTER

Each shader has as many executions as warp_entry_exit counts entries. Self time is within total time; on this device, which calls
shaders in the lanes of their callers, self times add up to the time of launched warps. A launch's warps are within its
timestamps, unless the processors of a software device disagree about the time (`backwards`). Pictures are the ones that are drawn without. Skipped without a Vulkan device that can run the programs, or without
a shader clock.
"""
import json
import os
import subprocess
import sys
import tempfile

FOLDER, WARPSCOPE, PATH_TRACER, DIVERGENCE, RASTER = [os.path.abspath(path) for path in sys.argv[1:]]


def run(command, env=None):
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 77 or "no Vulkan device" in done.stderr:
        print(done.stdout + done.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")
    return done


def near(one, other, part):
    return abs(one - other) <= part * max(abs(one), abs(other))


def check_sums(name, warps, entries, failures):
    total = warps["total"]
    executions = {row["shader_id"]: row["executions"] for row in warps["shaders"]}
    entered = {row["shader_id"]: row["entries"] for row in entries["shaders"] if row["entries"] > 0}
    if executions != entered:
        failures.append(f"{name}: executions {executions}, and not {entered}")
    if total["unknown"] != 0:
        failures.append(f"{name}: {total['unknown']} executions have no begin")
    for row in warps["shaders"]:
        if not 0 <= row["self_time"] <= row["total_time"] or not 0 <= row["waiting"] <= 1:
            failures.append(f"{name}: {row}")
    own = sum(row["self_time"] for row in warps["shaders"])
    launched = sum(row["mean_warp_time"] * row["warps"] for row in warps["shaders"] if row["warps"])
    if own != total["self_time"] or own <= 0 or (total["backwards"] == 0 and not near(own, launched, 0.01)):
        failures.append(f"{name}: self times are {own}, the total {total['self_time']}, launched warps {launched}")
    for row in warps["launches"]:
        if not 0 < row["in_flight"] <= row["peak"] <= row["warps"] or not 0 <= row["drain"] <= 1 or not 0 <= row["tail"] <= 1:
            failures.append(f"{name}: {row}")
        if not near(row["in_flight"] * row["span"], row["mean_warp_time"] * row["warps"], 1e-6):
            failures.append(f"{name}: time in flight is not that of the warps: {row}")
    slow = [row["warp_time"] for row in warps["slowest"]]
    if slow != sorted(slow, reverse=True) or len(slow) != min(10, total["warps"]):
        failures.append(f"{name}: slowest warps {slow}")


def check_rate(name, warps, times, failures):
    """No launch's warps take longer than the launch, by the bounds of the clock's rate."""
    rate = warps["ticks_per_nanosecond"]
    if warps["total"]["backwards"] > 0:
        return
    if warps["clock"] != "device" or rate is None or rate["least"] <= 0:
        failures.append(f"{name}: the rate of the clock is {rate}")
        return
    if rate["most"] is None:
        return
    if rate["most"] < rate["least"]:
        failures.append(f"{name}: {rate}")
    lengths = {row["launch"]: row["time_ns"] for row in times["launches"]}
    for row in warps["launches"]:
        if row["span"] / rate["most"] > lengths[row["launch"]] * 1.001 + 1000:
            failures.append(f"{name}: {row['span']} ticks are in {lengths[row['launch']]} ns, at {rate}")


def check(name, program, failures):
    run(program + ["-o", "plain.png"], {key: value for key, value in os.environ.items() if key != "VK_INSTANCE_LAYERS"})
    said = run([WARPSCOPE, "record", "-q", "-p", "warp_time,warp_entry_exit,time", "-o", "run.wscope", "--"] + program +
               ["-o", "picture.png"]).stderr
    if "no shader clock" in said:
        print(said)
        sys.exit(77)
    with open("plain.png", "rb") as plain, open("picture.png", "rb") as picture:
        if plain.read() != picture.read():
            failures.append(f"{name}: another picture")
    analyses = json.loads(run([WARPSCOPE, "report", "run.wscope", "all", "--json"]).stdout)["analyses"]
    check_sums(name, analyses["warp_time"], analyses["warp_entry_exit"], failures)
    check_rate(name, analyses["warp_time"], analyses["time"], failures)
    run([WARPSCOPE, "report", "run.wscope", "warp_time", "--by", "stage", "--sort", "-self_time", "--plots", "plots"])
    if not os.path.exists("plots/warp_time-in-flight.svg"):
        failures.append(f"{name}: no picture of warps in flight among {os.listdir('plots')}")


def main():
    failures = []
    with tempfile.TemporaryDirectory(prefix="warps-", dir=FOLDER) as work:
        os.chdir(work)
        check("path tracer", [PATH_TRACER, "--mesh", "knot", "--size", "24x16", "--samples", "1", "--frames", "3"], failures)
        check("divergence", [DIVERGENCE, "--size", "64x64", "--frames", "2"], failures)
        check("raster", [RASTER], failures)
    print("\n".join(failures) if failures else "as expected")
    sys.exit(1 if failures else 0)


main()
