#!/usr/bin/env python3
"""Usage: needs.py SOURCE_ROOT BUILD_ROOT. What scripts/setup installs is what the build asks for: whatever meson looks for
is in its list, for the demo where the demo builds with it, and the demo needs nothing that only tests need."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE, BUILD = (pathlib.Path(name).absolute() for name in sys.argv[1:3])

# What meson looks for by another name than the list, or what comes with a compiler.
WITH_COMPILER = {"threads", "m", "dl", "stdc++"}
OTHER_NAMES = {"embree3": "embree3/rtcore.h", "node": "npm", "spirv-as": "SPIRV-Tools", "spirv-opt": "SPIRV-Tools"}

failures = []


def check(condition, message):
    if not condition:
        failures.append(message)


def listed():
    """{name by which a system is asked: purpose} and the purposes by package, of the list in scripts/setup."""
    text = (SOURCE / "scripts/setup").read_text(encoding="utf-8")
    lines = re.search(r"^needs='\n(.*?)\n'$", text, re.MULTILINE | re.DOTALL).group(1).split("\n")
    names, packages = {}, {}
    for line in lines:
        fields = line.split(None, 4)
        check(len(fields) == 5, f"five columns are wanted: {line}")
        package, purpose, kind, name, _ = fields
        check(purpose in ("demo", "test") and kind in "cph-", f"unknown words: {line}")
        check(package not in packages, f"{package} stands there twice")
        names[name], packages[package] = purpose, purpose
    return names, packages


def build_files():
    """Those of the tree. Folders of builds are not looked into: other tests make and remove folders there at the same time."""
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [name for name in folders if not re.match(r"\.|build|obj-|node_modules$", name)]
        # The plug-in of examples is a project of its own, which asks for Warpscope.
        if "meson.build" in names and not pathlib.Path(folder).is_relative_to(SOURCE / "examples/plugin"):
            yield pathlib.Path(folder) / "meson.build"


def asked():
    """(name, whether only tests ask for it, the file) of each thing that meson looks for outside of the tree."""
    for path in build_files():
        place = path.relative_to(SOURCE)
        for name in re.findall(r"(?:dependency|find_program|find_library)\('([^']+)'", path.read_text(encoding="utf-8")):
            if name in WITH_COMPILER or (path.parent / name).exists():
                continue
            for_tests = place.parts[0] == "tests" or place.parts[:2] == ("examples", "meshes") or name == "cmocka"
            yield OTHER_NAMES.get(name, name), for_tests, place


def check_list():
    names, packages = listed()
    for name, for_tests, place in asked():
        check(name in names, f"{place} looks for {name}, which scripts/setup does not install")
        check(for_tests or names.get(name) != "test", f"{place} looks for {name}, which scripts/setup has for tests only")
    # What --list shows is that list; the demo's is the part that needs no test.
    for purpose, wanted in (("demo", [p for p, need in packages.items() if need == "demo"]), ("test", list(packages))):
        shown = subprocess.run([SOURCE / "scripts/setup", "--list", purpose], capture_output=True, text=True, check=True)
        check([line.split()[0] for line in shown.stdout.splitlines()] == wanted, f"--list {purpose} shows: {shown.stdout}")
    for package in ("clang", "libcmocka-dev", "vulkan-validationlayers"):
        check(packages.get(package) == "test", f"{package} is for tests")


def check_demo():
    """The demo builds the programs that README.md and the pages of docs/ run, and reads no test, mesh of npm, or other
    example. What it reads of npm packages is what the viewer's page is made of."""
    ninja = shutil.which("ninja")
    if ninja is None:
        return
    run = subprocess.run([ninja, "-C", BUILD, "-t", "inputs", "demo"], capture_output=True, text=True, check=True)
    inputs = [within_tree(BUILD / line) for line in run.stdout.splitlines() if not line.startswith("ninja: ")]
    pages = [SOURCE / "README.md", *SOURCE.glob("docs/*.md")]
    programs = set(re.findall(r"build/examples/(\w+)", "".join(page.read_text(encoding="utf-8") for page in pages)))
    check("path_tracer" in programs, "README.md does not run the path tracer")
    for name in programs:
        check(f"examples/{name}/{name}.c" in inputs, f"a page runs {name}, which the demo does not build")
    others = "|".join(sorted({path.parent.name for path in SOURCE.glob("examples/*/*.c")} - programs - {"base"}))
    check("analysis/command/main.c" in inputs, "the demo does not build the command")
    for name in inputs:
        check(not re.match(rf"(tests|node_modules/(?!three/|three-mesh-bvh/|uplot/)|examples/(meshes|{others}))[/.]", name),
              f"the demo builds {name}")


def within_tree(path):
    """The path from the build's or the tree's root, whichever has it."""
    path = pathlib.Path(os.path.normpath(path))
    for root in (BUILD, SOURCE):
        if path.is_relative_to(root):
            return str(path.relative_to(root))
    return str(path)


check_list()
check_demo()
print("\n".join(failures) or "the list is whole")
sys.exit(1 if failures else 0)
