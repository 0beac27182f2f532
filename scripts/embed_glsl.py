#!/usr/bin/env python3
"""Runs while building: makes one text of GLSL files and the headers that they include, as a C string.

Usage: embed_glsl.py NAME OUT.c DEPFILE INPUT FOLDER...

Included files are looked for in the input's folder and in the folders. Each is put in once. Lines #extension come first,
as GLSL wants them; #version, main() and what the headers have for C only are left out, and so are comments.
"""
import os
import re
import sys


def strip_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: "\n" * match.group(0).count("\n"), text, flags=re.S)


class Embedder:
    def __init__(self, folders):
        self.folders = folders
        self.files = []
        self.extensions = []
        self.lines = []

    def find(self, name, beside):
        for folder in [beside] + self.folders:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return os.path.realpath(path)
        sys.exit(f"embed_glsl.py: no file {name}")

    def add(self, path):
        if path in self.files:
            return
        self.files.append(path)
        with open(path, encoding="utf-8") as file:
            text = strip_comments(file.read())
        text = re.sub(r"\bvoid main\(\)\s*\{\s*\}", "", text)
        for line in text.splitlines():
            include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if include:
                self.add(self.find(include.group(1), os.path.dirname(path)))
            elif re.match(r"\s*#\s*extension\b", line):
                if "include_directive" not in line and line.strip() not in self.extensions:
                    self.extensions.append(line.strip())
            elif not re.match(r"\s*#\s*(version\b|include\s*<)", line) and line.strip():
                self.lines.append(line)


def main():
    name, out, depfile, path, *folders = sys.argv[1:]
    embedder = Embedder(folders)
    embedder.add(os.path.realpath(path))
    with open(out, "w", encoding="utf-8") as file:
        for part, lines in (("extensions", embedder.extensions), ("text", embedder.lines)):
            file.write(f"extern const char {name}_{part}[];\nconst char {name}_{part}[] = {{\n")
            for line in lines:
                file.write("    " + "".join(f"{byte}," for byte in line.rstrip().encode()) + "10,\n")
            file.write("    0};\n")
    with open(depfile, "w", encoding="utf-8") as file:
        file.write(f"{out}: {' '.join(embedder.files)}\n")


main()
