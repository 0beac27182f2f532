#!/usr/bin/env python3
"""usage: memory.py COMMAND MEMORY. What `report memory` says of memory.comp from counters, and `report caches` from records,
access by access, against the distinct sectors, lines and passes over banks that its addresses have in each warp of the device,
found by sets."""

import json
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM = [os.path.abspath(path) for path in sys.argv[1:3]]
GROUPS, SIZE = 2, 64
BUFFER, ADDRESS, SHARED = "storage buffer", "device address", "workgroup"

# In the order of memory.comp: access, memory, bytes of a lane, its first byte by the number of the thread, who is there.
EXPECTED = [
    ("load", BUFFER, 4, lambda t: 4 * (64 + t)),
    ("load", BUFFER, 4, lambda t: 4 * (65 + t)),
    ("load", BUFFER, 4, lambda t: 4 * 2 * t),
    ("load", BUFFER, 4, lambda t: 4 * 64 * t),
    ("load", BUFFER, 4, lambda t: 4 * 7),
    ("load", BUFFER, 4, lambda t: 16 + 80 * t),
    ("load", BUFFER, 12, lambda t: 16 + 80 * t + 16),
    ("load", BUFFER, 4, lambda t: 16 + 80 * t + 32 + 16 + 8),
    ("load", BUFFER, 44, lambda t: 16 + 80 * 4 + 32),
    ("load", BUFFER, 4, lambda t: 48 * t + 16 + 4 * 2),
    ("load", BUFFER, 4, lambda t: 48 * 2 + 16 + 4 * (t & 3)),
    ("atomic", BUFFER, 4, lambda t: 4 * (4000 + (t & 3))),
    ("load", BUFFER, 4, lambda t: 4 * (64 + t), lambda t: t & 1 != 0),
    ("load", ADDRESS, 4, lambda t: 4 * 3 * t),
    ("store", SHARED, 4, lambda t: 4 * 33 * t),
    ("store", SHARED, 16, lambda t: 16 * t),
    ("load", SHARED, 4, lambda t: 4 * 32 * (t & 31)),
    ("load", SHARED, 4, lambda t: 4 * (t & 1)),
    ("load", SHARED, 4, lambda t: 4 * 5),
    ("load", SHARED, 16, lambda t: 16 * 3),
    ("store", BUFFER, 4, lambda t: 4 * (4096 + t)),
    ("load", BUFFER, 4, lambda t: 4 * 9 * t),
    ("load", BUFFER, 4, lambda t: 4 * 5 * t),
]

# Worked out by hand, for warps of 8: sectors and lines of each, or passes.
BY_HAND = [(1, 1), (2, 1.25), (2, 1), (8, 8), (1, 1), None, None, None, (2, 2), None, (1, 1), (1, 1), (1, 1),
           None, 1, 4, 8, 1, 1, 4, (1, 1), (8, 2.75), (5, 2)]


def pieces(addresses, size, bytes_each):
    return len({byte // bytes_each for at in addresses for byte in (range(at, at + size))})


def passes(addresses, size):
    total = 0
    for word in range(size // 4):
        words = {at // 4 + word for at in addresses}
        total += max(sum(1 for other in words if other % 32 == bank) for bank in range(32))
    return total


def expect(row, width):
    kind, memory, size, address, *active = row
    found = {"access": kind, "memory": memory, "size": size, "requests": 0, "lanes": 0, "sectors": 0, "lines": 0, "passes": 0}
    for first in range(0, SIZE, width):
        lanes = [address(t) for t in range(first, min(first + width, SIZE)) if not active or active[0](t)]
        if not lanes:
            continue
        found["requests"] += GROUPS
        found["lanes"] += GROUPS * len(lanes)
        if memory == SHARED:
            found["passes"] += GROUPS * passes(lanes, size)
        else:
            found["sectors"] += GROUPS * pieces(lanes, size, 32)
            found["lines"] += GROUPS * pieces(lanes, size, 128)
    return found


# What they touch, in the same order.
NAMES = 5 * ["Words (set 0, binding 0)"] + 4 * ["Items (set 0, binding 1)"] + 2 * ["Matrices (set 0, binding 2)"] + \
    2 * ["Words (set 0, binding 0)"] + ["Far", "tile", "wide", "tile", "tile", "tile", "wide"] + 3 * ["Words (set 0, binding 0)"]


def check(rows, width):
    failures = [] if len(rows) == len(EXPECTED) else [f"{len(rows)} accesses, and not {len(EXPECTED)}"]
    for number, (row, expected) in enumerate(zip(rows, EXPECTED)):
        found = {name: row[name] for name in expect(expected, width)}
        if found != expect(expected, width):
            failures.append(f"access {number}: {found}, and not {expect(expected, width)}")
        if row["buffer"] != NAMES[number]:
            failures.append(f"access {number}: of {row['buffer']}, and not {NAMES[number]}")
        known = BY_HAND[number] if width == 8 else None
        if isinstance(known, tuple) and (row["sectors_each"], row["lines_each"]) != known:
            failures.append(f"access {number}: {row['sectors_each']} sectors, {row['lines_each']} lines, by hand {known}")
        if isinstance(known, int) and row["passes_each"] != known:
            failures.append(f"access {number}: {row['passes_each']} passes, by hand {known}")
    return failures


def find_worst(rows, width):
    """The buffer of which most bytes are moved for nothing, as the summary names it."""
    asked, moved = {}, {}
    for row, name in zip(rows, NAMES):
        found = expect(row, width)
        asked[name] = asked.get(name, 0) + found["lanes"] * found["size"]
        moved[name] = moved.get(name, 0) + 32 * found["sectors"]
    lost = {name: moved[name] - asked[name] for name in moved if 0 < asked[name] < 0.5 * moved[name]}
    return max(lost, key=lost.get)


def check_records(rows, width):
    """The same from records, but for Workgroup memory, which is not recorded."""
    failures = []
    recorded = [(expected, name) for expected, name in zip(EXPECTED, NAMES) if expected[1] != SHARED]
    if len(rows) != len(recorded):
        failures.append(f"{len(rows)} accesses are recorded, and not {len(recorded)}")
    for number, (row, (expected, name)) in enumerate(zip(rows, recorded)):
        wanted = {key: value for key, value in expect(expected, width).items() if key != "passes"}
        found = {key: row[key] for key in wanted}
        if found != wanted or row["buffer"] != name:
            failures.append(f"recorded access {number}: {found} of {row['buffer']}, and not {wanted} of {name}")
    return failures


def check_bound(rows, threads):
    """Each binding is a buffer of its own, as memory.c makes them: three of bindings, and one that is read by its address. Each
    thread touches all of them."""
    failures = []
    found = {row["buffer"]: (row["bound"], row["allocation"], row["bound_size"]) for row in rows}
    if sorted(found) != sorted({name for name in NAMES if name not in ("tile", "wide")}):
        failures.append(f"there are buffers {sorted(found)}")
    if len({row[0] for row in found.values()}) != 4 or len({row[1] for row in found.values()}) != 4 or \
            any(size != 4 * 8192 + 128 for _, _, size in found.values()) or any(None in row for row in found.values()):
        failures.append(f"what is bound: {found}")
    requests = {(row["thread"], row["bound"]): row["requests"] for row in threads}
    wanted = {(f"{thread},0", found[name][0]): sum(1 for row, of in zip(EXPECTED, NAMES) if of == name and (len(row) < 5 or row[4](thread % SIZE)))
              for thread in range(GROUPS * SIZE) for name in found}
    if requests != wanted:
        failures.append(f"requests by thread and what is bound: {requests}, and not {wanted}")
    return failures


def main():
    with tempfile.TemporaryDirectory() as work:
        capture = os.path.join(work, "c.wscope")
        status = subprocess.run([COMMAND, "record", "-q", "-p", "memory_access,memory_trace", "-o", capture, "--", PROGRAM], check=False)
        if status.returncode == 77:
            sys.exit(77)
        if status.returncode != 0:
            sys.exit("it could not be recorded")
        summary = subprocess.run([COMMAND, "summary", capture], check=True, capture_output=True, text=True).stdout
        report, caches = [json.loads(subprocess.run([COMMAND, "report", capture, analysis, "--json"], check=True,
                                                    capture_output=True).stdout) for analysis in ("memory", "caches")]
        threads = json.loads(subprocess.run([COMMAND, "report", capture, "caches", "--json", "--by", "thread,bound"], check=True,
                                            capture_output=True).stdout)
    memory = report["analyses"]["memory"]
    width = memory["launches"][0]["subgroup_size"]
    rows = sorted(memory["accesses"], key=lambda row: row["place"])
    failures = check(rows, width)
    failures += [f"{row['buffer']} is bound {row['bound']}" for row in memory["buffers"] if (row["memory"] == ADDRESS) != (row["bound"] == "by address")]
    failures += check_bound(caches["analyses"]["caches"]["buffers"], threads["analyses"]["caches"]["rows"])
    failures += check_records(sorted(caches["analyses"]["caches"]["accesses"], key=lambda row: row["place"]), width)
    if f"Memory that is moved for nothing: {find_worst(EXPECTED, width)}" not in " ".join(summary.split()):
        failures.append(f"the summary does not name {find_worst(EXPECTED, width)}: {summary}")
    total = {name: sum(row[name] for row in rows) for name in ("requests", "lanes", "sectors", "lines", "passes")}
    failures += [f"{name} in all: {memory['total'][name]}, and not {value}" for name, value in total.items()
                 if memory["total"][name] != value]
    print("\n".join(failures) if failures else f"{len(rows)} accesses, warps of {width}: as expected")
    sys.exit(1 if failures else 0)


main()
