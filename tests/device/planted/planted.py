#!/usr/bin/env python3
"""usage: planted.py COMMAND PLANTED PROBES PATH_TRACER. The probes of the library (folder PROBES) on planted.comp, whose
answers follow from its source, and unread_words.glsl on the path tracer, which counts its own executions.

Threads are 72 x 72 in groups of 8 x 8, so that each group has 64 / S warps of S lanes."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

COMMAND, PLANTED, PROBES, PATH_TRACER = [os.path.abspath(path) for path in sys.argv[1:5]]
SIDE = 72
THREADS = SIDE * SIDE
failed = False

source = (pathlib.Path(__file__).parent / "planted.comp").read_text(encoding="utf-8").splitlines()
plants = {}
for number, text in enumerate(source, 1):
    if "// PLANT " in text:
        plants.setdefault(text.split("// PLANT ")[1], []).append(number)


def expect(what, found, expected):
    global failed
    if found != expected:
        print(f"{what}: {found!r} instead of {expected!r}")
        failed = True


def record(probe, program):
    capture = os.path.join(temporary, probe + ".wscope")
    made = subprocess.run([COMMAND, "record", "-q", "--probe", os.path.join(PROBES, probe + ".glsl"), "-o", capture, "--", *program],
                          capture_output=True, text=True, check=False)
    if made.returncode == 77:
        print(made.stdout + made.stderr)
        sys.exit(77)
    if made.returncode != 0:
        sys.exit(f"{probe}: {made.returncode}: {made.stdout}{made.stderr}")
    shown = subprocess.run([COMMAND, "report", capture, "probe", "--json"], capture_output=True, text=True, check=True)
    return json.loads(shown.stdout)["analyses"]["probe"], made.stdout


def at(report, output, plant):
    return [row["count"] for row in report["lines"] if row["output"] == output and row["line"] in plants[plant]]


def check_cache_lines(report):
    """Neighbours are 4 bytes apart, strides 128. One word is in one line."""
    size = report["launches"][0]["subgroup_size"]
    warps = THREADS // size
    expected = {}
    for lines in (max(1, size * 4 // 128), size, 1):
        expected[lines] = expected.get(lines, 0) + warps
    expect("cache lines", {row["keys"]["value"]: row["count"] for row in report["entries"]}, expected)
    expect("loads", [row["count"] for row in report["outputs"] if row["output"] == "loads"], [3 * THREADS])


def check_uniform_loads(report):
    for plant, same in (("neighbours", 0), ("strides", 0), ("one word", THREADS)):
        expect(f"loads of {plant}", at(report, "all", plant), [THREADS])
        expect(f"uniform loads of {plant}", sum(at(report, "same", plant)), same)


def check_pixel_path(report):
    records = [row for row in sorted(report["records"], key=lambda row: row["record"]) if row["line"] in plants["path"]]
    expect("the path of 64, 64", [row["fields"]["value"] for row in records], [64.25, 128.5, 128.5, 129.5, 131.5])
    expect("its lines", [row["fields"]["at"] for row in records], [*plants["path"][:2]] + 3 * [plants["path"][2]])
    expect("its thread", {row["recorded_by"] for row in report["records"]}, {"64,64"})


def check_integer_overflow(report):
    # 2147483600 + x is above 2147483647 from x = 48 on; x - 10 is below 0 up to x = 9.
    expect("overflow", at(report, "overflow", "overflow"), [(SIDE - 48) * SIDE])
    expect("wrapped", at(report, "wrapped", "wrap"), [10 * SIDE])
    expect("all overflows", [row["count"] for row in report["outputs"] if row["output"] == "overflow"], [(SIDE - 48) * SIDE])


def check_texture_lod(report):
    bins = {row["bin_from"]: row["count"] for row in report["bins"] if row["count"] != 0}
    expect("levels", bins, {0: THREADS // 4, 0.5: THREADS // 4, 1: THREADS // 4, 1.5: THREADS // 4})
    for output, value in (("least", 0), ("most", 1.5)):
        expect(output, [row["value"] for row in report["outputs"] if row["output"] == output], [value])


def check_clock(report):
    if report["skipped"]:
        print("clock is left out: " + report["skipped"][0]["reason"])
        return
    expect("threads with clocks", [row["count"] for row in report["outputs"]], [THREADS])
    expect("threads that took none", sum(row["count"] for row in report["bins"] if row["bin_from"] == 0), 0)


def check_unread_words(report, counts):
    entries = {(row["output"], row["keys"]["member"]): row["count"] for row in report["entries"]}
    materials = sum(counts[name] for name in ("diffuse", "metal", "glass", "glazed"))
    hits = counts["mesh"] + counts["sphere_hit"]
    # `incoming` is written before each call of a material; `done` by each hit and by the sky, and read once for each.
    expect("scatter.incoming written", entries.get(("callable_written", 0)), materials)
    expect("path.done written", entries.get(("payload_written", 1)), hits + counts["sky"])
    expect("path.done read", entries.get(("payload_read", 1)), hits + counts["sky"])
    # Only metal reads the roughness, at two places.
    expect("scatter.roughness read", entries.get(("callable_read", 1)), 2 * counts["metal"])


with tempfile.TemporaryDirectory() as temporary:
    for name, check in (("cache_lines", check_cache_lines), ("uniform_loads", check_uniform_loads), ("pixel_path", check_pixel_path),
                        ("integer_overflow", check_integer_overflow), ("texture_lod", check_texture_lod), ("clock", check_clock)):
        check(record(name, [PLANTED])[0])
    found, printed = record("unread_words", [PATH_TRACER, "--size", "24x16", "-n", "1", "--count", "-o",
                                             os.path.join(temporary, "picture.png")])
    check_unread_words(found, {line.split()[0]: int(line.split()[1]) for line in printed.splitlines()
                               if len(line.split()) == 2 and line.split()[1].isdigit()})
sys.exit(1 if failed else 0)
