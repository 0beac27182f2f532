#!/usr/bin/env python3
"""Holds every command that writes files to what a limit on their size leaves (ulimit -f), and a disk that is full.

    check_limits.py WARPSCOPE CAPTURE... MODULE

With a limit of half of what it writes, each command ends with status 1 and says which file it could not write, and why. It
leaves no file that was not there, and files that were there as they were; of pictures, those are there that were whole before.
What goes to standard output is told in the same way."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

WARPSCOPE, CAPTURES, MODULE = sys.argv[1], sys.argv[2:-1], sys.argv[-1]
REMEDY = "raise the limit on the size of files (ulimit -f)"
problems = []


def check(condition, text):
    if not condition:
        problems.append(text)
        print(text)


def named(part):
    return next(path for path in CAPTURES if os.path.basename(path).startswith(part))


def commands():
    """What is written: a file's name, or of a folder; and the command, without that name at its end."""
    rays = named("f_query")
    yield "page.html", ["html", rays, "-o"]
    yield "rays.csv", ["export", rays, "--rays"]
    yield "rays.txt", ["export", rays, "--rays"]
    yield "rays.jsonl", ["export", rays, "--rays"]
    yield "rays.parquet", ["export", rays, "--rays"]
    yield "met.parquet", ["export", rays, "--candidates"]
    yield "scene.glb", ["export", rays, "--gltf"]
    yield "scene.gltf", ["export", rays, "--gltf"]
    yield "slices.json", ["export", named("memory"), "--perfetto"]
    yield "records.parquet", ["export", named("memory"), "--records"]
    yield "accesses.parquet", ["export", named("memory"), "--accesses"]
    yield "counted.spv", ["instrument", "-p", "all", MODULE, "-o"]
    yield "rays/", ["export", rays, "--rays-format", "parquet", "--rays"]
    yield "geometry", ["export", rays, "--geometry"]
    yield "tables", ["report", rays, "all", "--csv-folder"]
    yield "plots", ["report", rays, "all", "--plots"]


def run(arguments, limit=None, stdout=subprocess.DEVNULL):
    def begin():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and children would
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.run([WARPSCOPE, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, check=False, preexec_fn=begin)


def files_below(folder):
    found = {}
    for place, folders, names in os.walk(folder):
        found.update({os.path.join(place, name): None for name in folders})
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                found[os.path.join(place, name)] = file.read()
    return found


def check_command(name, command, folder):
    out = os.path.join(folder, name)
    whole = run([*command, out])
    check(whole.returncode == 0, f"{command}: {whole.returncode}: {whole.stderr}")
    written = files_below(folder)
    largest = max(len(content) for content in written.values() if content is not None)
    shutil.rmtree(folder)
    os.mkdir(folder)
    limited = run([*command, out], largest // 2)
    said = " ".join(limited.stderr.split())
    check(limited.returncode == 1, f"{command} with a limit: {limited.returncode}: {limited.stderr}")
    check(REMEDY in said and (out.rstrip("/") in said or "temporary file" in said), f"{command} with a limit says: {limited.stderr}")
    left = files_below(folder)
    check(all(left[path] == written.get(path, b"no") for path in left if left[path] is not None),
          f"{command} with a limit leaves parts: {sorted(left)}")
    if name == "plots":
        return
    check(left == {}, f"{command} with a limit leaves {sorted(left)}")
    if name == "rays/":
        return
    run([*command, out])
    run([*command, out], largest // 2)
    check(files_below(folder) == written, f"{command} with a limit changes what was there")


def check_output(folder):
    """Standard output that is a file with a limit, or a full disk."""
    for command in (["report", named("f_query"), "all"], ["report", named("f_query"), "all", "--json"],
                    ["annotate", named("div_loop")], ["export", named("f_query"), "--rays", "-"], ["help", "words"]):
        with open(os.path.join(folder, "output"), "wb") as file:
            limited = run(command, 500, file)
        check(limited.returncode == 1 and REMEDY in limited.stderr, f"{command}: {limited.returncode}: {limited.stderr}")
        with open("/dev/full", "wb") as file:
            full = run(command, stdout=file)
        check(full.returncode == 1 and "No space left on device" in full.stderr, f"{command}: {full.returncode}: {full.stderr}")


with tempfile.TemporaryDirectory() as scratch:
    for at, (output, arguments) in enumerate(commands()):
        place = os.path.join(scratch, str(at))
        os.mkdir(place)
        check_command(output, arguments, place)
    check_output(scratch)
print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
