#!/usr/bin/env python3
"""Checks the rooms of the tree: a folder includes only folders that stand before it in its line.

Usage: check_includes.py SOURCE_ROOT [--graph]

Fails on an include that goes backwards, on an include that is not a full path, on a folder without a place in a line,
and on a folder of more than FILES_MAX files. --graph prints the folders with what each includes.
"""
import collections
import os
import re
import sys

FILES_MAX = 40

# What is installed for passes and for readers of captures, then what analyses build upon: the headers of base, spirv and of
# the rooms of analysis that are public. Their .c files stand in passes and analysis, in folders of the same names.
PUBLIC = ["include/warpscope"]
PUBLIC_CODE = ["include/warpscope/base", "include/warpscope/spirv"]
PUBLIC_ANALYSIS = ["include/warpscope/capture", "include/warpscope/code", "include/warpscope/model", "include/warpscope/output", "include/warpscope/report"]
PASSES = ["passes/base", "passes/spirv", "passes/flow", "passes/link", "passes/instrument", "passes/probe", "passes/settings"]
ROOMS = ["analysis/capture", "analysis/code", "analysis/model", "analysis/image", "analysis/output", "analysis/report"]
# The folders of analyses that are built in.
ANALYSES = ["analysis/simt", "analysis/memory/cache", "analysis/memory/texels", "analysis/memory/warps", "analysis/memory", "analysis/memory/links", "analysis/time", "analysis/trace", "analysis/compaction", "analysis/reorder/places", "analysis/reorder", "analysis/rays", "analysis/yields", "analysis/scene", "analysis/scene/bvh", "analysis/advice",
            "analysis/advice/shaders"]
MODEL = ["tests/model/program", "tests/model/run", "tests/model/capture", "tests/model/figures", "tests/model"]
# Lines of folders, from the ground up, each with what it stands upon. A folder may include itself, what its line stands
# upon, and what stands before it in its line.
LINES = [
    ([], PUBLIC + PUBLIC_CODE + PUBLIC_ANALYSIS),
    (PUBLIC + PUBLIC_CODE, PASSES),
    # A pass is written over the public headers only.
    (PUBLIC, ["passes"]),
    (PUBLIC + PUBLIC_CODE + PASSES, ["layer/process", "layer/core", "layer/memory", "layer/shader", "layer/resources", "layer/image", "layer/commands", "layer/submit",
                                     "layer/ray_tracing", "layer/loader"]),
    (PUBLIC + PUBLIC_CODE + ["passes/base"], ["layer/process", "layer/capture"]),
    (PUBLIC + PUBLIC_CODE + PUBLIC_ANALYSIS + PASSES, ROOMS),
    # So is an analysis.
    (PUBLIC + PUBLIC_CODE + PUBLIC_ANALYSIS, ANALYSES),
    (PUBLIC + PUBLIC_CODE + PUBLIC_ANALYSIS + PASSES + ROOMS + ANALYSES,
     ["analysis/summary", "analysis/annotate", "analysis/export", "analysis/diff", "analysis/viewer", "analysis/viewer/rays", "analysis/viewer/scene",
      "analysis/viewer/shaders", "analysis/probe", "analysis/command", "analysis/command/probe", "analysis/command/record"]),
    # The model knows of the project what programs and captures are; it compares figures with those of analyses.
    (PUBLIC + PUBLIC_CODE, MODEL),
    (PUBLIC_ANALYSIS + PASSES + ROOMS + ANALYSES, MODEL[MODEL.index("tests/model/figures"):]),
]
# Single steps aside: the first folder may include the second too.
ASIDE = [
    ("layer/core", "layer/capture"), ("layer/memory", "layer/capture"), ("layer/shader", "layer/capture"),
    ("layer/resources", "layer/capture"), ("layer/image", "layer/capture"), ("layer/commands", "layer/capture"), ("layer/submit", "layer/capture"), ("layer/ray_tracing", "layer/capture"),
    ("layer/loader", "layer/capture"),
    ("tests/model/run", "tests/unit/passes/spirv"), ("tests/model/capture", "layer/capture"), ("tests/model/capture", "analysis/capture"),
    ("tests/model/figures", "analysis/annotate"), ("tests/model", "tests/unit/passes/spirv"), ("tests/model", "examples/base"),
    ("tests/model", "layer/commands"),
]
# A file that stands in one folder for those who look for it, and upon what another one stands upon.
AS_IF_IN = {"include/warpscope/analysis.h": "include/warpscope/report"}
# Edges that go backwards today, to be cut.
TO_CUT = set()
# Folders whose files nobody includes.
ROOTS = {"passes/primitives"}


def allowed():
    may = collections.defaultdict(set)
    for upon, line in LINES:
        for place, folder in enumerate(line):
            may[folder] |= set(upon) | set(line[: place + 1])
    for folder, other in ASIDE:
        may[folder].add(other)
    return may


def sources(root):
    for top in ("include", "passes", "layer", "analysis", "tests/model"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".glsl")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def folder_of(include):
    path = f"include/{include}" if include.startswith("warpscope/") else include
    return AS_IF_IN.get(path, os.path.dirname(path))


def check(root):
    may = allowed()
    files = collections.Counter()
    edges = collections.Counter()
    faults = []
    for path in sources(root):
        folder = AS_IF_IN.get(path, os.path.dirname(path))
        files[os.path.dirname(path)] += 1
        if folder not in may and folder not in ROOTS:
            faults.append(f"{path}: the folder {folder} has no place in a line of tests/tree/check_includes.py")
            continue
        if folder in ROOTS:
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        for number, line in enumerate(lines, 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if match is None:
                continue
            target = folder_of(match.group(1))
            edges[folder, target] += 1
            if "/" not in match.group(1) or ".." in match.group(1):
                faults.append(f'{path}:{number}: "{match.group(1)}" is not a full path from the root')
            elif (target not in may[folder] and (folder, target) not in TO_CUT
                  and match.group(1) != "passes/primitives.h"):
                faults.append(f"{path}:{number}: {folder} includes {target}, which does not stand before it")
    for folder, count in files.items():
        if count > FILES_MAX:
            faults.append(f"{folder} has {count} files; {FILES_MAX} are the most for one concept of a folder")
    return files, edges, faults


def main():
    files, edges, faults = check(sys.argv[1])
    if "--graph" in sys.argv[2:]:
        for folder in sorted(files):
            included = sorted(to for (from_, to) in edges if from_ == folder and to != folder)
            print(f"{folder} ({files[folder]}): {' '.join(included)}")
    for fault in faults:
        print(fault)
    print(f"{len(files)} folders, {len(edges)} edges, largest {max(files.values())} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
