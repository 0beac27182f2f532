#!/usr/bin/env python3
"""Usage: reading.py MODULE_FOLDER LIBRARY COMMAND EXAMPLE CAPTURE... What the Python module reads of captures is what the
command reports of them, and the example's figure of thread compaction is the report's."""

import json
import os
import pathlib
import subprocess
import sys

try:
    import numpy
except ImportError:
    print("numpy is missing (package python3-numpy)")
    sys.exit(77)

FOLDER, LIBRARY, COMMAND, EXAMPLE = sys.argv[1:5]
CAPTURES = sys.argv[5:]
os.environ["WARPSCOPE_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, FOLDER)
import warpscope  # noqa: E402

failures = []
checked = {"slots": 0, "rays": 0, "compaction": 0, "records": 0}


def check(condition, message):
    if not condition:
        failures.append(message)


def report(path, analysis):
    """The JSON of an analysis; None where the capture has nothing for it."""
    run = subprocess.run([COMMAND, "report", path, analysis, "--json"], capture_output=True, text=True, check=False)
    return json.loads(run.stdout)["analyses"][analysis] if run.returncode == 0 else None


def check_counters(capture, name):
    """Executions and active lanes of all blocks, and instructions: the totals of simt_efficiency."""
    wanted = report(name, "simt_efficiency")
    if wanted is None:
        return
    read = {"executions": 0, "active_lanes": 0, "instructions": 0}
    for counters in capture.counters("simt_efficiency"):
        blocks = capture.sites[capture.shaders[counters.shader].module].blocks[counters.sites["block"]]
        read["executions"] += int(counters.executions.sum())
        read["active_lanes"] += int(counters.active.sum())
        read["instructions"] += int((counters.active * blocks["instruction_count"]).sum())
    # Of stages without subgroups, threads are counted in place of warps.
    totals = {name: wanted["total"][name] for name in read}
    totals["executions"] += wanted["total"]["threads"]
    totals["active_lanes"] += wanted["total"]["threads"]
    check(read == totals, f"{name}: read {read}, reported {totals}")
    checked["slots"] += read["instructions"]


def check_rays(capture, name):
    rays = capture.rays()
    wanted = report(name, "ray_events")
    if wanted is None:
        check(len(rays) == 0, f"{name}: {len(rays)} rays of a capture without")
        return
    traced = sum(row["rays"] for row in wanted["kinds"] if row["kind"].startswith("pipeline"))
    check(len(rays) == traced, f"{name}: {len(rays)} rays, report: {traced}")
    lengths = numpy.linalg.norm(rays["direction"], axis=1)
    check(numpy.isfinite(rays["origin"]).all() and (lengths > 0).all(), f"{name}: a ray leads nowhere")
    check((rays["tmin"] <= rays["tmax"]).all(), f"{name}: a ray ends before it begins")
    threads = numpy.prod([int(n) for n in next(iter(capture.launches.values())).size])
    check((rays["thread"] < max(threads, 1)).all(), f"{name}: a ray of a thread beyond the launch")
    checked["rays"] += len(rays)


def check_compaction(name):
    wanted = report(name, "thread_compaction")
    run = subprocess.run([sys.executable, EXAMPLE, name], capture_output=True, text=True, check=False,
                         env={**os.environ, "PYTHONPATH": FOLDER, "PYTHONDONTWRITEBYTECODE": "1"})
    check(run.returncode == 0, f"{EXAMPLE} {name}: {run.stderr}")
    before = after = 0
    if wanted is not None:
        rows = [row for row in wanted["windows"] if row["window"] == "all"]
        before, after = (rows[0]["warps"], rows[0]["required"]) if rows else (0, 0)
    share = (before - after) / max(before, 1)
    figure = f"{before} warps, {after} with all compacted: {share:.1%} saved"
    check(run.stdout.strip() == figure, f"{name}: the example says '{run.stdout.strip()}', the report '{figure}'")
    checked["compaction"] += before - after


def check_records(capture, name):
    """Each record begins behind the one before it, or stands for the same path; the last ends the launch, or stands for a path
    that does; and its lanes entered its context. Records whose words are in part fixed have copies, one behind the other."""
    for launch in capture.records():
        records = launch.records
        check(not launch.truncated, f"{name}: truncated")
        active = numpy.array([int(low).bit_count() + int(high).bit_count() for low, high in records["lanes"]])
        ends = records["word"] + records["words_per_warp"] + records["words_per_lane"] * active
        own = len(launch.stream_words)
        copied = (records["word"] >= own) & (records["words_per_lane"] > 0)
        begins = records["word"][copied]
        check((begins == numpy.append(own, ends[copied])[:len(begins)]).all(), f"{name}: copies overlap")
        check(numpy.append(own, ends[copied])[-1] == len(launch.words), f"{name}: the last copy")
        # A path's places have its position, and the words behind that belong to none of them.
        same_path = (records["position"][1:] == records["position"][:-1]) & (records["words_per_lane"][1:] == 0)
        apart = same_path | copied[1:] | copied[:-1] | (ends[:-1] < records["word"][1:])
        check(apart.all(), f"{name}: records overlap")
        check(copied[-1] or ends[-1] == own or (same_path[-1] and ends[-1] < own), f"{name}: the last record")
        check((records["position"][1:] >= records["position"][:-1]).all(), f"{name}: records are not in order")
        check((records["lanes"] & ~records["lanes"][records["entry"]] == 0).all(), f"{name}: lanes that never entered")
        check(len(launch.lanes()) == active.sum(), f"{name}: lanes")
        checked["records"] += len(records)


def check_hostile(name):
    """A file that is cut or is no capture gives an error or an end; a capture that is not there is named."""
    data = pathlib.Path(name).read_bytes()
    broken = pathlib.Path(f"broken-{os.getpid()}.wscope")
    try:
        for size in (0, 5, 40, len(data) // 2, len(data) - 1):
            broken.write_bytes(data[:size])
            try:
                capture = warpscope.Capture(broken)
                list(capture.records())
                check(not capture.summary.closed, f"{size} bytes of {name} are read as a whole capture")
            except warpscope.Error as error:
                check(str(broken) in str(error), f"the error does not name the file: {error}")
    finally:
        broken.unlink()
    try:
        warpscope.Capture("not/there.wscope")
        failures.append("a file that is not there was read")
    except warpscope.Error as error:
        check("not/there.wscope" in str(error), f"the error does not name the file: {error}")


for path in CAPTURES:
    read = warpscope.Capture(path)
    check(read.summary.closed and read.summary.damaged == 0, f"{path}: {read.summary}")
    check(read.summary.chunks == len(list(warpscope.chunks(path))), f"{path}: chunks")
    check(all(shader.name for shader in read.shaders.values()), f"{path}: a shader without a name")
    check_counters(read, path)
    check_rays(read, path)
    check_records(read, path)
    check_compaction(path)
check_hostile(CAPTURES[0])
for what, count in checked.items():
    check(count > 0, f"no capture had {what}")
print("\n".join(failures) or f"equal: {checked}")
sys.exit(1 if failures else 0)
