#!/usr/bin/env python3
"""usage: flown.py FOLDER WARPSCOPE PROGRAM [ARGUMENT...]
Records a program below the layer, as the environment names it, and flies its rays through the model BVH, with several
settings of it: each must end where the device says, whatever the tree. What the parts of the trees come to adds up, and a report is the same
each time."""
import json
import os
import struct
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


def read_glb(path):
    """Names of nodes, and of each the attribute _RATES of its vertices."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<I", data, 12)[0]
    tree, binary = json.loads(data[20:20 + size]), data[20 + size + 8:]
    found = {}
    for node in tree["nodes"]:
        accessor = tree["accessors"][tree["meshes"][node["mesh"]]["primitives"][0]["attributes"]["_RATES"]]
        begin = tree["bufferViews"][accessor["bufferView"]].get("byteOffset", 0)
        found[node["name"]] = list(struct.iter_unpack("<3f", binary[begin:begin + 12 * accessor["count"]]))
    return found


def rates(row):
    """As a float has them."""
    return tuple(struct.unpack("<f", struct.pack("<f", -1 if value is None else value))[0]
                 for value in (row["l1_hit_rate"], row["l2_hit_rate"], row["visits"]))


def check_drawn(capture, path, settings):
    """What is drawn has the figures of the report."""
    subprocess.run([COMMAND, "export", capture, "-q", "--hit-rates", path, "--bvh", settings], check=True, capture_output=True)
    rows, drawn, failures = report(capture, settings, "--by", "element")["rows"], read_glb(path), []
    for part, kind, vertices in (("triangles", "triangles", 3), ("boxes", "boxes", 24), ("bottom nodes", "nodes", 24)):
        corners = [rate for name, list_of in drawn.items() if name.startswith("instance") and name.endswith(kind) for rate in list_of]
        found = {corners[i] for i in range(0, len(corners), vertices) if corners[i][2] > 0}
        if any(len(set(corners[i:i + vertices])) != 1 for i in range(0, len(corners), vertices)):
            failures.append(f"--hit-rates: {kind} have several colours")
        if found != {rates(row) for row in rows if row["part"] == part}:
            failures.append(f"--hit-rates: {len(found)} different figures of {kind} are drawn, and not those of the report")
    top = {rate for rate in drawn.get("top level", []) if rate[2] > 0}
    if top != {rates(row) for row in rows if row["part"] in ("top nodes", "instances")}:
        failures.append("--hit-rates: the top level is not that of the report")
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
        if reports[0]["top"]["trees"] == 1: # of several builds of one structure only the last is drawn
            failures += check_drawn(capture, os.path.join(work, "rates.glb"), "leaf=4")
            failures += check_drawn(capture, os.path.join(work, "rates.glb"), "leaf=2,split=median")
    print("\n".join(failures) if failures else f"{reports[0]['total']['rays']} rays: as captured")
    sys.exit(1 if failures else 0)


main()
