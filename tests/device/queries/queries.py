#!/usr/bin/env python3
"""usage: queries.py COMMAND PATH_TRACER MEMORY. Runs examples/queries in DuckDB on exports of recordings, and holds each figure
against that of report --json, exactly: the exports and the reports are made from the same records by different code. Both as one
file and as a folder of partitions."""

import collections
import csv
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

COMMAND, PATH_TRACER, MEMORY = [os.path.abspath(path) for path in sys.argv[1:4]]
HERE = os.path.dirname(os.path.abspath(__file__))
QUERIES = os.path.join(HERE, "..", "..", "..", "examples", "queries")
OF_ACCESSES = ["requests", "coalescing", "reuse", "buffers"]
OF_RAYS = ["rays_per_pixel", "any_hits"]
OF_RECORDS = ["simt_efficiency"]

failures = []


def check(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: {found}, and not {wanted}")


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def record(passes, capture, *program):
    status = subprocess.run([COMMAND, "record", "-q", "-p", passes, "-o", capture, "--", *program], check=False).returncode
    if status == 3:
        print("no Vulkan device that can do it")
        sys.exit(77)
    if status != 0:
        sys.exit(f"recording {program} ended with {status}")


def export(capture, folder, names, partitioned):
    """Exports the tables; says where each is."""
    tables = {}
    for name in names:
        tables[name] = os.path.join(folder, f"{name}_parts" if partitioned else f"{name}.parquet")
        run(COMMAND, "export", capture, "-q", f"--{name}", tables[name] + ("/" if partitioned else ""), capture_output=True)
    return tables


def ask(tables, queries):
    arguments = [f"{name}={path}" for name, path in tables.items()]
    try:
        asked = subprocess.run(["node", os.path.join(HERE, "ask.js"), *arguments,
                                *(os.path.join(QUERIES, f"{query}.sql") for query in queries)],
                               capture_output=True, text=True, check=False)
    except FileNotFoundError:
        print("node is not installed")
        sys.exit(77)
    if asked.returncode == 77:
        print(asked.stdout.strip())
        sys.exit(77)
    if asked.returncode != 0:
        sys.exit(asked.stdout + asked.stderr)
    return json.loads(asked.stdout)


def report(capture, analysis):
    return json.loads(run(COMMAND, "report", capture, analysis, "-q", "--json", capture_output=True).stdout)["analyses"][analysis]


def by(rows, *keys):
    return {tuple(row[key] for key in keys): row for row in rows}


def check_requests(name, rows, caches):
    """Each access, as caches has it from the records."""
    wanted = by(caches["accesses"], "shader_id", "place")
    found = by(rows, "shader", "place")
    check(f"{name}: accesses", sorted(found), sorted(wanted))
    for key in found.keys() & wanted.keys():
        for figure in ("requests", "lanes", "bytes", "sectors", "lines", "file", "line", "access", "memory", "buffer"):
            check(f"{name}: access {key}, {figure}", found[key][figure], wanted[key][figure])
        check(f"{name}: access {key}, shader", found[key]["shader_name"], wanted[key]["shader"])


def check_coalescing(name, rows, memory):
    """Each source line, as memory has its accesses from counters."""
    wanted = collections.defaultdict(collections.Counter)
    for access in memory["accesses"]:
        if access["moved"] > 0:
            wanted[access["file"], access["line"]].update({key: access[key] for key in ("requests", "lanes", "bytes", "sectors")})
    found = by(rows, "file", "line")
    check(f"{name}: lines", sorted(found), sorted(wanted))
    for key in found.keys() & wanted.keys():
        for figure, value in wanted[key].items():
            check(f"{name}: line {key}, {figure}", found[key][figure], value)
        check(f"{name}: line {key}, used", found[key]["used"], wanted[key]["bytes"] / (32 * wanted[key]["sectors"]))


def check_buffers(name, rows, caches):
    """Each buffer of the application by each binding, as caches has it. What has a binding or an address is known."""
    keys = ("memory", "buffer", "bound", "allocation")
    wanted, found = by(caches["buffers"], *keys), by(rows, *keys)
    check(f"{name}: buffers", sorted(found, key=str), sorted(wanted, key=str))
    check(f"{name}: buffers that are known", all(row["bound"] and row["allocation"] for row in rows if row["memory"] != "shader record"), True)
    for key in found.keys() & wanted.keys():
        for figure in ("requests", "lanes", "bytes", "sectors"):
            check(f"{name}: buffer {key}, {figure}", found[key][figure], wanted[key][figure])


def check_reuse(name, rows, caches):
    """All that is used again fits into the largest cache of the curve, so that hits each time."""
    largest = caches["sizes"][-1]
    lines, again = sum(row["lines"] for row in rows), sum(row["again"] for row in rows)
    assert sum(row["distinct_lines"] for row in rows) * 128 < largest["bytes"]
    check(f"{name}: lines", lines, caches["total"]["lines"])
    check(f"{name}: again", again, round(largest["hit_rate"] * lines))
    check(f"{name}: share that is used again", again / lines, largest["hit_rate"])


def check_rays(name, answers, rays):
    check(f"{name}: rays per pixel", answers["rays_per_pixel"], sorted(rays["rays_per_thread"], key=lambda row: row["rays_per_thread"]))
    wanted = by([row for row in rays["geometries"] if row["any_hits"] + row["intersections"] + row["reports"] > 0], "instance", "geometry")
    found = by(answers["any_hits"], "instance", "geometry")
    check(f"{name}: geometries", sorted(found), sorted(wanted))
    for key in found.keys() & wanted.keys():
        for figure in ("custom_index", "any_hits", "ignored", "intersections", "reports"):
            check(f"{name}: geometry {key}, {figure}", found[key][figure], wanted[key][figure])


def check_csv(name, capture, folder, tables):
    """Each cell of Parquet is that of CSV: numbers and texts as they are, floats bit by bit."""
    path, query = os.path.join(folder, "rays.csv"), os.path.join(folder, "all.sql")
    run(COMMAND, "export", capture, "-q", "--rays", path, capture_output=True)
    with open(query, "w", encoding="utf-8") as file:
        file.write("select * from rays order by launch, thread_z, thread_y, thread_x, ray")
    found = ask(tables, [query[: -len(".sql")]])["all"]
    with open(path, newline="", encoding="utf-8") as file:
        wanted = sorted(csv.DictReader(file), key=lambda row: [int(row[key]) for key in ("launch", "thread_z", "thread_y", "thread_x", "ray")])
    check(f"{name}: rays in CSV", len(found), len(wanted))
    check(f"{name}: columns", list(found[0]), ["frame", "pipeline", *wanted[0]])
    for one, other in zip(found, wanted):
        for key, cell in other.items():
            value = one[key]
            text = "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)
            if text != cell and (value is None or struct.pack("f", float(value)) != struct.pack("f", float(cell))):
                failures.append(f"{name}: {key} is {value} in Parquet, {cell} in CSV")


def check_divergence(name, rows, divergence):
    found, wanted = by(rows, "shader"), by(divergence["shaders"], "shader_id")
    check(f"{name}: shaders", sorted(found), sorted(wanted))
    for key in found.keys() & wanted.keys():
        for figure in ("executions", "slots", "active", "stage"):
            check(f"{name}: shader {key}, {figure}", found[key][figure], wanted[key][figure])
        check(f"{name}: shader {key}, name", found[key]["shader_name"], wanted[key]["shader"])


def check_capture(name, capture, tables, answers):
    if "accesses" in tables:
        check_requests(name, answers["requests"], report(capture, "caches"))
        check_coalescing(name, answers["coalescing"], report(capture, "memory"))
        check_reuse(name, answers["reuse"], report(capture, "caches"))
        check_buffers(name, answers["buffers"], report(capture, "caches"))
    if "rays" in tables:
        check_rays(name, answers, report(capture, "ray_events"))
    if "records" in tables:
        check_divergence(name, answers["simt_efficiency"], report(capture, "divergence"))


def check_parts(name, capture, tables):
    """A folder for each frame, of which a program that never presents has one, and in it for each pipeline, with one file."""
    for table, folder in tables.items():
        found = {os.path.relpath(path, folder).split(os.sep)[0] for path in glob.glob(os.path.join(folder, "*", "*", "*"))}
        check(f"{name}: partitions of {table}", found, {"frame=0"})
        again = subprocess.run([COMMAND, "export", capture, "-q", f"--{table}", folder], capture_output=True, text=True, check=False)
        check(f"{name}: a folder that is not empty", again.returncode, 1)
        check(f"{name}: what is said of it", "is not empty" in again.stderr, True)


def try_program(name, folder, names, queries, *program):
    capture = os.path.join(folder, f"{name}.wscope")
    passes = {"accesses": "memory_access,memory_trace", "rays": "ray_events", "candidates": "ray_events", "records": "divergence"}
    record(",".join(sorted({passes[table] for table in names})), capture, *program)
    whole = export(capture, folder, names, False)
    answers = ask(whole, queries)
    check_capture(name, capture, whole, answers)
    if "rays" in whole:
        check_csv(name, capture, folder, whole)
    for query, rows in answers.items():
        check(f"{name}: {query} has rows", len(rows) > 0, True)
    parts = export(capture, folder, names, True)
    for query, rows in ask(parts, queries).items():
        check(f"{name}: {query} on partitions, and on one file", rows, answers[query])
    check_parts(name, capture, parts)
    for path in [*whole.values(), capture]:
        os.remove(path)
    run("rm", "-r", *parts.values())


def check_runs(folder):
    """Where memory.comp touches what is the same in each run, also what it reaches by its device address."""
    query, runs = os.path.join(folder, "places.sql"), []
    with open(query, "w", encoding="utf-8") as file:
        file.write("select distinct memory, buffer, bound, allocation, address, allocation_byte from accesses "
                   "order by memory, buffer, bound, allocation, address, allocation_byte")
    for number in range(2):
        capture = os.path.join(folder, f"run{number}.wscope")
        record("memory_trace", capture, MEMORY)
        runs.append(ask(export(capture, folder, ["accesses"], False), [query[: -len(".sql")]])["places"])
    far = [row["address"] for row in runs[0] if row["memory"] == "device address"]
    check("two runs", runs[0], runs[1])
    # Each thread loads every third word, from the first multiple of 128 on: the buffer begins at one.
    check("device addresses in their buffer", far, [12 * thread for thread in range(64)])


os.environ.setdefault("WARPSCOPE_SLOW_AFTER", "0")
with tempfile.TemporaryDirectory() as folder:
    output = os.path.join(folder, "picture.png")
    check_runs(folder)
    try_program("memory", folder, ["accesses"], OF_ACCESSES, MEMORY)
    try_program("alias", folder, ["accesses"], OF_ACCESSES, MEMORY, "alias")
    try_program("layouts", folder, ["accesses"], OF_ACCESSES, MEMORY, "layouts")
    try_program("path_tracer", folder, ["accesses", "rays", "candidates", "records"], OF_ACCESSES + OF_RAYS + OF_RECORDS,
                PATH_TRACER, "--mesh", "knot", "--size", "24x24", "--samples", "1", "--frames", "2", "-o", output)
print("\n".join(failures[:40]) if failures else "all figures are the same")
sys.exit(1 if failures else 0)
