#!/usr/bin/env python3
"""Checks that the layer does only in layer/process what needs care in another program's process.

Usage: check_guest.py SOURCE_ROOT

Fails where another file of the layer opens a file by itself (open.h), takes or makes a lock by itself (lock.h), reads the
environment of a privileged process, prints by a stream, or ends the process.
"""
import os
import re
import sys

FORBIDDEN = [
    (re.compile(r"\b(open|openat|creat|fopen|freopen|socket|pipe2?|dup2?|memfd_create|mkstemp)\("), "layer/process/open.h opens files"),
    (re.compile(r"\bpthread_(mutex_init|mutex_\w*lock|rwlock_\w*(rd|wr|un)lock)\("), "layer/process/lock.h takes and makes locks"),
    (re.compile(r"\bPTHREAD_MUTEX_INITIALIZER\b"), "layer/process/lock.h takes and makes locks"),
    (re.compile(r"\bgetenv\("), "secure_getenv does not listen to whoever started a privileged program"),
    (re.compile(r"\bv?f?(printf|puts|putc)\(.*\b(stderr|stdout)\b|\b(printf|puts|putchar|perror)\("), "ws_message prints"),
    (re.compile(r"\b(_?exit|abort|assert)\("), "the process is the application's"),
]


def faults(root):
    for folder, _, names in os.walk(os.path.join(root, "layer")):
        if os.path.relpath(folder, root) == os.path.join("layer", "process"):
            continue
        for name in sorted(names):
            if not name.endswith((".c", ".h")):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), file.read(), flags=re.S)
            for number, line in enumerate(text.splitlines(), 1):
                for pattern, remedy in FORBIDDEN:
                    found = pattern.search(line)
                    if found:
                        yield f"{os.path.relpath(path, root)}:{number}: {found.group()}: {remedy}"


def main():
    found = list(faults(sys.argv[1]))
    for fault in found:
        print(fault)
    print(f"{len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
