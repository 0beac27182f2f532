#!/usr/bin/env python3
"""Build generator: bundles the viewer's page (viewer/) with its npm packages, and turns it into C.

Usage: bundle_page.py ESBUILD SOURCE_ROOT OUT.c OUT.d

esbuild makes one minified module of viewer/main.js and all that it imports, and one style sheet of viewer/page.css.
OUT.c has the three files that `warpscope view` serves, and the same page as the two halves of one document, for
`warpscope html`: script and style stand in it, a content security policy names their hashes, and between the halves
stand the answers (analysis/viewer/single_file.h). OUT.d says to ninja of which files all that is made.
"""
import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

STYLE = '<link rel="stylesheet" href="page.css">'
SCRIPT = '<script type="module" src="page.js"></script>'
CHARSET = '<meta charset="utf-8">'
ROOT = '<html lang="en">'
END = "</body>"

# What the document may do. It loads nothing from anywhere; pictures and workers can be made of its own data.
POLICY = ("default-src 'none'; script-src {script}; style-src {style}; img-src data: blob:; worker-src blob:; "
          "base-uri 'none'; form-action 'none'")


def bundle(esbuild, source, entry, output):
    """Returns the bytes of a bundle, and the paths of what it is made of."""
    with tempfile.TemporaryDirectory() as folder:
        meta = os.path.join(folder, "meta.json")
        path = os.path.join(folder, output)
        subprocess.run([esbuild, f"viewer/{entry}", "--bundle", "--minify", "--format=esm", "--target=es2022",
                        "--charset=utf8", "--legal-comments=eof", "--log-level=warning", f"--metafile={meta}", f"--outfile={path}"],
                       cwd=source, check=True)
        with open(meta, encoding="utf-8") as file:
            inputs = json.load(file)["inputs"]
        return pathlib.Path(path).read_bytes(), [str(pathlib.Path(source, name)) for name in inputs]


def hash_of(data):
    return "'sha256-" + base64.b64encode(hashlib.sha256(data).digest()).decode() + "'"


def one_document(page, script, style):
    """The page with script and style in it, cut in two where the answers belong."""
    for what in (STYLE, SCRIPT, CHARSET, ROOT, END):
        if page.count(what) != 1:
            sys.exit(f"viewer/index.html must have {what} once")
    for text, what in ((script, "script"), (style, "style")):
        # Both end the element, or change how the rest of it is read (HTML, "Restrictions for contents of script elements").
        if f"</{what}" in text.lower() or "<!--" in text:
            sys.exit(f"the bundle of the page has </{what} or <!--, which cannot stand in a document")
    policy = POLICY.format(script=hash_of(script.encode()), style=hash_of(style.encode()))
    # Later replacements must not find a text within the bundles.
    before, behind = page.split(END)
    for what, by in ((ROOT, '<html lang="en" data-source="file">'),
                     (CHARSET, f'{CHARSET}\n<meta http-equiv="Content-Security-Policy" content="{policy}">'),
                     (STYLE, f"<style>{style}</style>"),
                     (SCRIPT, f'<script type="module">{script}</script>')):
        place = before.index(what)
        before = before[:place] + by + before[place + len(what):]
    return before, END + behind


def write_array(file, name, data):
    file.write(f"static const unsigned char {name}[] = {{\n")
    for i in range(0, len(data), 32):
        file.write(",".join(map(str, data[i:i + 32])) + ",\n")
    file.write("};\n\n")


def main():
    esbuild, source, out, depfile = sys.argv[1:]
    script, inputs = bundle(esbuild, source, "main.js", "page.js")
    style, more = bundle(esbuild, source, "page.css", "page.css")
    index = pathlib.Path(source, "viewer/index.html")
    page = index.read_text(encoding="utf-8")
    before, behind = one_document(page, script.decode(), style.decode())
    with open(out, "w", encoding="utf-8") as file:
        file.write('/* Made by scripts/bundle_page.py from viewer/. */\n#include "analysis/viewer/page.h"\n\n')
        for name, data in (("page", page.encode()), ("script", script), ("style", style),
                           ("before", before.encode()), ("behind", behind.encode())):
            write_array(file, name, data)
        file.write("const struct ws_viewer_page ws_viewer_page = {\n"
                   '    .files = {{"", "text/html; charset=utf-8", {page, sizeof(page)}},\n'
                   '              {"page.js", "text/javascript; charset=utf-8", {script, sizeof(script)}},\n'
                   '              {"page.css", "text/css; charset=utf-8", {style, sizeof(style)}}},\n'
                   "    .before = {before, sizeof(before)},\n"
                   "    .behind = {behind, sizeof(behind)},\n};\n")
    with open(depfile, "w", encoding="utf-8") as file:
        names = sorted({str(index), *inputs, *more})
        file.write(out + ": " + " ".join(name.replace(" ", "\\ ") for name in names) + "\n")


main()
