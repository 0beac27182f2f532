#!/usr/bin/env python3
"""Checks links between pages: each leads to a file of the tree, and to a heading that is there.

Usage: check_links.py SOURCE_ROOT
"""
import os
import re
import sys

LINK = re.compile(r"\]\(([^)\s]*)\)")
SKIPPED = {".git", "node_modules"}


def pages(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED and not name.startswith("build")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".md"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def anchors(path):
    """The names of a page's headings, as they are linked to."""
    return {re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", read(path), re.MULTILINE)}


def problem(page, link):
    """What is wrong with a link; None = nothing."""
    path, _, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(target):
        return "there is no such file"
    if anchor and anchor not in anchors(target):
        return "there is no such heading"
    return None


problems = []
count = 0
for page in sorted(pages(sys.argv[1])):
    for link in LINK.findall(read(page)):
        if re.match(r"[a-z]+:", link):
            continue
        count += 1
        wrong = problem(page, link)
        if wrong is not None:
            problems.append(f"{os.path.relpath(page, sys.argv[1])}: '{link}': {wrong}")
print("\n".join([*problems, f"{count} links, {len(problems)} problems"]))
sys.exit(1 if problems or count == 0 else 0)
