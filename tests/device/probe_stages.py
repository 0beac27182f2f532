#!/usr/bin/env python3
"""usage: probe_stages.py COMMAND BLOB PROGRAM [ARGUMENT...]. A probe at the begin and the ends of every shader of a program counts the
lanes that warp_entry_exit counts, in every stage: helper lanes count in neither. The program draws the same picture."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

COMMAND, BLOB, *PROGRAM = sys.argv[1:]


def report(path, analysis):
    done = subprocess.run([COMMAND, "report", path, analysis, "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["analyses"][analysis]


with tempfile.TemporaryDirectory() as temporary:
    work = pathlib.Path(temporary)
    plain = subprocess.run([*PROGRAM, "-o", work / "plain.png"], capture_output=True, text=True, check=False, timeout=100)
    if plain.returncode != 0:
        print(f"the program does not run: {plain.stderr}")
        sys.exit(77)
    subprocess.run([COMMAND, "record", "-q", "-p", "warp_entry_exit", "-o", work / "c.wscope", "--", *PROGRAM, "-o", work / "probed.png"],
                   check=True, timeout=100, env={**os.environ, "WARPSCOPE_PROBES": os.path.abspath(BLOB)})
    failures = [] if (work / "plain.png").read_bytes() == (work / "probed.png").read_bytes() else ["the picture differs"]
    yielded = {}
    for row in report(work / "c.wscope", "probe")["shaders"]:
        yielded[row["shader_id"], row["output"]] = row["count"]
    shaders = [row for row in report(work / "c.wscope", "warp_entry_exit")["shaders"] if row["entries"] != 0]
    for row in shaders:
        entered = yielded.get((row["shader_id"], "sum_uint"), 0)
        ended = yielded.get((row["shader_id"], "count"), 0)
        if (entered, ended) != (row["lanes_in"], row["lanes_out"]):
            failures.append(f"{row['shader']}: {entered} in and {ended} out, {row['lanes_in']} and {row['lanes_out']} by warp_entry_exit")
    if not shaders:
        failures.append("no shader was recorded")
    print("\n".join(failures) or f"{len(shaders)} shaders, {sum(row['lanes_in'] for row in shaders)} lanes")
    sys.exit(1 if failures else 0)
