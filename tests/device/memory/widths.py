#!/usr/bin/env python3
"""usage: widths.py COMMAND MEMORY BVH_TRACER PATH_TRACER. Warps that `caches --lanes` puts together from narrower ones, against
warps of that width: Mesa's software device runs 4, 8 or 16 lanes, as it is told to, and one thread of it runs workgroups in order.
So the same programs have the same requests, sectors, lines, hits and bytes. The path tracer's shaders have 8 lanes at most; it
makes calls without an access, which are not seen: there requests and sectors differ by little."""

import json
import os
import subprocess
import sys
import tempfile

COMMAND, MEMORY, TRACER, PATHS = [os.path.abspath(path) for path in sys.argv[1:5]]
PROGRAMS = {
    "product": [MEMORY, "product"],
    "transpose": [MEMORY, "transpose"],
    "memory": [MEMORY, "memory"],
    "tracer": [TRACER, "--size", "32x32"],
    "paths": [PATHS, "--size", "16x16", "--samples", "2"],
}
FIGURES = ["requests", "lanes", "bytes", "sectors", "lines", "l1_sectors", "l1_hits", "l2_sectors", "l2_hits", "memory_bytes", "written_bytes"]
PATHS_WITHIN = 0.02


def record(work, name, lanes):
    capture = os.path.join(work, f"{name}-{lanes}.wscope")
    # The device's cache does not tell warps of different widths apart.
    environment = dict(os.environ, LP_NUM_THREADS="1", LP_NATIVE_VECTOR_WIDTH=str(32 * lanes), MESA_SHADER_CACHE_DISABLE="true")
    status = subprocess.run([COMMAND, "record", "-q", "-p", "memory_trace", "-o", capture, "--", *PROGRAMS[name]], env=environment,
                            stdout=subprocess.DEVNULL, check=False)
    if status.returncode == 77:
        sys.exit(77)
    if status.returncode != 0:
        sys.exit(f"{name} could not be recorded")
    return capture


def report(capture, *options):
    run = subprocess.run([COMMAND, "report", capture, "caches", "--json", *options], check=True, capture_output=True)
    return json.loads(run.stdout)["analyses"]["caches"]


def compare(name, narrow, measured, lanes):
    simulated = report(narrow, "--lanes", str(lanes))
    failures = [] if simulated["lanes"] == lanes else [f"{name}: it does not say {lanes} lanes"]
    for figure in FIGURES:
        found, expected = simulated["total"][figure], measured["total"][figure]
        exact = name != "paths" or figure in ("lanes", "bytes")
        if found != expected and (exact or abs(found - expected) > PATHS_WITHIN * expected):
            failures.append(f"{name}, {lanes} lanes put together: {found} {figure}, and not {expected}")
    return failures


def main():
    failures = []
    with tempfile.TemporaryDirectory() as work:
        for name in PROGRAMS:
            captures = {lanes: record(work, name, lanes) for lanes in ((4, 8) if name == "paths" else (4, 8, 16))}
            measured = {lanes: report(capture) for lanes, capture in captures.items()}
            for lanes in captures:
                if measured[lanes]["launches"][0]["subgroup_size"] != lanes:
                    print("the device has warps of one width")
                    sys.exit(77)
                if measured[lanes]["lanes"] is not None:
                    failures.append(f"{name}: as recorded, it says {measured[lanes]['lanes']} lanes")
                for narrow in captures:
                    if narrow < lanes:
                        failures += compare(name, captures[narrow], measured[lanes], lanes)
    print("\n".join(failures) if failures else "as at the width itself")
    sys.exit(1 if failures else 0)


main()
