#!/usr/bin/env python3
"""Types every command of README.md and the pages of docs/, in order, and holds what it prints against what they show.

Usage: check_readme.py SOURCE_ROOT BUILD_ROOT

Commands are the lines of blocks marked `sh`, and the texts in backticks that begin with `warpscope` and stand in a
table, of which FILE stands for the capture of the first command; what several tables share is typed once. A block
marked `text` is an excerpt of what the command before it printed: each of its lines must be among the printed ones,
whatever its numbers are, since they depend on the device. './your_program its arguments' is a program of ours here.
Commands that change the system, or need one that a test cannot have, are in NOT_RUN, each with where it is tested
instead."""
import os
import re
import signal
import subprocess
import sys
import tempfile

DOCUMENTS = ["README.md", "docs/questions.md", "docs/page.md", "docs/cost.md", "docs/usage.md",
             "docs/design.md"]

# What a line begins with: why it is not run here.
NOT_RUN = {
    "scripts/demo": "installs packages",
    "scripts/test": "runs this test",
    "meson install": "tests/package installs into a folder of its own",
    "export PATH=": "the path is set here",
    "flatpak ": "needs Flatpak",
}


def sections(text):
    """(kind, number of the first line, lines) of each block and of each command in a table, in order."""
    kind, start, lines = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"```(\w*)$", line)
        if fence and kind is None:
            kind, start, lines = fence.group(1) or "text", number + 1, []
        elif fence:
            yield kind, start, lines
            kind = None
        elif kind is not None:
            lines.append(line)
        elif line.startswith("|"):
            for command in re.findall(r"`(warpscope [^`]*)`", line):
                yield "table", number, [command.replace("FILE", "run.wscope")]


def commands(lines):
    """Lines of a shell, those that go on joined, without comments."""
    text = "\n".join(lines).replace("\\\n", " ")
    for line in text.splitlines():
        line = re.sub(r"\s+#.*$", "", line).strip()
        if line and not line.startswith("#"):
            yield line


def shape(line):
    """A line without what depends on the device: numbers, and the blanks and bars whose lengths follow them."""
    line = re.sub(r"[0-9][0-9.,]*", "0", line)
    return re.sub(r"[\s#]+", " ", line).strip()


def stop_view(command, folder, environment):
    """Runs `warpscope view` until it has printed its address, then presses Ctrl-C: (status, text)."""
    server = subprocess.Popen(["bash", "-c", f"exec {command} --no-browser"], cwd=folder, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text = ""
    for line in server.stdout:
        text += line
        if "http://" in line:
            server.send_signal(signal.SIGINT)
    return server.wait(), text


class Reader:
    def __init__(self, folder, environment):
        self.folder, self.environment, self.name = folder, environment, ""
        self.printed, self.failures, self.ran, self.of_tables = "", [], 0, set()

    def run(self, number, command):
        if any(command.startswith(begin) for begin in NOT_RUN):
            return
        self.ran += 1
        if command.startswith("warpscope view"):
            status, text = stop_view(command, self.folder, self.environment)
            if status != 0 or "http://" not in text:
                self.failures.append(f"{self.name}:{number}: status {status} of: {command}\n{text[-1500:]}")
            return
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.printed = done.stdout
        if done.returncode != 0:
            self.failures.append(f"{self.name}:{number}: status {done.returncode} of: {command}\n{done.stdout[-1500:]}")

    def read(self, root, name):
        self.name = name
        with open(f"{root}/{name}", encoding="utf-8") as file:
            text = file.read()
        for kind, number, lines in sections(text):
            if kind == "sh":
                for command in commands(lines):
                    self.run(number, command)
            elif kind == "table" and lines[0] not in self.of_tables:
                self.of_tables.add(lines[0])
                self.run(number, lines[0])
            elif kind == "text":
                self.compare(number, lines)

    def compare(self, number, lines):
        printed = {shape(line) for line in self.printed.splitlines()}
        for offset, line in enumerate(lines):
            if line.strip() not in ("", "...") and shape(line) not in printed:
                self.failures.append(f"{self.name}:{number + offset}: the command before it does not print: {line}")


def main():
    source, build = (os.path.abspath(path) for path in sys.argv[1:])
    device = subprocess.run([f"{build}/examples/path_tracer", "--size", "8x8", "--samples", "1", "-o", os.devnull],
                            capture_output=True, text=True)
    if device.returncode == 3:
        print("no Vulkan device here traces rays")
        return 77
    environment = {**os.environ, "PATH": f"{build}/analysis:{os.environ['PATH']}", "COLUMNS": "200"}
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(build, f"{folder}/build")
        with open(f"{folder}/your_program", "w", encoding="utf-8") as program:
            program.write("#!/bin/sh\nexec build/examples/path_tracer --mesh knot --size 96x96 --samples 1 --frames 2 -o your.png\n")
        os.chmod(f"{folder}/your_program", 0o755)
        reader = Reader(folder, environment)
        pages = {f"docs/{name}" for name in os.listdir(f"{source}/docs") if name.endswith(".md")}
        if pages != set(DOCUMENTS[1:]):
            reader.failures.append(f"docs/ has {sorted(pages)}, and this test types those of {DOCUMENTS[1:]}")
        for name in DOCUMENTS:
            reader.read(source, name)
    for failure in reader.failures:
        print(failure)
    print(f"{reader.ran} commands of {', '.join(DOCUMENTS)} ran")
    return 1 if reader.failures or reader.ran == 0 else 0


sys.exit(main())
