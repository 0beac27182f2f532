#!/usr/bin/env python3
"""usage: nan_found.py COMMAND PROGRAM NAN_PROBE. examples/probes/nan.glsl finds the NaNs of the fault `nan`: their line, how often
they are born, in which threads; and none in the repaired twin.

What was planted (examples/shader_faults/nan.comp): a pixel whose centre is less than 3 pixels from the pole takes 4 corners, each of
which has two triangles without area: 8 births. One that is from 3 to 6 pixels away has two such corners: 4 births. Pixels further
away have none. Pixel centres lie at halves, so that no squared distance is a whole number and none is on a boundary."""
import collections
import json
import os
import struct
import subprocess
import sys
import tempfile
import zlib

COMMAND, PROGRAM, NAN_PROBE = [os.path.abspath(path) for path in sys.argv[1:4]]
WIDTH, HEIGHT = 64, 60
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/shader_faults/nan.comp")
LINE = 1 + open(SOURCE).read().split("\n").index("    return normalize(across);")
BIRTHS = """\
//! output births: record { uint x; uint y; }
//! after Normalize function triangle_normal*
void after(vec3 result) { if (any(isnan(result))) record(births, pixel().x, pixel().y); }
"""
failed = False


def expect(what, found, expected):
    global failed
    if found != expected:
        print(f"{what}: {found!r} instead of {expected!r}")
        failed = True


def planted():
    births = {}
    for y in range(HEIGHT):
        for x in range(WIDTH):
            squared = (x + 0.5 - WIDTH // 2)**2 + (y + 0.5 - HEIGHT // 2)**2
            if squared < 36:
                births[x, y] = 8 if squared < 9 else 4
    return births


def pixels(path):
    """The pixels of a PNG of 8-bit RGB or RGBA by place."""
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += size + 12
    step = {2: 3, 6: 4}[data[25]]
    raw, above, found = zlib.decompress(packed), bytearray(WIDTH * step), {}
    for y in range(HEIGHT):
        start = y * (WIDTH * step + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + WIDTH * step])
        for i in range(len(row)):
            left, up, corner = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
            paeth = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
            row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        above = row
        found.update({(x, y): bytes(row[x * step:x * step + 3]) for x in range(WIDTH)})
    return found


def record(folder, name, *arguments):
    """What the probes yield, and the picture."""
    own = os.path.join(folder, "births.glsl")
    with open(own, "w") as file:
        file.write(BIRTHS)
    capture, picture = (os.path.join(folder, name + ending) for ending in (".wscope", ".png"))
    plain = os.path.join(folder, "plain.png")
    subprocess.run([PROGRAM, "nan", *arguments, "-o", plain], check=True, timeout=100)
    done = subprocess.run([COMMAND, "record", "-q", "--probe", NAN_PROBE, "--probe", own, "-o", capture, "--", PROGRAM, "nan",
                           *arguments, "-o", picture], check=False, timeout=200)
    if done.returncode != 0:
        sys.exit(f"record ended with {done.returncode}")
    expect(f"the picture of {name} under probes", open(picture, "rb").read() == open(plain, "rb").read(), True)
    report = subprocess.run([COMMAND, "report", capture, "probe", "--rows", "0", "--json"], capture_output=True, text=True, check=True)
    return json.loads(report.stdout)["analyses"]["probe"], pixels(picture)


with tempfile.TemporaryDirectory() as temporary:
    if subprocess.run([PROGRAM, "nan", "-o", os.path.join(temporary, "first.png")], check=False, timeout=100).returncode != 0:
        print("no Vulkan device runs the program")
        sys.exit(77)
    births = planted()
    found, faulty = record(temporary, "faulty")
    outputs = {row["output"]: row["count"] for row in found["outputs"] if row["probe"] == "nan" and row["count"] > 0}
    expect("outputs", outputs, {"in_normalize": sum(births.values()), "vector": sum(births.values())})
    expect("lines", [(os.path.basename(row["file"]), row["line"], row["count"]) for row in found["lines"] if row["output"] == "in_normalize"],
           [("nan.comp", LINE, sum(births.values()))])
    samples = [row["fields"] for row in found["records"] if row["probe"] == "nan"]
    expect("samples", len(samples), 1)
    for sample in samples:
        expect("the sample's pixel is a planted one", (sample["pixel_x"], sample["pixel_y"]) in births, True)
        expect("the vector without length", [abs(sample[axis]) for axis in "xyz"], [0, 0, 0])
    threads = collections.Counter((row["fields"]["x"], row["fields"]["y"]) for row in found["records"] if row["probe"] == "births")
    expect("births by pixel", dict(threads), births)
    repaired, whole = record(temporary, "repaired", "--repaired")
    expect("what the twin yields", sum(row["count"] for row in repaired["outputs"]), 0)
    expect("pixels that differ", {place for place in faulty if faulty[place] != whole[place]}, set(births))
sys.exit(1 if failed else 0)
