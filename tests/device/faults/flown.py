#!/usr/bin/env python3
"""usage: flown.py FOLDER WARPSCOPE PROGRAM [ARGUMENT...]
Records a program below the layer, as the environment names it, and flies its rays through the model BVH, with several
settings of it: each must end where the device says, whatever the tree. What the parts of the trees come to adds up, and a report is the same
each time."""
import json
import os
import subprocess
import sys
import tempfile

FOLDER, COMMAND, PROGRAM = sys.argv[1], sys.argv[2], sys.argv[3:]
SETTINGS = ["leaf=1", "leaf=16,split=median"]


def report(capture, settings, *options):
    done = subprocess.run([COMMAND, "report", capture, "bvh_model", "--json", "--bvh", settings, *options], check=True, capture_output=True)
    return json.loads(done.stdout)["analyses"]["bvh_model"]


def check(settings, found):
    total, failures = found["total"], []
    checked = total["rays"] - total["not_checked"]
    near = total["same_place"] + total["borderline"]
    # A thousandth of rays that start in the middle of nowhere may touch an edge; hardly more.
    if checked == 0 or total["differ"] > 0 or total["agree"] + near != checked or 1000 * near > checked:
        failures.append(f"{settings}: of {checked} rays {total['agree']} agree, {near} nearly, {total['differ']} not")
    for name in ("visits", "requests", "elements", "bytes", "l1_sectors", "l1_hits", "l2_sectors", "l2_hits", "memory_bytes"):
        if sum(row[name] for row in found["parts"]) != total[name] or sum(row[name] for row in found["sites"]) != total[name]:
            failures.append(f"{settings}: {name} do not add up to {total[name]}")
    # A level of nodes has the requests that touch it, so these are more.
    nodes = [row for row in found["parts"] if row["part"].endswith("nodes")]
    for name in ("visits", "elements", "bytes", "l1_hits", "memory_bytes"):
        if sum(row[name] for row in found["depths"]) != sum(row[name] for row in nodes):
            failures.append(f"{settings}: {name} of levels do not add up")
    roots = [row for row in found["depths"] if row["depth"] == 0 and row["part"] == "top nodes"]
    if roots and roots[0]["visits"] > total["rays"]: # a top level of one instance has none
        failures.append(f"{settings}: {roots[0]['visits']} visits of the root by {total['rays']} rays")
    if total["l1_sectors"] * 32 != total["bytes"] or total["l1_sectors"] - total["l1_hits"] != total["l2_sectors"]:
        failures.append(f"{settings}: sectors are not those of the bytes")
    return failures


def main():
    with tempfile.TemporaryDirectory(dir=FOLDER) as work:
        capture = os.path.join(work, "c.wscope")
        run = subprocess.run(PROGRAM + ["-o", os.path.join(work, "p.png")], env=dict(os.environ, WARPSCOPE_OUTPUT=capture), check=False)
        if run.returncode == 3:
            sys.exit(77)
        if run.returncode != 0:
            sys.exit("the program failed")
        reports = [report(capture, settings) for settings in SETTINGS]
        failures = [failure for settings, found in zip(SETTINGS, reports) for failure in check(settings, found)]
        if report(capture, SETTINGS[0]) != reports[0]:
            failures.append("the second report is another one")
        elements = report(capture, SETTINGS[0], "--by", "element")["rows"]
        for name in ("visits", "elements", "bytes", "l1_hits", "l2_hits", "memory_bytes"):
            if sum(row[name] for row in elements) != reports[0]["total"][name]:
                failures.append(f"{name} of {len(elements)} elements do not add up")
    print("\n".join(failures) if failures else f"{reports[0]['total']['rays']} rays: as captured")
    sys.exit(1 if failures else 0)


main()
