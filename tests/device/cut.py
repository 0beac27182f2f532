#!/usr/bin/env python3
"""cut.py COMMAND PATH_TRACER DIVERGENCE: recordings whose records did not fit.

What is left of them is whole: each thread that is kept has the story that it has in a recording in which all fitted, all
figures are of such threads, and what is said to be kept is kept. The picture is the same.
"""
import json
import os
import subprocess
import sys
import tempfile

COMMAND, PATH_TRACER, DIVERGENCE = (os.path.abspath(path) for path in sys.argv[1:4])
EDGE = 32


def check(good, what):
    if not good:
        sys.exit(f"wrong: {what}")


def record(folder, name, program, *options):
    capture, picture = (os.path.join(folder, name + end) for end in (".wscope", ".png"))
    run = subprocess.run([COMMAND, "record", "-q", "-o", capture, *options, "--", *program, "-o", picture],
                         capture_output=True, text=True, timeout=300)
    check(run.returncode == 0, f"record {options}: {run.stderr}")
    with open(picture, "rb") as file:
        return capture, file.read()


def report(capture, analysis, *options):
    run = subprocess.run([COMMAND, "report", capture, analysis, "--json", *options], capture_output=True, text=True, timeout=300)
    return json.loads(run.stdout) if run.returncode == 0 else None


def without(value, names):
    """The value without members of these names, wherever they are."""
    if isinstance(value, dict):
        return {name: without(member, names) for name, member in value.items() if name not in names}
    return [without(member, names) for member in value] if isinstance(value, list) else value


# A warp's index is its rank among those that are there.
CHANGES = {"truncated", "warp", "context"}


def story(capture, analysis, member, x, y):
    """What is told of a thread; None: it is not there."""
    found = report(capture, analysis, "--thread", f"{x},{y}")
    return without(found["analyses"][analysis][member], CHANGES) if found is not None else None


def check_stories(full, cut, analysis, member, lost):
    """Some threads of each row: those of whole tiles are there, and all that are there are the same in both."""
    kept = 0
    for y in range(0, EDGE, 4):
        for x in (y % 7, 13, 31 - y % 5):
            told = story(cut, analysis, member, x, y)
            tile = lost["map"][y // lost["map_tile"]][x // lost["map_tile"]]
            kept += told is not None
            check(tile == "+" or (told is not None) == (tile == "#"), f"thread {x},{y} of a tile '{tile}'")
            check(told is None or told == story(full, analysis, member, x, y), f"{analysis} of thread {x},{y}")
    check(0 < kept < 3 * EDGE // 4, f"{kept} threads are kept")


def check_cut(passes, analyses, program, size):
    with tempfile.TemporaryDirectory() as folder:
        full, picture = record(folder, "full", program, "-p", passes)
        cut, again = record(folder, "cut", program, "-p", passes, "--buffer", size, "--buffer-limit", size)
        check(picture == again, "the picture")
        for analysis, member in analyses.items():
            losses = report(cut, analysis)["losses"]["replay"]
            lost = losses["cut_launches"][0]
            check(len(losses["cut_launches"]) == 1 and losses["missing_words"] > 0, "the launch's records did not fit")
            check(lost["threads"] == EDGE * EDGE, f"{lost['threads']} threads")
            check(0 < lost["threads_whole"] < EDGE * EDGE, f"{lost['threads_whole']} whole threads")
            check(lost["threads_cut"] > 0, "a warp was cut")
            if member is not None:
                check_stories(full, cut, analysis, member, lost)
        text = subprocess.run([COMMAND, "report", cut, analysis], capture_output=True, text=True).stdout
        check(f"{lost['threads_whole']} of {EDGE * EDGE} threads are whole; {lost['threads_cut']} of {lost['warps_cut']} cut warp"
              in text and "\n    " + lost["map"][0] + "\n" in text, "the foot says so")
        # What it advises holds all.
        step = lost["tile_step"]
        check(f"--tile 16x16/{step}" in text, "the foot says which tiles fit")
        tiles, _ = record(folder, "tiles", program, "-p", passes, "--buffer", size, "--buffer-limit", size, "--tile", f"8x8/{step}")
        losses = report(tiles, analysis)["losses"]["replay"]
        check(losses["missing_words"] == 0 and losses["records"] > 0 and losses["cut_launches"] == [], "tiles fit")
        whole = 4 * report(cut, analysis)["losses"]["replay"]["sufficient_words"]
        check(report(record(folder, "large", program, "-p", passes, "--buffer", str(whole))[0], analysis)["losses"]["replay"]
              ["missing_words"] == 0, "the size that is advised fits")


path_tracer = [PATH_TRACER, "--size", f"{EDGE}x{EDGE}", "--samples", "1"]
check_cut("ray_events", {"ray_events": "trees"}, path_tracer, "200K")
check_cut("execution_trace,divergence,ray_events", {"execution_trace": "traces", "ray_events": "trees", "divergence": None},
          path_tracer, "300K")
check_cut("execution_trace", {"execution_trace": None},
          [DIVERGENCE, "--kernel", "loop", "--size", f"{EDGE}x{EDGE}"], "20K")
