#!/usr/bin/env python3
"""usage: built.py COMMAND PATH_TRACER. Accesses of hit shaders to what acceleration structures were built of, by vertex and by
face, against the hits that another pass recorded: mesh.rchit loads three indices of the face that was hit, one by one, and of each
of its vertices three coordinates. So a face has three lanes for each hit, and a vertex three for each hit of a face that has it."""

import collections
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

COMMAND, PATHS = [os.path.abspath(path) for path in sys.argv[1:3]]
SHADER = ["--shader", "*mesh.rchit*"]


def run(*arguments):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{arguments}: status {done.returncode}: {done.stderr}")
    return done.stdout


def rows_of(capture, dimension):
    found = json.loads(run("report", capture, "caches", "--json", "--by", dimension, *SHADER))["analyses"]["caches"]["rows"]
    return [row for row in found if row.get(dimension, 0) is not None]


def structure_number(name):
    return int(re.fullmatch(r"structure (\d+)", name).group(1))


def hits_of(work, capture):
    """Hits whose closest-hit shader was mesh.rchit, by (structure, geometry, primitive)."""
    rays, shapes = os.path.join(work, "rays.csv"), os.path.join(work, "shapes")
    run("export", capture, "--rays", rays, "--geometry", shapes)
    top = open(glob.glob(os.path.join(shapes, "tlas_*.txt"))[0], encoding="utf-8").read()
    structures = {int(a): int(b) for a, b in re.findall(r"^instance (\d+) .* structure (\d+) ", top, re.M)}
    hits = collections.Counter()
    with open(rays, encoding="utf-8") as file:
        for ray in csv.DictReader(file):
            if ray["hit_shader_name"].startswith("mesh.rchit"):
                hits[structures[int(ray["instance"])], int(ray["geometry"]), int(ray["primitive"])] += 1
    return hits, shapes


def faces_of(shapes):
    """The vertices of each face, which the file numbers anew, by (structure, geometry, primitive)."""
    faces = {}
    for path in glob.glob(os.path.join(shapes, "blas_*.obj")):
        geometry, number, structure = None, 0, None
        for line in open(path, encoding="utf-8"):
            words = line.split()
            if line.startswith("#") and "built in structure" in line:
                structure = int(re.search(r"built in structure (\d+)", line).group(1))
            elif words[0] == "g":
                geometry, number = int(re.match(r"geometry_(\d+)", words[1]).group(1)), 0
            elif words[0] == "f":
                faces[structure, geometry, number] = words[1:]
                number += 1
    return faces


def check(work, options):
    failures = []
    capture = os.path.join(work, "paths.wscope")
    run("record", "-q", "-p", "ray_events,memory_trace", "-o", capture, "--", PATHS, "-o", os.path.join(work, "paths.png"), *options)
    hits, shapes = hits_of(work, capture)
    faces = faces_of(shapes)
    found = {(structure_number(row["structure"]), row["geometry"], row["face"]): row["lanes"] for row in rows_of(capture, "face")}
    expected = {key: 3 * count for key, count in hits.items()}
    if found != expected or len(found) < 100:
        failures.append(f"{len(found)} faces have other lanes than the {len(expected)} that were hit")
    vertices = collections.Counter()
    for key, count in hits.items():
        for vertex in faces[key]:
            vertices[key[0], key[1], vertex] += 3 * count
    expected_vertices = collections.defaultdict(list)
    for (structure, geometry, _), lanes in vertices.items():
        expected_vertices[structure, geometry].append(lanes)
    found_vertices = collections.defaultdict(list)
    for row in rows_of(capture, "vertex"):
        found_vertices[structure_number(row["structure"]), row["geometry"]].append(row["lanes"])
    if {k: sorted(v) for k, v in found_vertices.items()} != {k: sorted(v) for k, v in expected_vertices.items()}:
        failures.append(f"{sum(map(len, found_vertices.values()))} vertices have other lanes than the {len(vertices)} that were hit")
    by_part = collections.Counter()
    for row in rows_of(capture, "geometry"):
        by_part[row["part"]] += row["lanes"]
    total = sum(hits.values())
    if by_part != {"indices": 3 * total, "vertices": 9 * total}:
        failures.append(f"arrays have {dict(by_part)} lanes, and there are {total} hits")
    return failures


def main():
    with tempfile.TemporaryDirectory() as work:
        failures = check(work, ["--size", "32x32", "--samples", "1"])
        failures += check(work, ["--size", "32x32", "--samples", "1", "--scene", "open"])
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
