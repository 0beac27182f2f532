#!/usr/bin/env python3
"""usage: texels.py COMMAND TEXELS INPUTS. What `report memory` says of texels.comp from counters, and `report caches` from records,
access by access, against the distinct sectors and lines that its texels have in the model of warpscope/spirv/texels.h, found by
sets of tiles. And what it says of levels.frag and inputs.frag, by hand."""

import json
import math
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM, INPUTS = [os.path.abspath(path) for path in sys.argv[1:4]]
GROUPS, SIZE = 2, 64
BUFFER, IMAGE, TEXELS = "storage buffer", "image", "texel buffer"

# Tiles of the header's table: bytes of a texel -> texels of a sector, of a line.
TILES = {4: ((4, 2), (8, 4)), 8: ((2, 2), (4, 4)), 16: ((2, 1), (4, 2))}
# Of BC1 8 bytes have 4 x 4 texels: a sector has 2 x 2 of these blocks, a line 4 x 4.
TILES["BC1"] = ((8, 8), (16, 16))
CUBES = {1: ((4, 4, 2), (8, 4, 4)), 4: ((2, 2, 2), (4, 4, 2))}


def flat(size, x, y, *apart):
    return [(x // width, y // height, *apart) for width, height in TILES[size]]


def solid(size, x, y, z):
    return [(x // width, y // height, z // depth) for width, height, depth in CUBES[size]]


def linear(size, element):
    return [size * element // 32, size * element // 128]


def around(part, size, offset=0):
    return (math.floor(part * size) + offset) % size


def face(t):
    """Of a direction whose x is -1 or 1, its y 0.1, and its z from 0.9 down to -0.1: x, y and the face."""
    x, y, z = (t & 1) * 2.0 - 1.0, 0.1, 0.9 - part(t)
    across = -z if x > 0 else z
    return around(0.5 * across + 0.5, 64), around(0.5 * -y + 0.5, 64), 0 if x > 0 else 1


def part(t):
    return (t + 0.5) / 64


def cube_z(t):
    """Of -z: x is -0.1, y is -(0.9 - part). Where the direction goes 0.5 in z, the place goes 0.25 of what it is; of 64 texels."""
    x, y = -0.1, -(0.9 - part(t))
    level = math.log2(16 * math.hypot(x, y))
    assert abs(level % 1 - 0.5) > 0.001, "the level is the same in floats of 32 bits"
    level = max(math.ceil(level - 0.5), 0)
    return around(0.5 * x + 0.5, 64 >> level), around(0.5 * y + 0.5, 64 >> level), level, 5


def cubes(t):
    """Of a direction whose y is -1 or 1: x is 0.1, z up or down."""
    y, z = (t & 1) * 2.0 - 1.0, 0.9 - part(t)
    return around(0.5 * 0.1 + 0.5, 32), around(0.5 * y * z + 0.5, 32), 6 * (t >> 2 & 1) + (2 if y > 0 else 3)


WORDS, WIDE, SOLID, LAYERS, PICTURE, CUBE, VOLUME, CUBE_ARRAY = [
    f"{name} (set 0, binding {number})"
    for number, name in enumerate(("words", "wide", "solid", "layers", "picture", "cube", "volume", "cubes"))]
ROW, COLUMN, SUMS = "row (set 0, binding 8)", "column (set 0, binding 9)", "Sums (set 0, binding 10)"

# In the order of texels.comp: what it touches, access, memory, bytes as the shader says them (4 where it does not), bytes by what
# was bound, sector and line by the number of the thread, who is there.
EXPECTED = [
    (WORDS, "load", IMAGE, 4, 4, lambda t: flat(4, t, 0)),
    (WORDS, "load", IMAGE, 4, 4, lambda t: flat(4, 0, t)),
    (WORDS, "load", IMAGE, 4, 4, lambda t: flat(4, t & 3, t >> 2)),
    (WORDS, "atomic", IMAGE, 4, 4, lambda t: flat(4, t & 1, 63)),
    (WIDE, "store", IMAGE, 4, 16, lambda t: flat(16, t, 5)),
    (SOLID, "load", IMAGE, 4, 4, lambda t: solid(4, t & 1, t >> 1 & 1, t >> 2)),
    (LAYERS, "load", IMAGE, 4, 8, lambda t: flat(8, 7, 7, t)),
    (PICTURE, "load", IMAGE, 4, 4, lambda t: flat(4, t & 31, 3, t & 1)),
    (ROW, "load", TEXELS, 4, 8, lambda t: linear(8, 3 * t + 32)),
    (COLUMN, "load", TEXELS, 4, 4, lambda t: linear(4, t)),
    (COLUMN, "atomic", TEXELS, 4, 4, lambda t: linear(4, 5)),
    (PICTURE, "load", IMAGE, 4, 4, lambda t: flat(4, around(part(t), 64), 0)),
    (PICTURE, "load", IMAGE, 4, 4, lambda t: flat(4, around(part(t), 64 >> (t & 2)), 0, t & 2)),
    (PICTURE, "load", IMAGE, 4, 4, lambda t: flat(4, around(part(t) + 3, 32), 31, 1)),
    # Four texels from lane to lane in x, two in y: level 2, of 16 x 16.
    (PICTURE, "load", IMAGE, 4, 4, lambda t: flat(4, around(part(t), 16), 8, 2)),
    (PICTURE, "load", IMAGE, 4, 4, lambda t: flat(4, around(part(t), 64, -2), 33)),
    (CUBE, "load", IMAGE, 4, 8, lambda t: flat(8, *face(t))),
    # On +x half a step of 0.0625 across and of 0.03125 down, times 64 texels: two and one. That is level 1, of 32 x 32.
    (CUBE, "load", IMAGE, 4, 8, lambda t: flat(8, around(0.5 * (part(t) - 0.9) + 0.5, 32), around(0.45, 32), 1, 0)),
    (CUBE, "load", IMAGE, 4, 8, lambda t: flat(8, *cube_z(t))),
    (CUBE_ARRAY, "load", IMAGE, 4, 8, lambda t: flat("BC1", *cubes(t))),
    (VOLUME, "load", IMAGE, 4, 1, lambda t: solid(1, around(part(t), 16), 15, around(part(t), 16))),
    (PICTURE, "load", IMAGE, 4, 4, lambda t: flat(4, 19, around(part(t), 64))),
    (PICTURE, "load", IMAGE, 4, 4, lambda t: flat(4, t, t), lambda t: t & 1 != 0),
    (SUMS, "store", BUFFER, 4, 4, lambda t: linear(4, t)),
]
# The access of fetch(), which stands first: its image is a parameter, for which the one call gives the picture.
FETCH = (PICTURE, "load", IMAGE, 4, 4, lambda t: flat(4, t, 62))

# A gather, of which counters have the texel that it points to, and records all four: u - 0.5 is 18.7, and v - 0.5 is t.
GATHER = 21
GATHERED = (PICTURE, "load", IMAGE, 4, 16, lambda t: {tuple(flat(4, x, y)) for x in (18, 19) for y in (t, (t + 1) % 64)})

# Worked out by hand, for warps of 8: sectors and lines of each of the first. A row of 8 texels is two tiles of 4 x 2; a column
# four, in two lines of 8 x 4; 4 x 2 texels one. 8 texels of 16 bytes are four tiles of 2 x 1, in two of 4 x 2; 2 x 2 x 2 texels one.
# Layers are apart; and levels, of which each has every other of 8 texels: two tiles, one line.
# Of a texel buffer every third of 8 bytes, from a multiple of 64 on: those at 0, 24, 48, ... 168 are in sectors 0, 0, 1, 2, 3, 3, 4
# and 5, and in two lines.
BY_HAND = [(2, 1), (4, 2), (1, 1), (1, 1), (4, 2), (1, 1), (8, 8), (4, 2), (6, 2), (1, 1), (1, 1), (2, 1)]


def expect(row, width):
    name, kind, memory, size, lane_bytes, place, *active = row
    found = {"buffer": name, "access": kind, "memory": memory, "size": size, "lane_bytes": lane_bytes, "requests": 0, "lanes": 0, "sectors": 0, "lines": 0}
    for first in range(0, SIZE, width):
        lanes = [place(t) for t in range(first, min(first + width, SIZE)) if not active or active[0](t)]
        if lanes:
            tiles = set().union(*lanes) if isinstance(lanes[0], set) else lanes
            found["requests"] += GROUPS
            found["lanes"] += GROUPS * len(lanes)
            found["sectors"] += GROUPS * len({sector for sector, _ in tiles})
            found["lines"] += GROUPS * len({line for _, line in tiles})
    return found


def check(rows, width, gathers_all):
    failures = []
    places = EXPECTED[:GATHER] + [GATHERED if gathers_all else EXPECTED[GATHER]] + EXPECTED[GATHER + 1:]
    if len(rows) != 1 + len(EXPECTED):
        failures.append(f"{len(rows)} accesses, and not {1 + len(EXPECTED)}")
    for number, (row, expected) in enumerate(zip(rows, [FETCH] + places)):
        wanted = expect(expected, width)
        found = {name: row[name] for name in wanted}
        if found != wanted:
            failures.append(f"access {number}: {found}, and not {wanted}")
        if row["assumed"] != 0:
            failures.append(f"access {number}: of {row['assumed']} requests the size is assumed")
        known = BY_HAND[number - 1] if width == 8 and 0 < number <= len(BY_HAND) else None
        if known and (row["sectors"] / row["requests"], row["lines"] / row["requests"]) != known:
            failures.append(f"access {number}: {row['sectors']} sectors, {row['lines']} lines, by hand {known} in each of {row['requests']}")
    return failures


def check_bound(rows):
    """What each binding is; of a view what it shows."""
    bound = {row["buffer"]: (row["bound"] or "").split(" ")[0] for row in rows}
    wanted = {name: "image" for name in (WORDS, WIDE, SOLID, LAYERS, PICTURE, CUBE, VOLUME, CUBE_ARRAY)} | {ROW: "buffer", COLUMN: "buffer", SUMS: "buffer"}
    numbers = [row["bound"] for row in rows if row["bound"]]
    return [] if bound == wanted and len(set(numbers)) == 11 else [f"what is bound: {[(row['buffer'], row['bound']) for row in rows]}"]


def check_levels(rows, width):
    """16 x 16 pixels in quads, in warps of rows of these. Four texels from pixel to pixel make level 2, at which it is one texel: 8
    pixels are in one sector of 4 x 2. With a bias of -1 it is level 1, and 2 texels: a sector has 2 pixels. A quarter of the
    coordinates is one texel at level 0. Projected, it is as the first."""
    near = (256, 256 // min(width, 8))
    wanted = [near, (256, 256 // 2), near, near]
    found = [(row["lanes"], row["sectors"]) for row in rows]
    return [] if found == wanted else [f"levels by derivatives: lanes and sectors are {found}, by hand {wanted}"]


def check_inputs(rows):
    """16 x 16 pixels, in warps of rows of quads: texels lie where pixels do. Odd pixels read once more, half of the lanes in the
    same sectors. By the view a texel has 8 bytes, and each quad its sector."""
    wanted = [(256, 256 // 4, 8, 0), (128, 256 // 4, 8, 0)]
    found = [(row["lanes"], row["sectors"], row["lane_bytes"], row["assumed"]) for row in rows]
    return [] if found == wanted else [f"subpass inputs: lanes and sectors are {found}, by hand {wanted}"]


def record(work, passes, *program):
    capture = os.path.join(work, "c.wscope")
    status = subprocess.run([COMMAND, "record", "-q", "-p", passes, "-o", capture, "--", *program], check=False)
    if status.returncode == 77:
        sys.exit(77)
    if status.returncode != 0:
        sys.exit("it could not be recorded")
    return [json.loads(subprocess.run([COMMAND, "report", capture, analysis, "--json"], check=True,
                                      capture_output=True).stdout)["analyses"][analysis] for analysis in ("memory", "caches")]


def main():
    with tempfile.TemporaryDirectory() as work:
        capture = os.path.join(work, "c.wscope")
        memory, caches = record(work, "memory_access,memory_trace", PROGRAM)
        text = subprocess.run([COMMAND, "report", capture, "memory"], check=True, capture_output=True, text=True).stdout
        width = memory["launches"][0]["subgroup_size"]
        # Mesa's software device ends where it draws textures with warps of 16 lanes, also without the layer.
        draws = width != 16
        inputs = record(work, "memory_access,memory_trace", INPUTS) if draws else []
        levels = record(work, "memory_access,memory_trace", PROGRAM, "levels") if draws else []
    failures = []
    for report in (memory, caches):
        rows = sorted(report["accesses"], key=lambda row: row["line"])
        failures += check(rows, width, report is caches) + check_bound(report["buffers"])
        pointed = [number for number, row in enumerate(rows) if row["pointed"] != 0]
        if pointed != ([1 + GATHER] if report is memory else []):
            failures.append(f"one texel of several is said to count of {pointed}")
    for report in inputs:
        failures += check_inputs(sorted(report["accesses"], key=lambda row: row["place"]))
    for report in levels:
        failures += check_levels(sorted(report["accesses"], key=lambda row: row["place"]), width)
    if "not recorded" in text or "left out" in text:
        failures.append(f"something is left out: {text}")
    print("\n".join(failures) if failures else f"{len(rows)} accesses to texels, warps of {width}: as expected{'' if draws else '; levels by derivatives were not drawn'}")
    sys.exit(1 if failures else 0)


main()
