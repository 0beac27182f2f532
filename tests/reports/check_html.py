#!/usr/bin/env python3
"""Holds the page of `warpscope html` and the answers of `warpscope view` against reports, and against what they promise.

    check_html.py WARPSCOPE CAPTURE...

1. The file has one script and one style, whose hashes its policy names, and loads nothing. Texts of the capture, such as
   a path with "</script>", make no markup.
2. Its report.json and summary.json are what `report all --json` and `summary --json` print, byte for byte.
3. It keeps its budget. What it left out is named in capture.json and on the terminal, and no answer is both.
4. A full disk, or a folder that is not there, gives a message and leaves nothing behind. Captures are not replaced.
5. A signal leaves nothing behind.
6. The server answers the same, and ends in order by SIGINT.
7. With a display it opens a browser on a file that leads to the page, which only the user can read: the arguments of
   programs, which everybody can read, do not have the token. The file is gone behind the end."""

import base64
import gzip
import hashlib
import html.parser
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

WARPSCOPE, CAPTURES = sys.argv[1], sys.argv[2:]
VOID = {"meta", "link", "br", "img", "input", "hr"}
problems = []


def check(condition, text):
    if not condition:
        problems.append(text)
        print(text)


class Page(html.parser.HTMLParser):
    """The elements of a page: (tag, attributes), and what scripts and styles contain."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.contents, self.open = [], [], None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self.open = [tag, dict(attributes), ""]
            self.contents.append(self.open)

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open:
            self.open[2] += data

    def answers(self):
        return {attributes["data-answer"]: gzip.decompress(base64.b64decode(content, validate=True))
                for tag, attributes, content in self.contents if "data-answer" in attributes}


def run(*arguments, **options):
    return subprocess.run([WARPSCOPE, *arguments], capture_output=True, text=True, **options)


def write(capture, out, *options):
    result = run("html", *([capture] if isinstance(capture, str) else capture), "-o", out, *options)
    if result.returncode != 0:
        check(False, f"html {capture} {options}: exit status {result.returncode}: {result.stderr}")
        return None, result.stderr
    with open(out, encoding="utf-8") as file:
        return Page(file.read()), result.stderr


def check_policy(page, name):
    programs = [(tag, content) for tag, attributes, content in page.contents if "data-answer" not in attributes]
    check(sorted(tag for tag, _ in programs) == ["script", "style"], f"{name}: {len(programs)} scripts and styles")
    policies = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    check(len(policies) == 1, f"{name}: {len(policies)} policies")
    rules = dict(rule.split(" ", 1) for rule in policies[0].split("; "))
    check(rules["default-src"] == "'none'" and "connect-src" not in rules, f"{name}: the policy is {rules}")
    for tag, content in programs:
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        check(rules[f"{tag}-src"] == f"'sha256-{digest}'", f"{name}: the hash of the {tag} is not {rules[f'{tag}-src']}")
    order = [a.get("http-equiv") or tag for tag, a in page.elements]
    check(order.index("Content-Security-Policy") < min(order.index("script"), order.index("style")),
          f"{name}: the policy comes too late")
    for tag, attributes in page.elements:
        for attribute in ("src", "href", "action", "data", "style"):
            value = attributes.get(attribute, "#")
            check(value.startswith("#") or value.startswith("data:"), f"{name}: {tag} has {attribute}={value[:60]}")
        check(not any(attribute.startswith("on") for attribute in attributes), f"{name}: {tag} has a handler")


def check_answers(page, capture, name):
    answers = page.answers()
    for query, arguments in (("report.json", ["report", capture, "all", "--json"]), ("summary.json", ["summary", capture, "--json"])):
        check(answers[query].decode() == run(*arguments).stdout, f"{name}: {query} is not what {' '.join(arguments)} prints")
    described = json.loads(answers["capture.json"])
    check(described["format"] == "warpscope-view" and described["version"] == 1 and described["single_file"] is True,
          f"{name}: capture.json does not say what it is")
    check(described["left_out"] == [], f"{name}: something is left out of a small capture")
    return answers


def check_budget(capture, folder, whole):
    out = os.path.join(folder, "small.html")
    budget = whole - 16384
    page, said = write(capture, out, "--budget", str(budget))
    if page is None:
        return
    answers = page.answers()
    entries = json.loads(answers["capture.json"])["left_out"]
    left_out = sum(entry["answers"] for entry in entries)
    check(budget - 16384 < os.path.getsize(out) <= budget, f"{capture}: {os.path.getsize(out)} bytes of {budget}: {said}")
    check(left_out > 0 and not {entry["first"] for entry in entries} & set(answers), f"{capture}: left out are {entries}")
    check(all(entry["first"].split("?")[0] == entry["what"] for entry in entries), f"{capture}: left out are {entries}")
    check(f"left out: {left_out} of {left_out + len(answers)} answers" in said and "--budget" in said, f"{capture}: it says {said}")
    for entry in entries:
        check(f"{entry['answers']} about {re.split('[:,]', entry['help'])[0]}" in said, f"{capture}: it says {said}, and not of what kind they are")
    check({"capture.json", "report.json", "summary.json"} <= set(answers), f"{capture}: has only {set(answers)}")


def check_hostile_path(capture, folder):
    """A path is text of the capture's object in report.json and capture.json."""
    pages = []
    for place in (["plain", "capture.wscope"], ['"<!--<script>', "'&<", "script><img src=x onerror=alert(1)>.wscope"]):
        path = os.path.join(folder, *place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(capture, path)
        page, _ = write([path, path], os.path.join(folder, "hostile.html"))
        pages.append(page)
    if None not in pages:
        check(pages[0].elements == pages[1].elements, "a hostile path is markup")
        check(set(pages[0].answers()) == set(pages[1].answers()), "a hostile path changes which answers there are")
        check("report.json?capture=b" in pages[1].answers(), "the second capture is not there")


def check_failures(capture, folder):
    def limit_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    before = sorted(os.listdir(folder))
    full = run("html", capture, "-o", os.path.join(folder, "full.html"), preexec_fn=limit_files)
    check(full.returncode == 1 and "File too large" in full.stderr, f"a full disk: {full.returncode}: {full.stderr}")
    nowhere = run("html", capture, "-o", os.path.join(folder, "nowhere", "page.html"))
    check(nowhere.returncode == 1 and "No such file" in nowhere.stderr, f"no folder: {nowhere.returncode}: {nowhere.stderr}")
    copy = os.path.join(folder, "copy.wscope")
    shutil.copy(capture, copy)
    for read in ([copy], [capture, "--time", copy]):
        over = run("html", *read, "-o", copy)
        check(over.returncode == 1 and "overwrite" in over.stderr, f"html {read} over a capture: {over.returncode}: {over.stderr}")
    with open(copy, "rb") as one, open(capture, "rb") as other:
        check(one.read() == other.read(), "html has changed a capture")
    os.unlink(copy)
    check(sorted(os.listdir(folder)) == before, f"failures leave {os.listdir(folder)}")
    for arguments in (["html", capture], ["html", capture, "-o", "x.html", "--budget", "no"], ["view", capture, "--port", "65536"]):
        check(run(*arguments).returncode == 2, f"{arguments} is no wrong usage")


def check_signals(capture, folder):
    """A signal while the page is written ends it by that signal, and takes what is there of the page away. Each comes as soon
    as a file is there, many times, since only a few meet the moment in which the file is made."""
    for number in 20 * (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # a build under nohup leaves SIGHUP ignored, here and in what is started
        place = os.path.join(folder, f"signal{number}")
        os.makedirs(place, exist_ok=True)
        status = 0
        page = os.path.join(place, "page.html")
        for _ in range(50):  # the whole page may be there before the signal comes
            with subprocess.Popen([WARPSCOPE, "html", capture, "-o", page], stderr=subprocess.DEVNULL) as writer:
                while writer.poll() is None and not os.listdir(place):
                    pass
                writer.send_signal(number)
                status = writer.wait()
            if not os.path.exists(page):
                break
            os.unlink(page)
        check(status == -number, f"html under signal {number}: status {status}")
        check(os.listdir(place) == [], f"signal {number} leaves {os.listdir(place)}")


def check_server(capture, answers):
    with subprocess.Popen([WARPSCOPE, "view", capture, "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        url = server.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for query, expected in answers.items():
            got = opener.open(url + "data/" + query).read()
            check(query == "capture.json" or got == expected, f"view and html differ in {query}")
        check(b"page.js" in opener.open(url).read(), "the server has no page")
        described = json.loads(answers["capture.json"])["captures"][0]
        for launch in described["launches"][:1]:
            thread = json.load(opener.open(f"{url}data/thread.json?launch={launch['index']}&thread=0,0,0"))
            for what, analysis in (("rays_missing", "ray_events"), ("traces_missing", "execution_trace")):
                check((thread[what] is None) == (analysis in described["analyses"]), f"{what} of a thread: {thread[what]}")
        for path, status in (("data/nothing", 404), ("data/report.json?x=1", 400)):
            try:
                opener.open(url + path)
                check(False, f"{path} is answered")
            except urllib.error.HTTPError as error:
                check(error.code == status, f"{path}: {error.code}")
        server.send_signal(signal.SIGINT)
        server.wait()
        check(server.returncode == 0, f"view: exit status {server.returncode}: {server.stderr.read()}")


def check_browser(capture, folder):
    opened = os.path.join(folder, "opened")
    program = os.path.join(folder, "bin", "xdg-open")
    os.makedirs(os.path.dirname(program))
    with open(program, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\n{{ echo "$*"; stat -c %a "$1"; cat "$1"; }} >{opened}.new\nmv {opened}.new {opened}\n')
    os.chmod(program, 0o755)
    environment = {**os.environ, "DISPLAY": ":0", "XDG_RUNTIME_DIR": folder, "PATH": os.path.dirname(program) + ":" + os.environ["PATH"]}
    with subprocess.Popen([WARPSCOPE, "view", capture], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as server:
        url = server.stdout.readline().strip()
        while not os.path.exists(opened) and server.poll() is None:
            time.sleep(0.1)
        server.send_signal(signal.SIGTERM)
        check(server.wait() == 0, "SIGTERM does not end the server in order")
    with open(opened, encoding="utf-8") as file:
        arguments, mode, page = file.read().split("\n", 2)
    check(url in page and url.split("/")[3] not in arguments, f"the browser got {arguments}: {page}")
    check(mode == "600", f"others can read the file that leads to the page: {mode}")
    check(not os.path.exists(arguments), f"{arguments} is left")


with tempfile.TemporaryDirectory() as scratch:
    for number, capture in enumerate(CAPTURES):
        out = os.path.join(scratch, "page.html")
        page, _ = write(capture, out)
        if page is None:
            continue
        check_policy(page, capture)
        answers = check_answers(page, capture, capture)
        if number == 0:
            check_budget(capture, scratch, os.path.getsize(out))
            check_hostile_path(capture, scratch)
            check_failures(capture, scratch)
            check_signals(capture, scratch)
            check_browser(capture, scratch)
        check_server(capture, answers)
print(f"{len(problems)} problems")
sys.exit(1 if problems else 0)
