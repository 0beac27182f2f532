#!/usr/bin/env python3
"""usage: caches_naive.py COMMAND BVH_TRACER PATH_TRACER. `report caches` of whole programs, by brute force: from the accesses that
`export` writes lane by lane, a model as plain as can be, written from analysis/memory/cache/hierarchy.h and cache.h, says what
each access finds in the caches of two devices. All figures are the same, exactly."""

import collections
import json
import os
import subprocess
import sys
import tempfile

COMMAND, BVH_TRACER, PATH_TRACER = [os.path.abspath(path) for path in sys.argv[1:4]]
ASK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "queries", "ask.js")

LINE, SECTOR, PAGE = 128, 32, 65536

# Multiprocessors; lines of an L1, of 128 bytes in four sectors, fully associative with tree pseudo-LRU; sets of the L2, with lines of
# 32 bytes in 16 ways and LRU. The usual device, whose caches small programs hardly fill; and one that displaces much.
Device = collections.namedtuple("Device", "multiprocessors l1_lines l2_sets text")
DEVICES = [
    Device(68, 456, 12288, None),
    Device(3, 24, 7, "name Small\nmultiprocessors 3\nl1_size 3K\nl1_line 128\nl1_sector 32\nl1_ways full\nl1_replacement tree_plru\nl1_index modulo\n"
           "l2_size 3584\nl2_line 32\nl2_sector 32\nl2_ways 16\nl2_replacement lru\nl2_index modulo\n"),
]
L2_WAYS = 16
FIGURES = ["requests", "lanes", "bytes", "sectors", "lines", "l1_sectors", "l1_hits", "l2_sectors", "l2_hits", "memory_bytes"]

# Programs, how they run, and how many threads a workgroup has; 0 = it has none: each warp is dealt out by itself.
PROGRAMS = [
    (BVH_TRACER, ["--size", "32x24", "--stack", "buffer"], 64),
    (PATH_TRACER, ["--size", "16x8"], 0),
]

QUERY = """select launch, request, shader, place, access, context, warp, thread_x, thread_y, thread_z, lane, allocation_id,
allocation_byte, bound_id, set, binding, module, variable, element, address, size from accesses order by launch, request, lane"""


class L1:
    """Which lines are there, with which sectors, and a binary tree over their slots."""

    def __init__(self, lines):
        self.lines, self.leaves = lines, 1 << (lines - 1).bit_length()
        self.slots, self.where, self.tree = [], {}, [False] * 2 * self.leaves

    def use(self, slot):
        node, low, high = 1, 0, self.leaves
        while high - low > 1:
            middle = (low + high) // 2
            left = slot < middle
            self.tree[node] = left  # points right where the left half was used
            node, low, high = (2 * node, low, middle) if left else (2 * node + 1, middle, high)

    def victim(self):
        node, low, high = 1, 0, self.leaves
        while high - low > 1:
            middle = (low + high) // 2
            right = self.tree[node] and middle < self.lines
            node, low, high = (2 * node + 1, middle, high) if right else (2 * node, low, middle)
        return low

    def load(self, line, sectors):
        """The sectors that were there."""
        if line not in self.where:
            if len(self.slots) < self.lines:
                self.slots.append(None)
                slot = len(self.slots) - 1
            else:
                slot = self.victim()
                del self.where[self.slots[slot][0]]
            self.slots[slot] = (line, set())
            self.where[line] = slot
        slot = self.where[line]
        self.use(slot)
        there = self.slots[slot][1]
        hits = there & sectors
        there |= sectors
        return hits

    def store(self, line):
        if line in self.where:
            self.use(self.where[line])


class L2:
    def __init__(self, sets):
        self.count = sets
        self.sets = collections.defaultdict(list)  # the most recent line last

    def hits(self, sector):
        lines = self.sets[sector % self.count]
        there = sector in lines
        if there:
            lines.remove(sector)
        elif len(lines) == L2_WAYS:
            lines.pop(0)
        lines.append(sector)
        return there


def home(row):
    """What a byte lies in, and where there."""
    if row["allocation_id"] is not None and row["allocation_byte"] is not None:
        return ("allocation", row["allocation_id"]), row["allocation_byte"]
    if row["bound_id"] is not None:
        return ("bound", row["bound_id"]), row["address"]
    if row["set"] is not None:
        return ("binding", row["set"], row["binding"], row["element"]), row["address"]
    return ("variable", row["module"], row["variable"]), row["address"]


def lines_of(rows, pages):
    """The lines of a request with their sectors, in the order in which lanes touch them first. Pages follow each other in the order
    in which they are touched."""
    lines = {}
    for row in rows:
        key, byte = home(row)
        for sector in range(byte // SECTOR, (byte + row["size"] - 1) // SECTOR + 1):
            page = pages.setdefault((key, sector * SECTOR // PAGE), len(pages))
            at = page * PAGE + sector * SECTOR % PAGE
            lines.setdefault(at // LINE, set()).add(at % LINE // SECTOR)
    return lines


def multiprocessors(rows, group, count):
    """Of each warp: workgroups, or warps, are dealt out in the order in which they begin."""
    begun = {}
    for row in rows:
        unit = (row["thread_x"] // group, row["thread_y"], row["thread_z"]) if group else row["warp"]
        begun[unit] = min(begun.get(unit, row["context"]), row["context"])
    order = {unit: i % count for i, unit in enumerate(sorted(begun, key=begun.get))}
    return {row["warp"]: order[(row["thread_x"] // group, row["thread_y"], row["thread_z"]) if group else row["warp"]] for row in rows}


def run_launch(rows, group, device, sums):
    warps = multiprocessors(rows, group, device.multiprocessors)
    l1s, l2, pages = collections.defaultdict(lambda: L1(device.l1_lines)), L2(device.l2_sets), {}
    requests = collections.defaultdict(list)
    for row in rows:
        requests[row["request"]].append(row)
    for number in sorted(requests):
        lanes = requests[number]
        first = lanes[0]
        came = sums[first["shader"], first["place"]]
        lines = lines_of(lanes, pages)
        came["requests"] += 1
        came["lanes"] += len({row["lane"] for row in lanes})
        came["bytes"] += sum(row["size"] for row in lanes)
        came["lines"] += len(lines)
        for line, sectors in lines.items():
            came["sectors"] += len(sectors)
            asked = sectors
            if first["access"] == "load":
                hits = l1s[warps[first["warp"]]].load(line, sectors)
                asked = sectors - hits
                came["l1_sectors"] += len(sectors)
                came["l1_hits"] += len(hits)
            elif first["access"] == "store":
                l1s[warps[first["warp"]]].store(line)
            for sector in sorted(asked):
                hit = l2.hits(line * (LINE // SECTOR) + sector)
                came["l2_sectors"] += 1
                came["l2_hits"] += hit
                came["memory_bytes"] += 0 if hit or first["access"] == "store" else SECTOR


def ask(accesses, work):
    query = os.path.join(work, "all.sql")
    with open(query, "w", encoding="utf-8") as file:
        file.write(QUERY)
    try:
        asked = subprocess.run(["node", ASK, f"accesses={accesses}", query], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        print("node is not installed")
        sys.exit(77)
    if asked.returncode == 77:
        print(asked.stdout.strip())
        sys.exit(77)
    if asked.returncode != 0:
        sys.exit(asked.stdout + asked.stderr)
    return json.loads(asked.stdout)["all"]


def check(program, options, group, work):
    """How many requests there were, and the failures."""
    capture, accesses = os.path.join(work, "c.wscope"), os.path.join(work, "a.parquet")
    status = subprocess.run([COMMAND, "record", "-q", "-p", "memory_trace", "-o", capture, "--", program, *options, "-o",
                             os.path.join(work, "x.png")], check=False).returncode
    if status == 3:
        print("no Vulkan device that can do it")
        sys.exit(77)
    if status != 0:
        sys.exit(f"recording {program} ended with {status}")
    subprocess.run([COMMAND, "export", "-q", capture, "--accesses", accesses], check=True, capture_output=True)
    launches = collections.defaultdict(list)
    for row in ask(accesses, work):
        launches[row["launch"]].append(row)
    failures = []
    for device in DEVICES:
        requests, failed = compare(f"{os.path.basename(program)}, {device.multiprocessors} multiprocessors", capture, launches, group, device, work)
        failures += failed
    return requests, failures


def compare(name, capture, launches, group, device, work):
    settings = os.path.join(work, "device.cache")
    with open(settings, "w", encoding="utf-8") as file:
        file.write(device.text or "")
    chosen = ["--caches", settings] if device.text else []
    report = json.loads(subprocess.run([COMMAND, "report", "-q", capture, "caches", "--json", *chosen], check=True,
                                       capture_output=True).stdout)["analyses"]["caches"]
    sums = collections.defaultdict(lambda: dict.fromkeys(FIGURES, 0))
    for number in sorted(launches):
        run_launch(launches[number], group, device, sums)
    told = {(row["shader_id"], row["place"]): {key: row[key] for key in FIGURES} for row in report["accesses"]}
    failures = [f"{name}, shader {key[0]}, access {key[1]}: {told.get(key)}, and not {sums.get(key)}"
                for key in sorted(told.keys() | sums.keys()) if told.get(key) != sums.get(key)]
    if not 0 < report["total"]["l1_hits"] < report["total"]["l1_sectors"]:
        failures.append(f"{name}: all hit, or none")
    return report["total"]["requests"], failures


def main():
    failures = []
    told = []
    for program, options, group in PROGRAMS:
        with tempfile.TemporaryDirectory() as work:
            requests, failed = check(program, options, group, work)
        told.append(f"{os.path.basename(program)}: {requests} requests")
        failures += failed
    print("\n".join(failures) if failures else f"{', '.join(told)}: as the plain model says")
    sys.exit(1 if failures else 0)


main()
