#!/usr/bin/env python3
"""usage: volume.py COMMAND VOLUME. What the switches of a volume renderer change of its loads: empty space that is skipped, and
light that is not followed to the end, are loads that are not there; where voxels lie changes only what caches make of them."""

import csv
import json
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM = [os.path.abspath(path) for path in sys.argv[1:3]]
FAULTS = []


def run(*arguments):
    return subprocess.run(arguments, env=dict(os.environ, LP_NUM_THREADS="1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


def record(*options):
    """The picture, and the figures of each buffer by the first word of its name."""
    done = run(COMMAND, "record", "-q", "-p", "memory_trace", "-o", "run.wscope", "--", PROGRAM, "--size", "48x40", "--bricks", "6",
               "-o", "picture.png", *options)
    if "volume:" in done.stdout:
        print(done.stdout.strip())
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"record ended with {done.returncode}: {done.stdout}")
    done = run(COMMAND, "report", "run.wscope", "caches", "--json", "--caches", "small")
    if done.returncode != 0:
        sys.exit(f"report ended with {done.returncode}: {done.stdout}")
    rows = json.loads(done.stdout)["analyses"]["caches"]["buffers"]
    with open("picture.png", "rb") as file:
        return file.read(), {row["buffer"].split()[0].lower(): row for row in rows}


def by_thread(*options):
    """The rows of the last run by thread and buffer."""
    command = [COMMAND, "report", "run.wscope", "caches", "--csv", "--by", "thread,buffer", "--caches", "small", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"report ended with {done.returncode}: {done.stderr}")
    return list(csv.DictReader(done.stdout.splitlines()))


def check_threads(figures):
    """Each request is counted for each of its lanes. Eq. 3.4 and 3.5 of "Visual Performance Analysis of Ray Tracing" (2024) hold
    for what each pixel stores, which its warp stores at once."""
    rows = by_thread()
    for name, row in figures.items():
        found = [thread for thread in rows if thread["buffer"].lower().startswith(name)]
        expect(f"{name}: requests of threads are lanes", sum(int(thread["requests"]) for thread in found) == row["lanes"])
    stores = [row for row in rows if row["buffer"].lower().startswith("pixels")]
    places = {(int(row["x"]), int(row["y"])) for row in stores}
    expect("each pixel has a row", places == {(x, y) for x in range(48) for y in range(40)} and len(stores) == 48 * 40)
    expect("each pixel is stored by one request", {row["requests"] for row in stores} == {"1"})
    # 48 pixels are whole workgroups of 8 x 8, whose warps are full: b = N / (w x 1) = 1.
    expect("by a full warp", {float(row["active"]) for row in stores} == {1.0})
    rates = {row["l1_hit_rate"] for row in rows if row["buffer"].lower().startswith("densities")}
    expect("pixels hit at different rates", len(rates) > 10)
    done = run(COMMAND, "report", "run.wscope", "caches", "--plots", "plots")
    pictures = os.listdir("plots") if done.returncode == 0 else []
    expect(f"pictures: {pictures}", {f"caches-threads-0-{name}.svg" for name in ["requests", "active", "first"]} <= set(pictures) or
           "lacks cairo" in done.stdout)
    chosen = by_thread("--filter", "x = 20", "--filter", "y = 20")
    expect("a pixel is chosen", {row["thread"] for row in chosen} == {"20,20"} and len(chosen) >= 2)


def expect(what, holds):
    if not holds:
        FAULTS.append(what)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("small", "w", encoding="utf-8") as file:
            file.write("name small\nmultiprocessors 4\nl1_size 4K\nl1_line 128\nl1_sector 32\nl1_ways full\nl1_replacement lru\n"
                       "l1_index modulo\nl2_size 32K\nl2_line 32\nl2_sector 32\nl2_ways 16\nl2_replacement lru\nl2_index modulo\n")
        picture, usual = record()
        check_threads(usual)
        # Rays that march walk no tree.
        done = run(COMMAND, "report", "run.wscope", "bvh_reconstruct")
        expect(f"no tree: {done.stdout}", done.returncode == 0 and "Tree: none is walked: in no buffer do threads begin at one element" in done.stdout)
        done = run(COMMAND, "report", "run.wscope", "bvh_reconstruct", "--json")
        expect("no tree in JSON", done.returncode == 0 and json.loads(done.stdout)["analyses"]["bvh_reconstruct"]["tree"] == [])
        skipped_picture, skipped = record("--skip")
        whole_picture, whole = record("--whole")
        bricks_picture, bricks = record("--layout", "bricks")
    lanes = usual["densities"]["lanes"]
    expect("each sample has eight loads", lanes % 8 == 0)
    expect("each pixel is stored once", usual["pixels"]["lanes"] == 48 * 40)
    expect("skipping draws the same", skipped_picture == picture)
    expect("skipping loads less", skipped["densities"]["lanes"] < lanes / 2 and skipped["bricks"]["lanes"] > 0)
    expect("nothing is skipped without --skip", "bricks" not in usual)
    expect("rays that go on load more", whole["densities"]["lanes"] > 1.02 * lanes and whole_picture != picture)
    expect("bricks draw the same", bricks_picture == picture)
    expect("bricks: as many loads", bricks["densities"]["lanes"] == lanes)
    expect("bricks: others hit", bricks["densities"]["l1_hits"] != usual["densities"]["l1_hits"])
    for fault in FAULTS:
        print(f"not so: {fault}")
    sys.exit(1 if FAULTS else 0)


main()
