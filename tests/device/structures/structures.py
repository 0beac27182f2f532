#!/usr/bin/env python3
"""usage: structures.py COMMAND STRUCTURES. Through which of three top-level structures the rays of structures.comp flew, in
`export --rays`: by a descriptor, by an address or by an element of an array that each thread chooses. Where a function is called with both it is not said, and
the hits do not tell either. `report retrace` flies each of the others through its own structure, and meets what it met."""

import csv
import json
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM = [os.path.abspath(path) for path in sys.argv[1:3]]
THREADS = 64
NEAR, FAR, FARTHEST = "near", "far", "farthest"
ALL = [NEAR, FAR, FARTHEST]

# Of each ray of a thread: the structure, and what says so.
EXPECTED = [
    lambda t: (NEAR, "descriptor"),
    lambda t: (FAR, "descriptor"),
    lambda t: (FAR if t & 1 else NEAR, "address"),
    lambda t: (None, ""),
    lambda t: (None, ""),
    lambda t: (FAR, "descriptor"),
    lambda t: (ALL[t % 3], "descriptor"),
    lambda t: (FARTHEST, "descriptor"),
]
# Where its hit is, whoever says so: 1, 2 and 3 behind the plane z = 0, from z = -1.
DISTANCES = [lambda t: 2, lambda t: 3, lambda t: 3 if t & 1 else 2, lambda t: 2, lambda t: 3, lambda t: 3, lambda t: 2 + t % 3,
             lambda t: 4]


def report(capture, analysis):
    return json.loads(subprocess.run([COMMAND, "report", capture, analysis, "--json"], check=True,
                                     capture_output=True).stdout)["analyses"][analysis]


def check_rays(rows, names):
    failures = [] if len(rows) == THREADS * len(EXPECTED) else [f"{len(rows)} rays, and not {THREADS * len(EXPECTED)}"]
    for row in rows:
        thread, ray = int(row["thread_x"]), int(row["ray"])
        structure = names[int(row["structure"])] if row["structure"] != "" else None
        if (structure, row["structure_by"]) != EXPECTED[ray](thread):
            failures.append(f"ray {ray} of thread {thread}: {structure} by '{row['structure_by']}', and not {EXPECTED[ray](thread)}")
        if float(row["t"]) != DISTANCES[ray](thread):
            failures.append(f"ray {ray} of thread {thread} hits at {row['t']}, and not {DISTANCES[ray](thread)}")
    return failures


def main():
    with tempfile.TemporaryDirectory() as work:
        capture, path = os.path.join(work, "c.wscope"), os.path.join(work, "rays.csv")
        status = subprocess.run([COMMAND, "record", "-q", "-p", "ray_events", "-o", capture, "--", PROGRAM], check=False)
        if status.returncode in (3, 77):
            sys.exit(77)
        if status.returncode != 0:
            sys.exit("it could not be recorded")
        subprocess.run([COMMAND, "export", capture, "-q", "--rays", path], check=True, capture_output=True)
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        names = {row["id"]: row["name"] for row in report(capture, "geometry")["structures"]}
        again = subprocess.run([COMMAND, "report", capture, "retrace", "--json"], capture_output=True, text=True, check=False)
    failures = check_rays(rows, names)
    if "Embree" not in again.stderr:
        found = json.loads(again.stdout)["analyses"]["retrace"]["total"]
        wanted = {"rays": 8 * THREADS, "agree": 6 * THREADS, "not_checked": 2 * THREADS}
        if {key: found[key] for key in wanted} != wanted:
            failures.append(f"retrace: {found}, and not {wanted}")
    print("\n".join(failures[:20]) if failures else f"{len(rows)} rays: as expected")
    sys.exit(1 if failures else 0)


main()
