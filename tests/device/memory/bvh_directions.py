#!/usr/bin/env python3
"""usage: bvh_directions.py COMMAND BVH_TRACER. What the switches of a ray tracer with its own tree do to caches, in the directions
of "Profiling and Visualizing GPU Memory Access and Cache Behavior of Ray Tracers" (2022), figure 6 and section 6.2, on caches
that are small beside its mesh.

Two directions of the paper do not come out, and this says what does. There a median split lowers the hit rates of the tree. Here
it raises what the tree reads from memory, but it loads more nodes near the root, too, which are there: the rate is as high. And
there if-if hits caches less on the tree. Here each ray
visits the same nodes in the same order in both, and warps run one after the other, so only which lanes load together differs:
with if-if more lanes take a step in the tree together, and fewer meet a face together. The paper measured a device that runs
many warps at once."""

import json
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM = [os.path.abspath(path) for path in sys.argv[1:3]]
CACHES = """name small\nmultiprocessors 8
l1_size {0}\nl1_line 128\nl1_sector 32\nl1_ways full\nl1_replacement lru\nl1_index modulo
l2_size {1}\nl2_line 32\nl2_sector 32\nl2_ways 16\nl2_replacement lru\nl2_index modulo\n"""
FAULTS = []
PICTURES = set()


def run(*arguments):
    # One worker: the order of workgroups, and so every figure, is the same each time.
    environment = dict(os.environ, LP_NUM_THREADS="1")
    return subprocess.run(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def record(*options, size=64):
    """Records a run. Its figures by small and by smaller caches: of each buffer, by the first word of its name, and of all loads."""
    done = run(COMMAND, "record", "-q", "-p", "memory_access,memory_trace", "-o", "run.wscope", "--", PROGRAM, "--size",
               f"{size}x{size}", "-o", "picture.png", *options)
    if "bvh_tracer:" in done.stdout:
        print(done.stdout.strip())
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"record ended with {done.returncode}: {done.stdout}")
    if size == 64:
        with open("picture.png", "rb") as file:
            PICTURES.add(file.read())
    compare_counters()
    return [figures(shape) for shape in ["small", "smaller"]]


def report(name, *options):
    done = run(COMMAND, "report", "run.wscope", name, "--json", *options)
    if done.returncode != 0:
        sys.exit(f"report {name} ended with {done.returncode}: {done.stdout}")
    return json.loads(done.stdout)["analyses"][name]


def by_buffer(rows):
    return {row["buffer"].split()[0].lower(): row for row in rows}


def compare_counters():
    """Counters and records tell the same."""
    counted = by_buffer(report("memory")["buffers"])
    recorded = by_buffer(report("caches")["buffers"])
    for name, row in recorded.items():
        for figure in ["requests", "lanes", "sectors", "lines"]:
            expect(f"{figure} of {name}: counters and records", row[figure] == counted[name][figure])


def figures(shape):
    found = by_buffer(report("caches", "--caches", shape)["buffers"])
    loads = {name: sum(row[name] for row in found.values() if row["l1_sectors"] > 0)
             for name in ["l1_sectors", "l1_hits", "l2_sectors", "l2_hits", "memory_bytes"]}
    loads["l1_hit_rate"] = loads["l1_hits"] / loads["l1_sectors"]
    loads["l2_hit_rate"] = loads["l2_hits"] / loads["l2_sectors"]
    return {**found, "loads": loads}


def expect(what, holds):
    if not holds:
        FAULTS.append(what)


def fall(before, after, buffer, rate="l1_hit_rate"):
    return before[buffer][rate] - after[buffer][rate]


def check_vertices(usual):
    """Vertices in random places are hit less; what else is loaded stays the same, and suffers where it shares the L1."""
    shuffled = record("--vertices", "random")[0]
    vertices = fall(usual, shuffled, "vertices")
    expect(f"random vertices hit less: {vertices:.3f}", vertices > 0.05)
    for name in ["nodes", "faces"]:
        expect(f"random vertices: as many loads of {name}", shuffled[name]["sectors"] == usual[name]["sectors"])
        expect(f"random vertices: {name} hit about as often", fall(usual, shuffled, name) < 0.3 * vertices)
        ratio = shuffled[name]["memory_bytes"] / usual[name]["memory_bytes"]
        expect(f"random vertices: {name} read from memory {ratio:.3f}", 0.97 < ratio < 1.03)
    ratio = shuffled["vertices"]["memory_bytes"] / usual["vertices"]["memory_bytes"]
    expect(f"random vertices read from memory {ratio:.3f}", ratio > 1.2)


def check_split():
    """With a median split rays meet more boxes, which read more from memory, and faces hit about as often. Both trees have one face
    a leaf, and so as many nodes."""
    usual = record("--leaf", "1")[1]
    median = record("--leaf", "1", "--split", "median")[1]
    ratio = median["nodes"]["requests"] / usual["nodes"]["requests"]
    expect(f"median split: nodes are loaded {ratio:.3f} times", ratio > 1.15)
    ratio = median["nodes"]["memory_bytes"] / usual["nodes"]["memory_bytes"]
    expect(f"median split: nodes read from memory {ratio:.3f}", ratio > 1.1)
    expect("median split: faces hit about as often", abs(fall(usual, median, "faces")) < 0.02)


def check_resolution(usual):
    """Four times the pixels hit the L2 more, and read hardly more from memory; so it goes on."""
    before = usual
    for size in [128, 256]:
        more = record(size=size)[0]
        expect(f"{size}: more pixels hit the L2 more", fall(before, more, "loads", "l2_hit_rate") < -0.02)
        expect(f"{size}: more pixels hit the L1 more", fall(before, more, "loads") < 0)
        before = more
    expect(f"sixteen times the pixels hit the L2: {before['loads']['l2_hit_rate']:.3f}", before["loads"]["l2_hit_rate"] > 0.75)


def check_schedule(usual):
    """Where each multiprocessor goes along lines of its own, its L1 hits more, and the L2 that they share less."""
    own = record("--schedule", "per-sm", "--sms", "8")[0]
    expect("per-sm: the L1 is hit more", fall(usual, own, "loads") < 0)
    expect("per-sm: the L2 is hit less", fall(usual, own, "loads", "l2_hit_rate") > 0.05)


def check_traversal(usual):
    if_if = record("--traversal", "if-if")[0]
    for name in ["nodes", "faces", "vertices"]:
        expect(f"if-if: as many lanes load {name}", if_if[name]["lanes"] == usual[name]["lanes"])
    expect("if-if: nodes in fewer requests", if_if["nodes"]["requests"] < usual["nodes"]["requests"])
    expect("if-if: faces in more requests", if_if["faces"]["requests"] > usual["faces"]["requests"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, sizes in {"small": ("16K", "128K"), "smaller": ("8K", "32K")}.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(CACHES.format(*sizes))
        usual = record()
        check_vertices(usual[0])
        check_split()
        check_resolution(usual[0])
        check_schedule(usual[0])
        check_traversal(usual[0])
        for options in [["--nodes", "random"], ["--nodes", "breadth-first"], ["--stack", "buffer"]]:
            record(*options)
    expect(f"{len(PICTURES)} pictures of one scene", len(PICTURES) == 1)
    for fault in FAULTS:
        print(f"not so: {fault}")
    print(f"{len(FAULTS)} faults")
    sys.exit(1 if FAULTS else 0)


main()
