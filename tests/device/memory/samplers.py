#!/usr/bin/env python3
"""usage: samplers.py COMMAND SAMPLERS. What `report caches` says of samplers.comp, sample by sample: the texels that the Vulkan
specification (Image Operations) gives each sampler, in the tiles of warpscope/spirv/texels.h; some of them by hand. And that
`report memory`, whose counters have one texel of each sample, says so."""

import json
import math
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM = [os.path.abspath(path) for path in sys.argv[1:3]]
GROUPS, SIZE, SIDE, LEVELS = 2, 64, 16, 5

WRAPS = {
    "repeat": lambda i, size: i % size,
    "mirror": lambda i, size: min(i % (2 * size), 2 * size - 1 - i % (2 * size)),
    "clamp": lambda i, size: min(max(i, 0), size - 1),
    "border": lambda i, size: i if 0 <= i < size else None,
}


def along(part, size, linear, offset=0):
    """The texels along an axis, before they are wrapped."""
    first = math.floor(part * size - (0.5 if linear else 0)) + offset
    return [first, first + 1] if linear else [first]


def flat(x, y, wrap, linear=True, level=0, offset=(0, 0)):
    size = SIDE >> level
    at = [[WRAPS[wrap](i, size) for i in along(part, size, linear, by)] for part, by in ((x, offset[0]), (y, offset[1]))]
    return {(i, j, level) for i in at[0] for j in at[1] if i is not None and j is not None}


def texels_x(t):
    return (t - 20) / 16


def mixed(t):
    """The bias of 0.5 is added to half of t & 3. A whole level is one."""
    level = (t & 3) * 0.5 + 0.5
    found = flat(texels_x(t), 0.5, "repeat", level=math.floor(level))
    return found if level == math.floor(level) else found | flat(texels_x(t), 0.5, "repeat", level=math.floor(level) + 1)


def counted(t):
    first = math.floor(t * 0.25 - 0.5)
    return {(min(max(i, 0), SIDE - 1), j, 0) for i in (first, first + 1) for j in (2, 3)}


def wide(t):
    """16383.5 is the middle of the last of 16384. Of thread 1 it is the edge between 16126 and 16127."""
    first = math.floor(16383.5 - 256.5 * t - 0.5)
    return {(min(i, 16383), j, 0) for i in (first, first + 1) for j in (0, 1)}


def solid(t):
    x = [i % SIDE for i in along(texels_x(t), SIDE, True)]
    return {(i, j, k) for i in x for j in (7, 8) for k in x}


def cube(t):
    """Towards +x up to z = 1, where -z goes across; then +z, where x does. What is left of the first is on the second, at its right,
    and the other way round."""
    z = 0.75 + t / 128
    face, across = (4, 1 / z) if z >= 1 else (0, -z)
    found = set()
    for i in along(0.5 * across + 0.5, SIDE, True):
        here = (4, SIDE - 1) if face == 0 and i < 0 else (0, 0) if face == 4 and i >= SIDE else (face, i)
        found |= {(here[1], j, here[0]) for j in (7, 8)}
    return found


def tiles(texel):
    return (texel[0] // 4, texel[1] // 2, *texel[2:]), (texel[0] // 8, texel[1] // 4, *texel[2:])


def cubes(texel):
    return tuple(i // 2 for i in texel), (texel[0] // 4, texel[1] // 4, texel[2] // 2)


# In the order of samplers.comp: binding, texels by the number of the thread, whether counters have all of them.
EXPECTED = [
    ("repeated", lambda t: flat(texels_x(t), 0.5, "repeat"), False),
    ("mirrored", lambda t: flat(texels_x(t), 0.03125, "mirror"), False),
    ("clamped", lambda t: flat(texels_x(t), -1, "clamp"), False),
    ("bordered", lambda t: flat(texels_x(t), 0, "border"), False),
    ("near", lambda t: flat(texels_x(t) + 0.03125, 0.5, "mirror", False), False),
    ("mixed", mixed, False),
    ("limited", lambda t: flat(texels_x(t) + 0.03125, 0.5, "repeat", False, min(max(t & 3, 1), 2)), False),
    ("halves", lambda t: flat(texels_x(t), 0.5, "repeat", t & 1 == 1, t & 1), False),
    ("counted", counted, False),
    ("solid", solid, False),
    ("cube", cube, False),
    ("bordered", lambda t: flat(texels_x(t), 0, "border"), False),
    ("repeated", lambda t: flat(texels_x(t), 0.5, "repeat"), False),
    ("mirrored", lambda t: flat(texels_x(t), 0.5, "mirror", offset=(-3, 1)), False),
    ("plain", lambda t: flat(texels_x(t) + 0.03125, 0.5, "repeat", False), True),
    ("wide", wide, False),
    ("repeated", lambda t: flat(texels_x(t) + 5000, -777, "repeat"), False),
    ("mirrored", lambda t: flat(texels_x(t) - 4097, 131.03125, "mirror"), False),
    ("bordered", lambda t: flat(texels_x(t) * 1e30, 0.5, "border"), False),
]

# Texels of some threads, worked out by hand: number of the sample, thread, texels.
BY_HAND = [
    # -20 / 16 x 16 - 0.5 = -20.5: texels -21 and -20 are 11 and 12 of 16, in rows 7 and 8.
    (0, 0, {(11, 7, 0), (12, 7, 0), (11, 8, 0), (12, 8, 0)}),
    # Mirrored -21 is 20, and 32 texels on it is what 11 is; -20 is 12. A coordinate of half a texel is row 0, and none beside it.
    (1, 0, {(11, 0, 0), (12, 0, 0), (11, 1, 0), (12, 1, 0)}),
    (1, 20, {(0, 0, 0), (0, 1, 0)}),
    (2, 0, {(0, 0, 0)}),
    (2, 63, {(15, 0, 0)}),
    # Half is on the border: of 0.0 texels -1 and 0. Of thread 0 all are.
    (3, 20, {(0, 0, 0)}),
    (3, 0, set()),
    (4, 19, {(0, 8, 0)}),
    # Level 0.5 is between 0 and 1.
    (5, 24, {(3, 7, 0), (4, 7, 0), (3, 8, 0), (4, 8, 0), (1, 3, 1), (2, 3, 1), (1, 4, 1), (2, 4, 1)}),
    (6, 24, {(2, 4, 1)}),
    (7, 24, {(4, 8, 0)}),
    (8, 0, {(0, 2, 0), (0, 3, 0)}),
    (15, 0, {(16383, 0, 0), (16383, 1, 0)}),
    (15, 1, {(16126, 0, 0), (16127, 0, 0), (16126, 1, 0), (16127, 1, 0)}),
    (15, 63, {(223, 0, 0), (224, 0, 0), (223, 1, 0), (224, 1, 0)}),
    # -4098.25 is an even number of images from -0.25, which mirrored is 0.25; 131.03125 an odd number, of which half a texel is the last row.
    (17, 0, {(3, 14, 0), (4, 14, 0), (3, 15, 0), (4, 15, 0)}),
    (10, 31, {(0, 7, 0), (15, 7, 4), (0, 8, 0), (15, 8, 4)}),
]


def expect(texels, width, of_tile):
    found = {"requests": 0, "lanes": 0, "bytes": 0, "sectors": 0, "lines": 0}
    for first in range(0, SIZE, width):
        lanes = [texels(t) for t in range(first, min(first + width, SIZE))]
        together = set().union(*lanes)
        found["requests"] += GROUPS
        found["lanes"] += GROUPS * len(lanes)
        found["bytes"] += GROUPS * 4 * sum(len(lane) for lane in lanes)
        found["sectors"] += GROUPS * len({of_tile(texel)[0] for texel in together})
        found["lines"] += GROUPS * len({of_tile(texel)[1] for texel in together})
    return found


def check(caches, memory, width):
    failures = []
    if len(caches) != len(EXPECTED) + 1 or len(memory) != len(EXPECTED) + 1:
        failures.append(f"{len(caches)} accesses, and {len(memory)}, and not {len(EXPECTED) + 1}")
    for number, (row, count, (name, texels, counts)) in enumerate(zip(caches, memory, EXPECTED)):
        wanted = expect(texels, width, cubes if name == "solid" else tiles)
        found = {key: row[key] for key in wanted}
        if found != wanted or not row["buffer"].startswith(name + " "):
            failures.append(f"sample {number}, {row['buffer']}: {found}, and not {wanted}")
        if (row["assumed"], row["pointed"], row["unmodelled"]) != (0, 0, 0):
            failures.append(f"sample {number}: {row['pointed']} requests are of a sampler that is not known")
        if count["pointed"] != (0 if counts else count["requests"]):
            failures.append(f"sample {number}: of {count['pointed']} of {count['requests']} requests one texel is said to count")
        if counts and any(row[key] != count[key] for key in wanted):
            failures.append(f"sample {number}: counters say {count}")
    return failures


def main():
    failures = [f"sample {number}, thread {t}: the test itself says {sorted(EXPECTED[number][1](t))}, by hand {sorted(texels)}"
                for number, t, texels in BY_HAND if EXPECTED[number][1](t) != texels]
    with tempfile.TemporaryDirectory() as work:
        capture = os.path.join(work, "c.wscope")
        status = subprocess.run([COMMAND, "record", "-q", "-p", "memory_access,memory_trace", "-o", capture, "--", PROGRAM], check=False)
        if status.returncode == 77:
            sys.exit(77)
        if status.returncode != 0:
            sys.exit("it could not be recorded")
        reports = [json.loads(subprocess.run([COMMAND, "report", capture, name, "--json"], check=True,
                                             capture_output=True).stdout)["analyses"][name] for name in ("caches", "memory")]
    width = reports[1]["launches"][0]["subgroup_size"]
    rows = [sorted(report["accesses"], key=lambda row: row["line"]) for report in reports]
    failures += check(*rows, width)
    print("\n".join(failures) if failures else f"{len(EXPECTED)} samples, warps of {width}: as expected")
    sys.exit(1 if failures else 0)


main()
