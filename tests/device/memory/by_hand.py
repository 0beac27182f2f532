#!/usr/bin/env python3
"""usage: by_hand.py COMMAND MEMORY. Sectors per request of a matrix product and of a transpose, worked out by hand, from counters
and from records.

Product: a[64 * row + k] is one word for all lanes, 1 sector; b[64 * k + column] are neighbours, 1 sector of 8 words for each 8
lanes, begun or not. The mean of the two, since the loop has all but the stores of c.
Transpose: a load of neighbours, and a store that touches one sector for each lane."""

import json
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM = [os.path.abspath(path) for path in sys.argv[1:3]]
SIZE = 64


def neighbours(width):
    return (width + 7) // 8


def expect(kernel, width):
    """Per buffer: requests, and sectors of each."""
    warps = SIZE // width
    if kernel == "transpose":
        return {"From": (SIZE * warps, neighbours(width)), "To": (SIZE * warps, width)}
    return {"A": (SIZE * warps * SIZE, 1), "B": (SIZE * warps * SIZE, neighbours(width)), "C": (SIZE * warps, neighbours(width))}


# Sectors per request of the product's loop, and of the transpose.
BY_HAND = {"product": {4: 1.0, 8: 1.0, 16: 1.5}, "transpose": {4: 2.5, 8: 4.5, 16: 9.0}}


def check(kernel, analysis, report):
    failures = []
    width = report["launches"][0]["subgroup_size"]
    rows = {row["buffer"].split(" ")[0]: row for row in report["buffers"]}
    for name, (requests, sectors) in expect(kernel, width).items():
        found = (rows[name]["requests"], rows[name]["sectors"])
        if found != (requests, requests * sectors):
            failures.append(f"{kernel}, {analysis}, {name}: {found}, and not {(requests, requests * sectors)}")
    loop = [rows[name] for name in (("A", "B") if kernel == "product" else ("From", "To"))]
    each = sum(row["sectors"] for row in loop) / sum(row["requests"] for row in loop)
    if width in BY_HAND[kernel] and each != BY_HAND[kernel][width]:
        failures.append(f"{kernel}, {analysis}: {each} sectors per request, by hand {BY_HAND[kernel][width]}")
    return failures


def main():
    failures = []
    with tempfile.TemporaryDirectory() as work:
        for kernel in ("product", "transpose"):
            capture = os.path.join(work, f"{kernel}.wscope")
            status = subprocess.run([COMMAND, "record", "-q", "-p", "memory_access,memory_trace", "-o", capture, "--", PROGRAM, kernel],
                                    check=False)
            if status.returncode == 77:
                sys.exit(77)
            if status.returncode != 0:
                sys.exit(f"{kernel} could not be recorded")
            for analysis in ("memory", "caches"):
                report = json.loads(subprocess.run([COMMAND, "report", capture, analysis, "--json"], check=True,
                                                   capture_output=True).stdout)
                failures += check(kernel, analysis, report["analyses"][analysis])
    print("\n".join(failures) if failures else "product and transpose: as by hand")
    sys.exit(1 if failures else 0)


main()
