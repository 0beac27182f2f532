#!/usr/bin/env python3
"""Checks that every file that a source, a script or a page of ours names is in the repository.

Usage: check_mentions.py SOURCE_ROOT

A name counts that ends like a source of ours and stands outside of #include lines and string literals. A file that the
build generates, or that a system header has, is listed in OTHERS.
"""
import os
import re
import subprocess
import sys

OTHERS = {"primitives.c", "primitives.h", "probe_glsl.c", "probe_example.c", "cache_devices.c", "glslang_c_interface.h", "opcode_names.c", "extinst.glsl", "page.c", "spirv.h", "libspirv.h", "vulkan.h", "vulkan_core.h",
          "volk.h", "uthash.h", "rtcore.h", "vk_layer.h", "cJSON.h", "zstd.h", "xxhash.h",
          "LoaderLayerInterface.md", "OUT.c", "OUT.h", "NAME.c", "NAME_none.c", "scales.c", "stdint.h"}
NAME = re.compile(r"(?<![\w./*-])([A-Za-z0-9_]+(?:/[A-Za-z0-9_]+)*\.(?:c|h|glsl|md|py))\b(?!\w)")
SOURCES = (".c", ".h", ".glsl", ".md", ".py", ".build", ".txt")


def files_of(root):
    """What git has or would take; where there is no git, all but what is built, fetched or hidden."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
        if listed.returncode == 0:
            return listed.stdout.split()
    except FileNotFoundError:
        pass
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not re.match(r"\.|build|obj-|node_modules$", name)]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found


def prose(path, text):
    """The text without #include lines and string literals of C, each line in its place."""
    if path.endswith((".c", ".h", ".py")):
        text = re.sub(r'^\s*#\s*include.*$', "", text, flags=re.M)
        text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return text


def is_there(name, files, names):
    """A name alone needs a file of that name; one with folders, a path that ends so."""
    base = os.path.basename(name)
    if "/" not in name or base in OTHERS:
        return base in names
    return any(("/" + path).endswith("/" + name) for path in files)


def main():
    root = sys.argv[1]
    files = files_of(root)
    names = {os.path.basename(path) for path in files} | OTHERS
    faults = 0
    for path in files:
        if not path.endswith(SOURCES) or path == "tests/tree/check_mentions.py":
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = prose(path, file.read()).splitlines()
        for number, line in enumerate(lines, 1):
            for name in NAME.findall(line):
                if not is_there(name, files, names):
                    print(f"{path}:{number}: there is no {name}")
                    faults += 1
    print(f"{len(files)} files, {faults} names of files that are not there")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
