#!/usr/bin/env python3
"""Prints what the command exports to plug-ins, as a list for the linker (--dynamic-list): every function and object that the
public headers declare.

Usage: scripts/exported.py INCLUDE_FOLDER

Left out are pass.h and plugin.h: passes get their functions by a table.
"""
import pathlib
import re
import sys

FOR_PASSES = {"pass.h", "plugin.h"}


def declared(text):
    """The names of what a header declares and does not define itself."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.MULTILINE)
    # What is in braces is of a struct or of an inline function, from the inside out.
    while "{" in text:
        text, found = re.subn(r"\{[^{}]*\}", ";", text)
        if found == 0:
            sys.exit("a brace is not closed")
    for statement in text.split(";"):
        words = statement.split()
        if not words or words[0] == "typedef" or "static" in words:
            continue
        function = re.search(r"\b(ws_\w+)\s*\(", statement)
        thing = re.search(r"\b(ws_\w+)\s*(?:\[[^\]]*\]\s*)*$", statement) if words[0] == "extern" else None
        if function is not None:
            yield function.group(1)
        elif thing is not None:
            yield thing.group(1)


def main():
    folder = pathlib.Path(sys.argv[1]) / "warpscope"
    names = set()
    for path in sorted(folder.rglob("*.h")):
        if path.parent != folder or path.name not in FOR_PASSES:
            names.update(declared(path.read_text(encoding="utf-8")))
    print("{")
    for name in sorted(names):
        print(f"    {name};")
    print("};")


if __name__ == "__main__":
    main()
