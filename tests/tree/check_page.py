#!/usr/bin/env python3
"""The modules of the page: each is JavaScript that node can parse, and none makes markup or code out of texts, since texts come
from captures of unknown origin. usage: check_page.py ROOT"""

import pathlib
import re
import shutil
import subprocess
import sys

FORBIDDEN = {
    r"\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write\b|createContextualFragment|DOMParser": "makes markup of a text",
    r"\beval\(|\bnew Function\b|set(Timeout|Interval)\(\s*[\"'`]": "makes code of a text",
    r"setAttribute\(\s*[\"']style": "is refused by the content security policy; set a property of element.style",
    r"\bvar\b": "use const or let",
    r"\t": "has a tab",
    r"(?<![=!])==(?!=)|!=(?!=)(?!\")": "compares with conversions; use === or !==",
}
LONGEST = 150

# One process for all: starting node takes longer than parsing.
PARSE = """
const {readFileSync} = require("fs");
for (const path of process.argv.slice(1)) {
    try {
        new (require("vm").SourceTextModule)(readFileSync(path, "utf8"), {identifier: path});
    } catch (error) {
        console.log(error.stack.split("\\n    at")[0]);
        process.exitCode = 1;
    }
}
"""


def code_of(line):
    """The line without texts and comments; what stands in them is no code."""
    line = re.sub(r"(?<=[=(,] )/(?:[^/\\]|\\.)+/|(?<=\()/(?:[^/\\]|\\.)+/", "", line)
    line = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`(?:[^`\\]|\\.)*`', '""', line)
    return re.sub(r"//.*|^\s*(/\*|\*).*", "", line)


def problems_of(path):
    text = path.read_text(encoding="utf-8")
    if not re.match(r"(#!.*\n)?\s*(//|/\*)", text):
        yield 1, "begins without a comment that says what it is"
    # Shaders in GLSL stand in templates of several lines, and have rules of their own.
    code = re.sub(r"`[^`]*`", lambda found: "\n" * found.group().count("\n"), text)
    for number, (line, bare) in enumerate(zip(text.splitlines(), code.splitlines()), 1):
        if len(line) > LONGEST:
            yield number, f"has more than {LONGEST} characters"
        for pattern, words in FORBIDDEN.items():
            if re.search(pattern, code_of(bare)):
                yield number, words


def main():
    root = pathlib.Path(sys.argv[1])
    node = shutil.which("node")
    modules = sorted(path for path in root.joinpath("viewer").rglob("*.js") if "node_modules" not in path.parts)
    failed = not modules
    for path in modules:
        for number, words in problems_of(path):
            print(f"{path.relative_to(root)}:{number}: {words}")
            failed = True
    if node is not None:
        parsed = subprocess.run([node, "--no-warnings", "--experimental-vm-modules", "-e", PARSE, *modules], check=False)
        failed = failed or parsed.returncode != 0
    print(f"{len(modules)} modules{'' if node else '; not parsed: there is no node'}")
    return 1 if failed else 0


sys.exit(main())
