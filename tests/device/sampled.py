#!/usr/bin/env python3
"""Checks sampled counters (--sample) in real programs, from the command to the report.

Usage: sampled.py COMMAND DIVERGENCE PATH_TRACER RASTER

In compute stages whole workgroups are drawn by a hash of their place (passes/primitives/sample.glsl), so the estimates follow
from it: this computes them. In the other stages estimates must lie as near to the counts of all warps as their errors say, and
every picture must be the one that is drawn without.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

COMMAND, DIVERGENCE, PATH_TRACER, RASTER = [os.path.abspath(path) for path in sys.argv[1:5]]
GROUPS, LEAST = 8, 16

failed = False


def expect(what, found, expected):
    global failed
    if found != expected:
        print(f"{what}: {found!r} instead of {expected!r}")
        failed = True


def run(arguments):
    result = subprocess.run(arguments, capture_output=True, text=True)
    if result.returncode == 77 or "no Vulkan device" in result.stderr:
        print(result.stdout + result.stderr)
        sys.exit(77)
    if result.returncode != 0:
        sys.exit(f"{' '.join(arguments)} failed with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result


def record(folder, program, sample, passes="simt_efficiency"):
    """The report of a program, what it drew, and what was said."""
    capture, picture = os.path.join(folder, "capture.wscope"), os.path.join(folder, "picture.png")
    options = ["--sample", sample] if sample else []
    said = run([COMMAND, "record", "-p", passes, "-o", capture] + options + ["--"] + program + ["-o", picture]).stderr
    report = json.loads(run([COMMAND, "report", capture, "all", "--json"]).stdout)
    text = run([COMMAND, "report", capture, "simt_efficiency"]).stdout
    with open(picture, "rb") as file:
        return report["analyses"], file.read(), said, text


def mix_bits(bits):
    bits = bits + 0xbf49a64f & 0xffffffff
    bits = (bits ^ bits >> 16) * 0x85ebca6b & 0xffffffff
    bits = (bits ^ bits >> 13) * 0xc2b2ae35 & 0xffffffff
    return bits ^ bits >> 16


def check_told(folder):
    """Who reads sampled figures elsewhere is told what they are."""
    capture = os.path.join(folder, "capture.wscope")
    program = [DIVERGENCE, "--kernel", "uniform", "--size", "128x128", "--workgroup", "64", "-o", os.path.join(folder, "p.png")]
    for sample in ([], ["--sample", "1/4"]):
        run([COMMAND, "record", "-q", "-p", "simt_efficiency", "-e", "function begin { count(); }", "-o", capture] + sample +
            ["--"] + program)
        text = run([COMMAND, "annotate", capture]).stdout
        expect("annotate tells of estimates", "estimated from the warps that counted" in text, sample != [])
        text = run([COMMAND, "report", capture, "probe"]).stdout
        expect("yields tell of the sample", "yields are of the warps that counted alone" in text, sample != [])


def check_sizes():
    """Estimates of launches of many sizes are not all too large, nor all too small."""
    for sample in (8, 16, 65536):
        sizes = [int(32 * 1.06 ** i) for i in range(84)]
        estimates = []
        for size in sizes:
            weight = min(size // LEAST, sample)
            estimates.append(weight * sum(mix_bits(i) * weight < 1 << 32 for i in range(size)) / size)
        mean = sum(estimates) / len(estimates)
        expect(f"mean of estimates of launches, 1/{sample}, {mean} of what is right", 0.97 < mean < 1.03, True)


def check_compute(folder, sample, workgroups):
    """Every workgroup of the kernel does the same: what one counts, times those that are drawn, times the weight."""
    side = int(math.sqrt(workgroups * 64))
    program = [DIVERGENCE, "--kernel", "uniform", "--size", f"{side}x{side}", "--workgroup", "64", "--frames", "1"]
    whole, picture, _, _ = record(folder, program, "")
    found, sampled_picture, _, text = record(folder, program, f"1/{sample}")
    expect(f"picture of {workgroups} workgroups", sampled_picture == picture, True)
    weight = max(1, min(workgroups // LEAST, sample))
    drawn = [mix_bits(i) * weight for i in range(workgroups)]
    sets = [sum(draw >> 32 == 0 and draw * GROUPS >> 32 == g for draw in drawn) for g in range(GROUPS)]
    blocks = {block["block"]: block for block in found["simt_efficiency"]["blocks"]}
    for block in whole["simt_efficiency"]["blocks"]:
        if block["executions"] == 0:
            continue
        each = block["executions"] // workgroups
        name = f"block {block['block']} of {workgroups} workgroups, 1/{sample}"
        expect(name, blocks[block["block"]]["executions"], each * weight * sum(sets))
        scaled = [each * weight * math.sqrt(1 - 1 / weight) * count for count in sets]
        mean = sum(scaled) / GROUPS
        error = math.sqrt(GROUPS / (GROUPS - 1) * sum((x - mean) ** 2 for x in scaled))
        found_error = blocks[block["block"]]["executions_error"]
        expect(f"error of {name}", None if weight == 1 else round(error), found_error)
        expect(f"efficiency of {name}", blocks[block["block"]]["efficiency"], block["efficiency"])
    expect("the report says it", f"1 warp in {sample} was counted" in text, True)


def check_near(folder, what, program):
    """Estimates against counts: within four errors, where an error is known and there is enough to go by."""
    whole, picture, _, _ = record(folder, program, "")
    found, sampled_picture, _, _ = record(folder, program, "1/4")
    expect(f"picture of {what}", sampled_picture == picture, True)
    shaders = {shader["shader_id"]: shader for shader in found["simt_efficiency"]["shaders"]}
    checked = 0
    for shader in whole["simt_efficiency"]["shaders"]:
        estimate = shaders[shader["shader_id"]]
        if shader["executions"] < 2000:
            continue
        checked += 1
        for figure in ("executions", "efficiency"):
            error = estimate[f"{figure}_error"]
            if error is None or abs(estimate[figure] - shader[figure]) > 4 * error + 1e-6:
                expect(f"{figure} of {shader['shader']} in {what}, with the error {error}", estimate[figure], shader[figure])
    expect(f"{what} has shaders to go by", checked > 1, True)


def check_records(folder):
    """Passes that record make none, and it is said why; what counts beside them counts."""
    program = [DIVERGENCE, "--kernel", "loop", "--size", "64x64", "--frames", "1"]
    found, _, said, text = record(folder, program, "1/4", "simt_efficiency,execution_trace")
    expect("said", "the pass execution_trace records nothing: counters are sampled" in said, True)
    expect("reported", "counters are sampled, and records need all warps" in text, True)
    expect("counted", found["simt_efficiency"]["total"]["executions"] > 0, True)


with tempfile.TemporaryDirectory() as folder:
    check_told(folder)
    for sample, workgroups in ((4, 256), (16, 1024), (16, 64), (16, 16)):
        check_compute(folder, sample, workgroups)
    check_sizes()
    check_near(folder, "a path tracer", [PATH_TRACER, "--size", "96x96", "-n", "1"])
    check_near(folder, "a raster program", [RASTER, "--size", "256x256"])
    check_records(folder)
sys.exit(1 if failed else 0)
