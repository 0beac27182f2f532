#!/usr/bin/env python3
"""usage: pointers.py COMMAND MEMORY MODULE. Pointers that are chosen while the shader runs (pointers.spvasm): what `report memory` says
from counters, and `report caches` from records, access by access, against addresses by the number of the
thread; and `report memory_check`, by which each address has one value, although every word of the buffers is another."""

import collections
import json
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM, MODULE = [os.path.abspath(path) for path in sys.argv[1:4]]
GROUPS, SIZE = 2, 64
A, B, C, TILE, OTHER = range(5)
SEVERAL = "one of several buffers"

# In the order of the code: access, buffer as reports call it, turns of its loop, and of a thread and turn the buffer and word.
EXPECTED = [
    ("load", SEVERAL, 1, lambda t, i: (A, 64 + t) if t & 1 else (B, 2 * t)),
    ("load", SEVERAL, 1, lambda t, i: (B, 2 * t + 1) if t & 1 else (A, t + 3)),
    ("load", "A (set 0, binding 0)", 4, lambda t, i: (A, 128 + 4 * i + t)),
    ("load", SEVERAL, 1, lambda t, i: (A, 64 + t) if t & 1 else (C, 3 * t)),
    ("load", "C (set 0, binding 2)", 1, lambda t, i: (C, 3 * t) if t & 1 else (C, 4 * t)),
    ("store", SEVERAL, 1, lambda t, i: (TILE, t) if t & 1 else (OTHER, 0)),
    ("store", SEVERAL, 1, lambda t, i: (C, 2048 + t) if t & 1 else (B, 4096 + t)),
    ("atomic", SEVERAL, 1, lambda t, i: (C, 2048 + t) if t & 1 else (B, 4096 + t)),
    ("load", "C (set 0, binding 2)", 1, lambda t, i: (C, 3 * t + 1)),
]

# Worked out by hand, for warps of 8, of all 64 threads of both groups: sectors; passes of Workgroup memory. For example, of access 0
# a warp has 4 odd threads in the 8 neighbours 64 + 8w.. of A, 1 sector; and of the others words 16w, 16w + 4, .. + 12 of B, 2 sectors:
# 3 x 8 warps x 2. Access 5: 4 words of tile in 4 odd banks, and word 0 of other in bank 0, which no odd word shares: 1 pass.
BY_HAND = {0: 48, 5: 16, 6: 32}


def expect(row, width):
    kind, buffer, turns, place = row
    found = {"access": kind, "buffer": buffer, "requests": 0, "lanes": 0, "sectors": 0, "lines": 0, "passes": 0}
    for first in range(0, SIZE, width):
        for turn in range(turns):
            places = {place(t, turn) for t in range(first, first + width)}
            found["requests"] += GROUPS
            found["lanes"] += GROUPS * width
            if TILE in {buffer for buffer, _ in places}:
                found["passes"] += GROUPS * max(collections.Counter(word % 32 for _, word in places).values())
            else:
                found["sectors"] += GROUPS * len({(buffer, word // 8) for buffer, word in places})
                found["lines"] += GROUPS * len({(buffer, word // 32) for buffer, word in places})
    return found


def compare(what, rows, expected, width, fields):
    failures = [] if len(rows) == len(expected) else [f"{what}: {len(rows)} accesses, and not {len(expected)}"]
    for row, (number, wanted) in zip(rows, expected):
        wanted = {name: value for name, value in expect(wanted, width).items() if name in fields}
        found = {name: row[name] for name in wanted}
        if found != wanted:
            failures.append(f"{what}, access {number}: {found}, and not {wanted}")
        hand = BY_HAND.get(number) if width == 8 else None
        if hand is not None and hand not in (row["sectors"], row.get("passes")):
            failures.append(f"{what}, access {number}: {row}, by hand {hand}")
    return failures


def check_values(found):
    lanes = {(turn, t, place(t, turn)) for number, (kind, _, turns, place) in enumerate(EXPECTED) if kind == "load"
             for turn in range(turns) for t in range(SIZE)}
    values = GROUPS * sum(turns * SIZE for kind, _, turns, _ in EXPECTED if kind == "load")
    wanted = {"values": values, "addresses": len({place for _, _, place in lanes}), "checked": values, "written": 0, "several": 0,
              "conflicts": 0}
    return [] if found["total"] == wanted else [f"memory_check: {found['total']}, and not {wanted}"]


def report(capture, analysis):
    return json.loads(subprocess.run([COMMAND, "report", capture, analysis, "--json"], check=True,
                                     capture_output=True).stdout)["analyses"][analysis]


def main():
    with tempfile.TemporaryDirectory() as work:
        capture = os.path.join(work, "c.wscope")
        status = subprocess.run([COMMAND, "record", "-q", "-p", "memory_access,memory_trace,memory_check", "-o", capture, "--", PROGRAM,
                                 "pointers", MODULE], check=False)
        if status.returncode == 77:
            sys.exit(77)
        if status.returncode != 0:
            sys.exit("it could not be recorded")
        memory, caches, values = [report(capture, analysis) for analysis in ("memory", "caches", "memory_check")]
    width = memory["launches"][0]["subgroup_size"]
    numbered = list(enumerate(EXPECTED))
    failures = compare("counters", sorted(memory["accesses"], key=lambda row: row["place"]), numbered, width,
                        ("access", "buffer", "requests", "lanes", "sectors", "lines", "passes"))
    failures += compare("records", sorted(caches["accesses"], key=lambda row: row["place"]), numbered[:5] + numbered[6:], width,
                        ("access", "buffer", "requests", "lanes", "sectors", "lines"))
    failures += check_values(values)
    print("\n".join(failures) if failures else f"{len(EXPECTED)} accesses, warps of {width}: as expected")
    sys.exit(1 if failures else 0)


main()
