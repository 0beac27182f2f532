#!/usr/bin/env python3
"""usage: random_accesses.py COMMAND RUN GLSLANG [SEED]. What warps touch in random compute kernels, by brute force: each lane of each
warp is followed through the source, and what the lanes of a request touch is put into sets.

A kernel has branches, loops of different lengths that break and continue, and in them loads, stores and atomics of elements of 1, 2, 4,
8, 12 and 16 bytes and of members of larger ones, in a buffer and in workgroup memory, with strides and at random. Each stands
on a line of its own. Workgroups of 60 threads have a warp that is not full. Per line must be equal: requests, lanes, sectors of
32 bytes and lines of 128, or passes over banks, as counters have them and, but for passes, as records have them."""

import csv
import os
import random
import subprocess
import sys
import tempfile

COMMAND, RUN, GLSLANG = [os.path.abspath(path) for path in sys.argv[1:4]]
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1
KERNELS, GROUPS, ELEMENTS, SHARED = 2, 3, 2048, 256

# Per view of the buffer: its element, bytes from one to the next, and what may be accessed of one: what is written behind it, at which
# byte, of how many bytes, and the type.
VIEWS = {
    "bytes": ("uint8_t", 1, [("", 0, 1, "uint8_t")]),
    "halves": ("uint16_t", 2, [("", 0, 2, "uint16_t")]),
    "words": ("uint", 4, [("", 0, 4, "uint")]),
    "pairs": ("uvec2", 8, [("", 0, 8, "uvec2"), (".y", 4, 4, "uint")]),
    "quads": ("uvec4", 16, [("", 0, 16, "uvec4"), (".z", 8, 4, "uint")]),
    "items": ("Item", 20, [(".a", 0, 4, "uint"), (".b[1]", 8, 4, "uint"), (".c", 16, 2, "uint16_t")]),
    "vectors": ("uvec3", 16, [("", 0, 12, "uvec3")]),
    "tight": ("uvec3", 12, [("", 0, 12, "uvec3")]),  # some straddle two sectors, or two lines
}
BANKED = {
    "shared_words": ("uint", 4, [("", 0, 4, "uint")]),
    "shared_pairs": ("uvec2", 8, [("", 0, 8, "uvec2"), (".y", 4, 4, "uint")]),
    "shared_quads": ("uvec4", 16, [("", 0, 16, "uvec4")]),
}
HEAD = """#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = %d) in;
struct Item { uint a; uint b[3]; uint16_t c; };
%s
%s
void main()
{
uint x = (gl_GlobalInvocationID.x + 1u) * 747796405u;
uint id = gl_GlobalInvocationID.x;
uint y = 0u;
uint i[9];
"""
MASK = 0xffffffff


def mix(x, salt):
    x = ((x ^ salt) * 2654435761) & MASK
    return x ^ x >> 15


MIX = "uint mix_of(uint x, uint salt) { x = (x ^ salt) * 2654435761u; return x ^ x >> 15; }"


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.group = self.random.choice([32, 60, 64])
        views = "\n".join(f"layout({'scalar' if name == 'tight' else 'std430'}, binding = 0) buffer B_{name} {{ {view[0]} {name}[]; }};" for name, view in VIEWS.items())
        shared = "\n".join(f"shared {view[0]} {name}[{SHARED}];" for name, view in BANKED.items())
        self.lines = (HEAD % (self.group, views, shared + "\n" + MIX)).splitlines()
        self.left = 24
        self.tree = self.block(0, 0)
        self.lines.append(f"words[{ELEMENTS * 20 // 4 + 64}u + id] = y;")
        self.tree.append(("access", len(self.lines), "words", "store", ("linear", 1, ELEMENTS * 5 + 64), (0, 4)))
        self.lines.append("}")

    def access(self, depth):
        name = self.random.choice(list(VIEWS) + list(BANKED))
        element, _, parts = (VIEWS.get(name) or BANKED.get(name))
        suffix, offset, size, kind = self.random.choice(parts)
        what = self.random.choice(["load", "load", "store", "atomic"])
        what = "store" if what == "atomic" and kind != "uint" else what
        if self.random.random() < 0.6:
            index = ("linear", self.random.choice([0, 1, 1, 2, 3, 4, 8, 33]), self.random.randrange(64))
            text = f"id * {index[1]}u + {index[2]}u"
        else:
            index = ("mixed", self.random.randrange(1 << 16), self.random.choice([7, 63, 2047]))
            text = f"mix_of(x + id * 7u, {index[1]}u) & {index[2]}u"
        place = f"{name}[({text}) % {ELEMENTS if name in VIEWS else SHARED}u]{suffix}"
        if what == "atomic":
            self.lines.append(f"y += atomicAdd({place}, 3u);")
        elif what == "store":
            self.lines.append(f"{place} = {kind}(y);")
        else:
            self.lines.append(f"y += uint({place}{'.x' if kind.startswith('uvec') else ''});" if not kind.startswith("uvec") else
                              f"{{ {kind} v = {place}; y += v.x; }}")
        return ("access", len(self.lines), name, what, index, (offset, size))

    def condition(self):
        salt, part = self.random.randrange(1 << 16), self.random.choice([1, 8, 16, 31])
        return (salt, part), f"(mix_of(x, {salt}u) & 31u) < {part}u"

    def block(self, depth, loops):
        tree = []
        for _ in range(self.random.randrange(2, 5)):
            kind = self.random.random()
            self.left -= 1
            if self.left <= 0 or depth > 3 or kind < 0.45:
                tree.append(self.access(depth))
            elif kind < 0.55:
                salt = self.random.randrange(1 << 16)
                self.lines.append(f"x = mix_of(x, {salt}u);")
                tree.append(("change", salt))
            elif kind < 0.6 and loops > 0:
                condition, text = self.condition()
                way = self.random.choice(["break", "continue"])
                self.lines.append(f"if ({text}) {way};")
                tree.append((way, condition))
            elif kind < 0.8:
                condition, text = self.condition()
                self.lines.append(f"if ({text}) {{")
                taken = self.block(depth + 1, loops)
                self.lines.append("} else {")
                other = self.block(depth + 1, loops)
                self.lines.append("}")
                tree.append(("if", condition, taken, other))
            else:
                salt, most = self.random.randrange(1 << 16), self.random.choice([3, 3, 7])
                self.lines.append(f"for (i[{loops}] = 0u; i[{loops}] < (mix_of(x, {salt}u) & {most}u) && i[{loops}] < 5u; i[{loops}]++) {{")
                self.lines.append("x += 77u;")
                tree.append(("loop", salt, most, self.block(depth + 1, loops + 1)))
                self.lines.append("}")
        return tree


class Counts:
    def __init__(self):
        self.requests = self.lanes = self.sectors = self.lines = self.passes = 0


class Warp:
    """Follows the lanes of a warp, whose numbers of threads are given."""

    def __init__(self, ids, counts):
        self.ids, self.counts = ids, counts
        self.x = {lane: (thread + 1) * 747796405 & MASK for lane, thread in enumerate(ids)}
        self.broken, self.continued = [], []

    def holds(self, lane, condition):
        return (mix(self.x[lane], condition[0]) & 31) < condition[1]

    def request(self, line, name, index, part, lanes):
        counts = self.counts.setdefault((line, name in BANKED), Counts())
        stride, of = (VIEWS.get(name) or BANKED.get(name))[1], ELEMENTS if name in VIEWS else SHARED
        begins = []
        for lane in lanes:
            thread = self.ids[lane]
            number = (thread * index[1] + index[2] if index[0] == "linear" else
                      mix((self.x[lane] + thread * 7) & MASK, index[1]) & index[2])
            number = number % of if line != self.last else number
            begins.append(number * stride + part[0])
        counts.requests += 1
        counts.lanes += len(lanes)
        if name in BANKED:
            for word in range(part[1] // 4):
                words = {begin // 4 + word for begin in begins}
                counts.passes += max(sum(1 for each in words if each % 32 == bank) for bank in range(32))
            return
        for bytes_, figure in ((32, "sectors"), (128, "lines")):
            touched = {piece for begin in begins for piece in range(begin // bytes_, (begin + part[1] - 1) // bytes_ + 1)}
            setattr(counts, figure, getattr(counts, figure) + len(touched))

    def run(self, tree, lanes):
        """Returns the lanes that go on behind the block."""
        for node in tree:
            if not lanes:
                return lanes
            if node[0] == "access":
                self.request(node[1], node[2], node[4], node[5], lanes)
            elif node[0] == "change":
                for lane in lanes:
                    self.x[lane] = mix(self.x[lane], node[1])
            elif node[0] in ("break", "continue"):
                gone = [lane for lane in lanes if self.holds(lane, node[1])]
                (self.broken if node[0] == "break" else self.continued)[-1].update(gone)
                lanes = [lane for lane in lanes if lane not in gone]
            elif node[0] == "if":
                taken = [lane for lane in lanes if self.holds(lane, node[1])]
                other = [lane for lane in lanes if lane not in taken]
                lanes = sorted(self.run(node[2], taken) + self.run(node[3], other))
            else:
                self.loop(node, lanes)
        return lanes

    def loop(self, node, lanes):
        turn = 0
        while True:
            lanes = [lane for lane in lanes if turn < (mix(self.x[lane], node[1]) & node[2]) and turn < 5]
            if not lanes:
                return
            for lane in lanes:
                self.x[lane] = (self.x[lane] + 77) & MASK
            self.broken.append(set())
            self.continued.append(set())
            on = self.run(node[3], lanes)
            self.broken.pop()
            lanes = sorted(set(on) | self.continued.pop())
            turn += 1


def expect(kernel, width):
    counts = {}
    for groups in (1, GROUPS):
        for group in range(groups):
            for first in range(0, kernel.group, width):
                ids = [group * kernel.group + local for local in range(first, min(first + width, kernel.group))]
                warp = Warp(ids, counts)
                warp.last = kernel.tree[-1][1]
                warp.run(kernel.tree, list(range(len(ids))))
    return counts


def run(arguments):
    result = subprocess.run(arguments, capture_output=True, text=True)
    if result.returncode == 77 or "no Vulkan device" in result.stderr:
        print(result.stdout + result.stderr)
        sys.exit(77)
    if result.returncode != 0:
        sys.exit(f"{' '.join(arguments)} failed with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def read(capture, analysis, fields):
    text = run([COMMAND, "report", capture, analysis, "--csv", "--rows", "0", "--by", "place", "--fields",
                "line,memory," + ",".join(fields)])
    return list(csv.DictReader(text.splitlines()))


def compare(name, expected, rows, fields, what):
    found = {}
    for row in rows:
        if int(row["requests"] or 0) == 0:
            continue
        place = (int(row["line"]), row["memory"] == "workgroup")
        sums = found.setdefault(place, [0] * len(fields))
        for number, field in enumerate(fields):
            sums[number] += int(row[field] or 0)
    wrong = [(place, dict(zip(fields, found.get(place, []))), expected.get(place)) for place in sorted(set(found) | set(expected))
             if found.get(place) != expected.get(place)]
    for place, has, wants in wrong[:4]:
        print(f"{name}, {what}, line {place[0]}: {has}, and not {wants}")
    return not wrong and bool(found)


def main():
    failed, requests, places = False, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SEED, SEED + KERNELS):
            kernel = Kernel(seed)
            source, shader, capture = (os.path.join(folder, f"kernel.{kind}") for kind in ("comp", "spv", "wscope"))
            with open(source, "w", encoding="utf-8") as file:
                file.write("\n".join(kernel.lines) + "\n")
            run([GLSLANG, "-V", "-g", "--quiet", "--target-env", "vulkan1.2", "-o", shader, source])
            run([COMMAND, "record", "-q", "-p", "memory_access,memory_trace", "-o", capture, "--", RUN, shader, str(GROUPS)])
            rows = read(capture, "memory", ["requests", "lanes", "sectors", "lines", "passes"])
            width = int(run([COMMAND, "report", capture, "memory", "--csv", "--by", "launch", "--fields", "subgroup_size"]).splitlines()[1])
            counts = expect(kernel, width)
            requests += sum(count.requests for count in counts.values())
            places += len(counts)
            all_fields = ["requests", "lanes", "sectors", "lines", "passes"]
            wanted = {place: [getattr(count, field) for field in all_fields] for place, count in counts.items()}
            failed = not compare(f"kernel {seed}", wanted, rows, all_fields, "counters") or failed
            traced = {place: values[:4] for place, values in wanted.items() if not place[1]}
            failed = not compare(f"kernel {seed}", traced, read(capture, "caches", all_fields[:4]), all_fields[:4], "records") or failed
    print(f"{KERNELS} kernels, {places} places, {requests} requests of {width} lanes")
    sys.exit(failed)


main()
