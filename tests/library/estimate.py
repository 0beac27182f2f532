#!/usr/bin/env python3
"""Usage: estimate.py MODULE_FOLDER LIBRARY COMMAND EXAMPLES. What `warpscope record --estimate` tells from counters is what
is recorded then, record by record and byte by byte but for turns of loops, which have bounds; --budget keeps below its size."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("numpy is missing (package python3-numpy)")
    sys.exit(77)

FOLDER, LIBRARY, COMMAND, EXAMPLES = sys.argv[1:5]
os.environ["WARPSCOPE_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path.insert(0, FOLDER)
import warpscope  # noqa: E402

# Kinds of sites (instrument.h).
DATA, PATH, PATH_TURNS = 2, 15, 16
TURNS_ONCE = 1 << 17  # a flag of the latter's tag

PASSES = ["execution_trace", "divergence", "thread_compaction", "ray_events", "all"]
PROGRAMS = {
    "path_tracer": ["--size", "32x32", "--samples", "1"],
    "faults rays": ["rays", "--size", "24x24"],
    "faults query": ["rays", "--query", "--size", "24x24"],
    "raster": ["--size", "64x64"],
    "divergence": ["--kernel", "uniform", "--size", "64x64"],
}


def program(name):
    return [os.path.join(EXAMPLES, name.split()[0]), *PROGRAMS[name], "-o", os.devnull]


def record(*arguments):
    return subprocess.run([COMMAND, "record", *arguments], capture_output=True, text=True, check=False)


def estimate_of(path):
    """Pass -> its row."""
    run = subprocess.run([COMMAND, "report", path, "estimate", "--json"], capture_output=True, text=True, check=True)
    return {row["pass"]: row for row in json.loads(run.stdout)["analyses"]["estimate"]["passes"]}


def is_of_turns_and_length(words, at, sites):
    """Of the record that begins at a word (records.h): whether it is of the turns of a loop, and its words. Warps have at most
    16 lanes. `sites` are those of its shader; None at entry records."""
    if words[at] == warpscope.NONE:
        shape = int(words[at + 2])
        return False, 4 + (shape >> 8 & 255) + (shape >> 16 & 255) * int(words[at + 3]).bit_count()
    site = sites[int(words[at + 1]) >> 16]
    of_turns = 1 if int(site["tag"]) & TURNS_ONCE else 2
    of_lane = of_turns if site["kind"] == PATH_TURNS else int(site["row"]) if site["kind"] in (DATA, PATH) else 0
    return site["kind"] == PATH_TURNS, 2 + of_lane * (int(words[at + 1]) & 0xffff).bit_count()


def recorded_sites(content):
    """The sites of a module, as records have words of them: without those that are fixed (instrument.h)."""
    sites = content.sites.copy()
    for fixed in content.fixed:
        sites["row"][fixed["site"]] -= 1
    return sites


def recorded_in(path):
    """Records of a capture, as shaders appended them, and their bytes; `turns`: bytes of those of the turns of loops, which
    are in no other figure."""
    capture = warpscope.Capture(path)
    modules = {module: recorded_sites(content) for module, content in capture.sites.items()}
    found = {"records": 0, "bytes": 0, "turns": 0}
    whole = sum(len(chunk.words) for kind, chunk in warpscope.chunks(path) if kind == "RECS")
    for launch in capture.records():
        entries = launch.records[launch.records["entry"] == numpy.arange(len(launch.records))]
        begin = int(entries["position"][0]) if len(entries) else 0
        sites = {int(entry["position"]): modules[capture.shaders[int(entry["shader"])].module] for entry in entries}
        at = 0
        while at < len(launch.stream_words):
            of_turns, length = is_of_turns_and_length(launch.stream_words, at, sites.get(int(launch.stream_words[at])))
            found["turns" if of_turns else "bytes"] += 4 * length
            found["records"] += not of_turns
            at += length
        assert at == len(launch.stream_words) and begin in sites, (path, at, begin)
    assert found["bytes"] + found["turns"] == 4 * whole, (path, found, whole)
    return found


def is_what_is_recorded(name, folder):
    counts = os.path.join(folder, "counts.wscope")
    path = os.path.join(folder, "records.wscope")
    run = record("-o", counts, "--", *program(name))
    assert run.returncode == 0, run.stderr
    rows = estimate_of(counts)
    for choice in PASSES:
        run = record("-q", "-p", choice, "-o", path, "--", *program(name))
        wanted = rows.get(choice, {"records": 0, "bytes": 0, "bytes_at_most": 0})
        if run.returncode != 0:  # nothing that this pass records
            assert choice not in rows and "nothing" in run.stderr, (name, choice, run.stderr)
            continue
        found = recorded_in(path)
        assert (wanted["records"], wanted["bytes"]) == (found["records"], found["bytes"]), (name, choice, wanted, found)
        assert found["bytes"] + found["turns"] <= wanted["bytes_at_most"], (name, choice, wanted, found)


def tells_of_the_budget_of_sites(folder):
    """With a budget, blocks are not counted: their records are told of, and are missing."""
    counts = os.path.join(folder, "counts.wscope")
    found = {}
    for budget in ("0", "24"):
        run = subprocess.run([COMMAND, "record", "-q", "-o", counts, "--", *program("path_tracer")], capture_output=True,
                             text=True, check=True, env=dict(os.environ, WARPSCOPE_SITES_BUDGET=budget))
        assert run.returncode == 0, run.stderr
        run = subprocess.run([COMMAND, "report", counts, "estimate"], capture_output=True, text=True, check=True)
        assert ("the budget of sites left them out" in " ".join(run.stdout.split())) == (budget != "0"), run.stdout
        found[budget] = estimate_of(counts)["all"]["records"]
    assert found["24"] < found["0"], found


def is_what_hands_compute(folder):
    """512 warps of a compute kernel. Each has an entry record of 3 words, a mask, 3 words of the warp and 1 of each of its 8
    lanes; 3 place records of 2 words: main's first block, the function of one block that it calls, and the end; and one of the
    path over the loop, with the function that is called behind it, of 2 words and 3 of each lane. The loop's header runs 13
    times. A turn of it has 1 bit, so a word has the group of 30 turns, and one header in 30 at most appends 2 words and 2 of
    each lane."""
    path = os.path.join(folder, "hand.wscope")
    record("-q", "-o", path, "--", *program("divergence"))
    row = estimate_of(path)["execution_trace"]
    assert row["records"] == 512 * 5, row
    assert row["bytes"] == 4 * 512 * ((3 + 1 + 3 + 8) + 3 * 2 + (2 + 3 * 8)), row
    assert row["bytes_at_most"] == row["bytes"] + 4 * math.ceil(512 * 13 * (2 + 2 * 8) / 30), row
    assert row["largest_bytes"] == row["bytes"], row  # there is one submission


def estimate_leaves_nothing(folder):
    run = record("--estimate", "-o", os.path.join(folder, "none.wscope"), "--", *program("divergence"))
    assert run.returncode == 0 and "execution_trace" in run.stderr and "all" in run.stderr, run.stderr
    assert os.listdir(folder) == [], os.listdir(folder)


def budget_is_kept(folder):
    path = os.path.join(folder, "budget.wscope")
    size = ["--size", "256x256", "--samples", "1"]
    command = [os.path.join(EXAMPLES, "path_tracer"), *size, "-o", os.devnull]
    run = record("-p", "execution_trace", "--budget", "12M", "-o", path, "--", *command)
    assert run.returncode == 0 and "--tile 32x32/3" in run.stderr, run.stderr
    found = recorded_in(path)
    assert 0 < found["bytes"] + found["turns"] <= 12 << 20, found
    run = subprocess.run([COMMAND, "report", path, "execution_trace", "--json"], capture_output=True, text=True, check=True)
    capture = json.loads(run.stdout)["capture"]
    assert capture["settings"]["tile"] == "32x32/3" and capture["passes"] == ["execution_trace"], capture
    run = record("-p", "execution_trace", "--budget", "1G", "-o", path, "--", *command)
    assert run.returncode == 0 and "nothing needs to be left out" in run.stderr, run.stderr
    assert "turns of loops" not in run.stderr, run.stderr
    run = record("-p", "execution_trace", "--budget", "101K", "-o", path, "--", *program("divergence"))
    assert run.returncode == 0 and "nothing needs to be left out" in run.stderr, run.stderr
    assert "turns of loops may add 16.0 kB" in run.stderr, run.stderr


def sampled_counters_are_scaled(folder):
    """What the module reads of counters of one warp in 4 is what the report estimates, not a quarter of it."""
    path = os.path.join(folder, "sampled.wscope")
    size = ["--kernel", "uniform", "--size", "256x256", "--workgroup", "64"]
    run = record("-q", "--sample", "1/4", "-o", path, "--", os.path.join(EXAMPLES, "divergence"), *size, "-o", os.devnull)
    assert run.returncode == 0, run.stderr
    run = subprocess.run([COMMAND, "report", path, "simt_efficiency", "--json"], capture_output=True, text=True, check=True)
    wanted = json.loads(run.stdout)["analyses"]["simt_efficiency"]["total"]
    counters = list(warpscope.Capture(path).counters("simt_efficiency"))
    assert {of.weight for of in counters} == {4} and {of.group for of in counters} == set(range(8)), counters
    assert sum(int(of.executions.sum()) for of in counters) == wanted["executions"], wanted
    assert sum(int(of.active.sum()) for of in counters) == wanted["active_lanes"], wanted


def several_passes_are_one_choice(folder):
    """What two passes append together is more than either, and what the run with both appends: rays part the paths."""
    path = os.path.join(folder, "both.wscope")
    run = record("--estimate", "-p", "execution_trace,ray_events", "--budget", "1G", "--", *program("faults rays"))
    assert run.returncode == 0 and "chosen" in run.stderr, run.stderr
    needed = re.search(r"chosen +(\d+)", run.stderr)
    record("-q", "-p", "execution_trace,ray_events", "-o", path, "--", *program("faults rays"))
    assert int(needed[1]) == recorded_in(path)["records"], run.stderr


def further_processes_are_told(folder):
    one = " ".join(program("divergence"))
    run = record("--estimate", "-o", os.path.join(folder, "none.wscope"), "--", "sh", "-c", f"{one} && {one}")
    assert run.returncode == 0 and "1 further process of the program" in run.stderr, run.stderr


def failures_are_told(folder):
    path = os.path.join(folder, "failed.wscope")
    refused = [(["--budget", "1G"], "add -p"),
               (["--budget", "1G", "-p", "all", "--tile", "8x8/2"], "by itself"),
               (["--estimate", "-e", "before OpFMul { count(); }"], "leave --probe"),
               (["--budget", "much", "-p", "all"], "--budget")]
    for options, text in refused:
        run = record(*options, "-o", path, "--", "true")
        assert run.returncode == 2 and text in run.stderr, (options, run)
    run = record("--estimate", "-o", path, "--", "sh", "-c", "exit 3")
    assert run.returncode == 3 and "nothing is estimated" in run.stderr, run
    run = record("--estimate", "-o", path, "--", "true")
    assert run.returncode == 1 and "no capture was made" in run.stderr, run
    run = record("--budget", "1G", "-p", "all", "-o", path, "--", "/nonexistent/program")
    assert run.returncode == 1 and "cannot start" in run.stderr, run
    assert not os.path.exists(path)


def main():
    folder = tempfile.mkdtemp()
    # What is left of the runs that count would lie here.
    os.environ["TMPDIR"] = os.path.join(folder, "temporary")
    os.mkdir(os.environ["TMPDIR"])
    try:
        plain = subprocess.run(program("path_tracer"), capture_output=True, text=True, check=False)
        if plain.returncode == 77:
            print(plain.stderr.strip())
            return 77
        work = os.path.join(folder, "work")
        os.mkdir(work)
        estimate_leaves_nothing(work)
        for name in PROGRAMS:
            is_what_is_recorded(name, work)
        tells_of_the_budget_of_sites(work)
        is_what_hands_compute(work)
        sampled_counters_are_scaled(work)
        several_passes_are_one_choice(work)
        budget_is_kept(work)
        further_processes_are_told(work)
        failures_are_told(work)
        assert os.listdir(os.environ["TMPDIR"]) == []
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
