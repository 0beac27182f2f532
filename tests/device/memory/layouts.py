#!/usr/bin/env python3
"""usage: layouts.py COMMAND MEMORY SHADER_RECORDS. The addresses that `report memory_check` finds in layouts.comp are as many as its layouts
have, and each has one value, although every word of the buffers is another. Where a buffer is stored to by another binding
(alias.comp), it is known that it is written. Shader records of two shaders are two memories, though both have one name."""

import json
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM, SHADER_RECORDS = [os.path.abspath(path) for path in sys.argv[1:4]]
GROUPS, SIZE = 2, 64

# std140: arrays of anything step by multiples of 16, structs too. Wide: first 0, numbers 16 + 16 i, columns 128 + 32 i (each
# column 16), rows 288 + 48 i (3 rows of 16), outer 528. Inner: point 0, weight 12, pairs 16 + 16 i: 64 bytes. Outer: head 0,
# inner 16 + 64 i, turn 144 + 16 i: 192 bytes.
# std430: Tight: numbers 4 + 4 i, columns 32 + 32 i, rows 192 + 24 i (3 rows of 8), outer 320. Inner: point 0, weight 12, pairs
# 16 + 8 i: 40, rounded up to 48. Outer: head 0, inner 16 + 48 i, turn 112 + 8 i: 136, rounded up to 144.
# scalar: Packed: points 4 + 12 i, outer 112. Inner: pairs 16 + 8 i: 40. Outer: head 0, inner 4 + 40 i, turn 84 + 8 i: 108.
# Far: quads 16 + 16 i, inner 112 + 48 i.
LOADS = [
    ("wide", 1, lambda t: 16 + 16 * (t % 7)),
    ("wide", 1, lambda t: 128 + 32 * (t % 5) + 16 * (t & 1) + 8),
    ("wide", 1, lambda t: 128 + 32 * (t % 5) + 16 + 4),
    ("wide", 1, lambda t: 288 + 48 * (t % 5) + 16 * 2 + 4 * (t & 1)),
    ("wide", 3, lambda t: 128 + 32 * (t % 5) + 16 * (t & 1)),
    ("wide", 1, lambda t: 528 + 192 * t + 16 + 64 * (t & 1) + 16 + 16 * (t % 3) + 4),
    ("wide", 1, lambda t: 528 + 192 * t + 144 + 16 * (t % 3)),
    ("tight", 1, lambda t: 4 + 4 * (t % 7)),
    ("tight", 1, lambda t: 32 + 32 * (t % 5) + 16 * (t & 1) + 8),
    ("tight", 1, lambda t: 192 + 24 * (t % 5) + 8 * 2 + 4 * (t & 1)),
    ("tight", 3, lambda t: 320 + 144 * t + 16 + 48 * (t & 1)),
    ("tight", 1, lambda t: 320 + 144 * t + 112 + 8 * (t % 3) + 4),
    ("packed_", 3, lambda t: 4 + 12 * (t % 9)),
    ("packed_", 1, lambda t: 112 + 108 * t + 4 + 40 * (t & 1) + 12),
    ("packed_", 1, lambda t: 112 + 108 * t + 84 + 8 * (t % 3)),
    ("Far", 1, lambda t: 16 + 16 * (t % 6) + 12),
    ("Far", 4, lambda t: 16 + 16 * (t % 6)),
    ("Far", 1, lambda t: 112 + 48 * t + 16 + 8 * (t % 3)),
]


def report(kernel, work, program=None):
    capture = os.path.join(work, f"{kernel}.wscope")
    words = [PROGRAM, kernel] if program is None else [program]
    status = subprocess.run([COMMAND, "record", "-q", "-p", "memory_check", "-o", capture, "--", *words], check=False)
    if status.returncode == 77:
        sys.exit(77)
    if status.returncode != 0:
        sys.exit(f"{kernel} could not be recorded")
    return json.loads(subprocess.run([COMMAND, "report", capture, "memory_check", "--json"], check=True,
                                     capture_output=True).stdout)["analyses"]["memory_check"]


def check_layouts(found):
    failures = []
    for name in ("wide", "tight", "packed_", "Far"):
        row = next(row for row in found["buffers"] if row["buffer"].split(" ")[0] == name)
        loads = [load for load in LOADS if load[0] == name]
        places = {begin(t) + 4 * c for _, count, begin in loads for t in range(SIZE) for c in range(count)}
        values = GROUPS * SIZE * sum(count for _, count, _ in loads)
        expected = {"values": values, "addresses": len(places), "checked": values, "written": 0, "several": 0, "conflicts": 0}
        if {key: row[key] for key in expected} != expected:
            failures.append(f"{name}: {row}, and not {expected}")
    return failures


def check_alias(found):
    threads = GROUPS * SIZE
    expected = {"values": 2 * threads, "addresses": threads, "checked": 0, "written": 2 * threads, "several": 0, "conflicts": 0}
    if found["total"] != expected:
        return [f"alias: {found['total']}, and not {expected}"]
    return []


def check_shared(work):
    """The two bindings of alias.comp are one buffer, whose 16 sectors are loaded and stored twice: the L2 reads each once, and
    has it where it is stored first."""
    capture = os.path.join(work, "shared.wscope")
    subprocess.run([COMMAND, "record", "-q", "-p", "memory_trace,memory_access", "-o", capture, "--", PROGRAM, "alias"], check=True)
    found = {name: json.loads(subprocess.run([COMMAND, "report", capture, name, "--json"], check=True,
                                             capture_output=True).stdout)["analyses"][name] for name in ("caches", "memory")}
    failures = []
    for name in ("caches", "memory"):
        bound = {(row["bound"], row["allocation"]) for row in found[name]["buffers"]}
        if len(found[name]["buffers"]) != 2 or len(bound) != 1 or None in bound.pop():
            failures.append(f"{name}: two bindings are not one buffer: {found[name]['buffers']}")
    stores = [row for row in found["caches"]["accesses"] if row["access"] == "store"]
    if found["caches"]["total"]["memory_bytes"] != 16 * 32 or max(row["l2_hits"] for row in stores) != 16:
        failures.append(f"caches: what is loaded is not found where it is stored: {stores}")
    return failures


def check_shader_records(found):
    """Each of 64 threads loads one word in each of two shaders."""
    expected = {"values": 2 * SIZE, "addresses": 2, "checked": 2 * SIZE, "written": 0, "several": 0, "conflicts": 0}
    return [] if found["total"] == expected else [f"shader records: {found['total']}, and not {expected}"]


def main():
    with tempfile.TemporaryDirectory() as work:
        failures = check_layouts(report("layouts", work)) + check_alias(report("alias", work))
        failures += check_shared(work)
        failures += check_shader_records(report("shader_records", work, SHADER_RECORDS))
    print("\n".join(failures) if failures else f"{len(LOADS)} loads: as expected")
    sys.exit(1 if failures else 0)


main()
