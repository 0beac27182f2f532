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
import struct
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


def drawn_triangles(work, capture):
    """How many triangles are drawn by hit rate, and how many of them something read."""
    path = os.path.join(work, "rates.glb")
    run("export", capture, "-q", "--hit-rates", path, "--rates-of", "accesses")
    data = open(path, "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    gltf, binary = json.loads(data[20:20 + length]), data[20 + length + 8:]
    drawn, read = 0, 0
    for node in gltf["nodes"]:
        if not node["name"].endswith("triangles"):
            continue
        accessor = gltf["accessors"][gltf["meshes"][node["mesh"]]["primitives"][0]["attributes"]["_RATES"]]
        begin = gltf["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        rates = list(struct.iter_unpack("<3f", binary[begin:begin + 12 * accessor["count"]]))[::3]
        drawn += len(rates)
        read += sum(1 for l1, _, requests in rates if requests > 0 and 0 <= l1 <= 1)
    return drawn, read


def expected_triangles(hits, faces, shapes):
    """The same, from the hits: a triangle is read where one of its vertices is, which another face may have."""
    read = {(*key[:2], vertex) for key in hits for vertex in faces[key]}
    touched = collections.Counter(key[0] for key, vertices in faces.items() if any((*key[:2], vertex) in read for vertex in vertices))
    top = open(glob.glob(os.path.join(shapes, "tlas_*.txt"))[0], encoding="utf-8").read()
    instances = [int(structure) for structure in re.findall(r"^instance .* structure (\d+) ", top, re.M)]
    boxes = {key[0] for key in faces if len(faces[key]) != 3}
    return sum(touched[structure] for structure in instances if structure not in boxes)


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
    drawn, read = drawn_triangles(work, capture)
    if read != expected_triangles(hits, faces, shapes) or drawn < read or read < 100:
        failures.append(f"{read} of {drawn} triangles are drawn by hit rate, and {expected_triangles(hits, faces, shapes)} were read")
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
