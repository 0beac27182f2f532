#!/usr/bin/env python3
"""Records programs with --image: the image of their last launch is the picture that they write, texel by texel.

Usage: taken.py WARPSCOPE LAYER_FOLDER FOLDER PROGRAM [ARGUMENT...]

With `--validated` before these, the Khronos validation layer stands below, and may say nothing. FOLDER takes the files.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib


def read_png(path):
    """Width, height and the red, green and blue bytes of an 8-bit PNG of RGB or RGBA."""
    with open(path, "rb") as file:
        data = file.read()
    place, packed = 8, b""
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + size]
        if kind == b"IHDR":
            width, height, bits, colours = struct.unpack(">IIBB", body[:10])
            assert bits == 8 and colours in (2, 6), (bits, colours)
            step = 3 if colours == 2 else 4
        elif kind == b"IDAT":
            packed += body
        place += 12 + size
    raw = zlib.decompress(packed)
    rows, before = bytearray(), bytearray(width * step)
    for y in range(height):
        start = y * (width * step + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for i, value in enumerate(row):
            left = row[i - step] if i >= step else 0
            above = before[i]
            corner = before[i - step] if i >= step else 0
            row[i] = value + predict(kind, left, above, corner) & 255
        before = row
        for x in range(width):
            rows += row[x * step:x * step + 3]
    return width, height, bytes(rows)


def predict(kind, left, above, corner):
    if kind < 4:
        return (0, left, above, (left + above) // 2)[kind]
    guess = left + above - corner
    return min((abs(guess - left), 0, left), (abs(guess - above), 1, above), (abs(guess - corner), 2, corner))[2]


def main():
    arguments = sys.argv[1:]
    validated = arguments[0] == "--validated"
    warpscope, layers, folder, *program = arguments[1:] if validated else arguments
    work = tempfile.mkdtemp(dir=folder)
    capture, picture, image = (os.path.join(work, name) for name in ("capture.wscope", "picture.png", "image.png"))
    environment = dict(os.environ, VK_LAYER_PATH=layers, VK_INSTANCE_LAYERS="VK_LAYER_WARPSCOPE_capture",
                       WARPSCOPE_PASSES="time", WARPSCOPE_IMAGE="on", WARPSCOPE_OUTPUT=capture)
    if validated:
        environment["VK_INSTANCE_LAYERS"] += ":VK_LAYER_KHRONOS_validation"
        environment["VK_LAYER_ENABLES"] = "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
    try:
        run = subprocess.run(program + ["-o", picture], env=environment, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False)
        if run.returncode == 3:
            print("no device that can do it")
            return 77
        said = [line for line in run.stdout.splitlines() if "the capture goes to" not in line]
        if run.returncode != 0 or "Validation" in run.stdout or any("warpscope" in line for line in said):
            print(f"exit status {run.returncode}:", *said, sep="\n")
            return 1
        subprocess.run([warpscope, "export", capture, "--image", image], check=True)
        if read_png(picture) != read_png(image):
            print("the image in the capture is not the picture that the program wrote")
            return 1
        out = subprocess.run([os.path.abspath(warpscope), "export", capture, "--image", "-"], check=True,
                             stdout=subprocess.PIPE, cwd=work)
        with open(image, "rb") as file:
            if out.stdout != file.read() or os.path.exists(os.path.join(work, "-")):
                print("export --image - does not write to standard output what it writes to a file")
                return 1
    finally:
        shutil.rmtree(work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
