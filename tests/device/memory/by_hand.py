#!/usr/bin/env python3
"""usage: by_hand.py COMMAND MEMORY. Sectors per request of a matrix product and of a transpose, worked out by hand, from counters
and from records; and what caches make of them. The same where --lanes puts warps together.

Product: a[64 * row + k] is one word for all lanes, 1 sector; b[64 * k + column] are neighbours, 1 sector of 8 words for each 8
lanes, begun or not. The mean of the two, since the loop has all but the stores of c.
Transpose: a load of neighbours, and a store that touches one sector for each lane.

Caches of the usual device: each of 64 workgroups has a multiprocessor of its own, whose L1 of 57 kB has room for all that it
loads. So an L1 misses each sector once: of the product 8 of its row of a and 512 of b, of the transpose 8. The L2 has room for
all: it misses each of the 512 sectors of each matrix once, and reads those that are loaded. What is stored it writes back."""

import csv
import json
import os
import subprocess
import sys
import tempfile

COMMAND, PROGRAM = [os.path.abspath(path) for path in sys.argv[1:3]]
SIZE = 64


def neighbours(width):
    return (width + 7) // 8


def expect(kernel, width):
    """Per buffer: requests, and sectors of each."""
    warps = SIZE // width
    if kernel == "transpose":
        return {"From": (SIZE * warps, neighbours(width)), "To": (SIZE * warps, width)}
    return {"A": (SIZE * warps * SIZE, 1), "B": (SIZE * warps * SIZE, neighbours(width)), "C": (SIZE * warps, neighbours(width))}


# Sectors per request of the product's loop, and of the transpose.
BY_HAND = {"product": {4: 1.0, 8: 1.0, 16: 1.5}, "transpose": {4: 2.5, 8: 4.5, 16: 9.0}}


def check(kernel, analysis, report, width):
    failures = []
    rows = {row["buffer"].split(" ")[0]: row for row in report["buffers"]}
    for name, (requests, sectors) in expect(kernel, width).items():
        found = (rows[name]["requests"], rows[name]["sectors"])
        if found != (requests, requests * sectors):
            failures.append(f"{kernel}, {analysis}, {name}: {found}, and not {(requests, requests * sectors)}")
    loop = [rows[name] for name in (("A", "B") if kernel == "product" else ("From", "To"))]
    each = sum(row["sectors"] for row in loop) / sum(row["requests"] for row in loop)
    if width in BY_HAND[kernel] and each != BY_HAND[kernel][width]:
        failures.append(f"{kernel}, {analysis}: {each} sectors per request, by hand {BY_HAND[kernel][width]}")
    return failures


# Sectors that miss in all L1s; sectors that miss in the L2; bytes that it reads, and writes.
CACHES = {"product": (64 * (8 + 512), 3 * 512, 2 * 16384, 16384), "transpose": (64 * 8, 2 * 512, 16384, 16384)}


def check_caches(kernel, report):
    total = report["total"]
    found = (total["l1_sectors"] - total["l1_hits"], total["l2_sectors"] - total["l2_hits"], total["memory_bytes"],
             total["written_bytes"])
    loads = sum(row["sectors"] for row in report["memories"] if row["access"] == "load")
    # One cache that has room for all misses each line once: 128 of each matrix.
    largest = 1 - (384 if kernel == "product" else 256) / total["lines"]
    failures = [f"{kernel}: {report['sizes'][-1]}, and not {largest}"] if abs(report["sizes"][-1]["hit_rate"] - largest) > 1e-9 else []
    failures += [f"{kernel}: {total['l1_sectors']} sectors of loads ask the L1, and not {loads}"] if total["l1_sectors"] != loads else []
    return failures + ([f"caches of {kernel}: {found}, and not {CACHES[kernel]}"] if found != CACHES[kernel] else [])


def check_sample(kernel, whole, report):
    """Rates from one of 4 lines, beside those from all."""
    failures = [] if (whole["shards"], report["shards"]) == (1, 4) else [f"{kernel}: from one of {report['shards']} lines"]
    for exact, size in zip(whole["sizes"], report["sizes"]):
        if exact["hit_rate_error"] is not None or size["hit_rate_16_ways"] is not None or size["hit_rate_error"] is None:
            failures.append(f"{kernel}: what is estimated, and what is not, is not told: {size}")
        elif abs(size["hit_rate"] - exact["hit_rate"]) > 4 * size["hit_rate_error"] + 0.005:
            failures.append(f"{kernel}: {size['hit_rate']} +- {size['hit_rate_error']}, and not {exact['hit_rate']}")
    return failures


def check_times(kernel, total, capture):
    """50 parts of the launch, of as many requests but for a 32nd on each side, have all of it."""
    run = subprocess.run([COMMAND, "report", capture, "caches", "--csv", "--by", "time", "--fields", "time,requests,sectors,l1_hits"],
                         check=True, capture_output=True, text=True)
    rows = [[int(cell) for cell in line.split(",")] for line in run.stdout.splitlines()[1:]]
    failures = [] if sorted(row[0] for row in rows) == list(range(50)) else [f"{kernel}: {len(rows)} parts"]
    failures += [f"{kernel}: part {row[0]} has {row[1]} requests of {total['requests']}" for row in rows
                 if abs(row[1] - total["requests"] / 50) > total["requests"] / 50 / 16 + 1]
    for number, name in enumerate(("requests", "sectors", "l1_hits"), 1):
        if sum(row[number] for row in rows) != total[name]:
            failures.append(f"{kernel}: parts have {sum(row[number] for row in rows)} {name}, and not {total[name]}")
    return failures


def read_rows(capture, *options):
    run = subprocess.run([COMMAND, "report", capture, "caches", "--csv", *options], check=True, capture_output=True, text=True)
    return list(csv.DictReader(run.stdout.splitlines()))


def check_elements(width, capture):
    """Elements of the product. One of A is asked for by the warps of its row, all of whose lanes load it: 64 / width requests. One
    of B by a lane of a warp of each row, and one of C is stored once."""
    rows = read_rows(capture, "--by", "element", "--fields", "buffer,element,requests,lanes,bytes")
    wanted = {"A": (64 // width, 64), "B": (64, 64), "C": (1, 1)}
    failures = []
    for name, (requests, lanes) in wanted.items():
        found = {int(row["element"]): (int(row["requests"]), int(row["lanes"]), int(row["bytes"])) for row in rows
                 if row["buffer"].split()[0] == name}
        if found != {element: (requests, lanes, 4 * lanes) for element in range(4096)}:
            failures.append(f"{len(found)} elements of {name}, such as {dict(list(found.items())[:2])}, and not {requests}, {lanes}")
    return failures


def check_pages(kernel, width, capture):
    """Each matrix has 4 pages of 4096 bytes in the order of the application, and each page a fourth of the matrix's requests. Those
    of whole matrices are one page each. Of the pages of the transpose's To only each line is stored once: its parts are in order."""
    failures = []
    expected = []
    for name, (requests, sectors) in expect(kernel, width).items():
        expected += [(name, 4096 * page, requests // 4, requests // 4 * sectors, requests // 4 * width) for page in range(4)]
    # A request of a matrix's row lies on one page, and one of its column on as many as it has rows of 16.
    if kernel == "transpose":
        pages = max(1, width // 16)
        expected = [(name, begin, requests, sectors, lanes) if name == "From" else
                    (name, begin, SIZE * SIZE // width * pages // 4, sectors, lanes) for name, begin, requests, sectors, lanes in expected]
    rows = read_rows(capture, "--by", "page", "--sort", "page")
    found = [(row["page_buffers"].split(" ")[0], int(row["page_begin"]), int(row["requests"]), int(row["sectors"]), int(row["lanes"]))
             for row in rows]
    failures += [] if found == expected else [f"{kernel}: pages {found}, and not {expected}"]
    failures += [] if [int(row["page"]) for row in rows] == list(range(len(expected))) else [f"{kernel}: pages are not numbered in order"]
    whole = read_rows(capture, "--by", "page,buffer", "--page", "64K")
    names = sorted(row["buffer"].split(" ")[0] for row in whole)
    failures += [] if names == sorted(expect(kernel, width)) else [f"{kernel}: pages of 64 KiB are of {names}"]
    return failures


def check_together(kernel, total, capture):
    """Time, pages and threads with what else there is: all adds up, but requests of pages and of threads."""
    failures = []
    for by in ("time,shader", "time,access", "time,place", "launch,page,time", "page,place", "page,time,buffer"):
        rows = read_rows(capture, "--by", by)
        for name in ("sectors", "lanes", "l1_hits", "l2_hits", "memory_bytes"):
            if sum(int(row[name]) for row in rows) != total[name]:
                failures.append(f"{kernel}, --by {by}: {sum(int(row[name]) for row in rows)} {name}, and not {total[name]}")
    places = read_rows(capture, "--by", "place")
    timed = read_rows(capture, "--by", "time,place")
    for place in places:
        own = sum(int(row["requests"]) for row in timed if row["place"] == place["place"])
        failures += [] if own == int(place["requests"]) else [f"{kernel}: place {place['place']} has {own} requests over time"]
    threads = read_rows(capture, "--by", "thread,time")
    each = {row["thread"]: 0 for row in threads}
    for row in threads:
        each[row["thread"]] += int(row["requests"])
    # A thread takes part in each request of its warp.
    for row in read_rows(capture, "--by", "thread"):
        failures += [] if each.get(row["thread"]) == int(row["requests"]) else [f"{kernel}: thread {row['thread']} over time"]
    run = subprocess.run([COMMAND, "report", capture, "caches", "--by", "thread,page"], capture_output=True, text=True)
    if run.returncode == 0 or "which thread touched which page" not in run.stderr:
        failures.append(f"{kernel}: --by thread,page: {run.stderr}")
    return failures


def check_diff(kernel, capture, work):
    """The same in a run whose buffers have other numbers: nothing changed, no row is of one side alone. Pictures stand side by side."""
    later = os.path.join(work, f"{kernel}-later.wscope")
    subprocess.run([COMMAND, "record", "-q", "-p", "memory_access,memory_trace", "-o", later, "--", PROGRAM, kernel, "later"], check=True)
    folder = os.path.join(work, f"{kernel}-pictures")
    run = subprocess.run([COMMAND, "diff", capture, later, "--json", "--plots", folder], check=True, capture_output=True)
    failures = []
    numbers = [{row["bound"] for row in read_rows(path, "--by", "bound")} for path in (capture, later)]
    if numbers[0] == numbers[1]:
        failures.append(f"{kernel}: buffers have the same numbers: {numbers[0]}")
    for table in json.loads(run.stdout)["tables"]:
        if table["table"].split(".")[0] in ("caches", "memory") and table["only_a_count"] + table["only_b_count"] > 0:
            failures.append(f"{kernel}: {table['table']} has rows of one side: {table['only_a']} {table['only_b']}")
    with open(os.path.join(folder, "caches-pages-0-requests.svg"), encoding="utf-8") as file:
        text = file.read()
    for part in ("A: Requests by page and time, launch 0", "B: Requests by page and time, launch 0"):
        failures += [] if part in text else [f"{kernel}: the picture does not say '{part}'"]
    return failures


def check_lines(kernel, width, report, capture):
    """Lines of annotate, in each form: what they have is all, and in the source it stands where the access stands."""
    failures = []
    for form in ("source", "glsl", "spirv"):
        run = subprocess.run([COMMAND, "annotate", capture, "--json", "--as", form], capture_output=True)
        if form == "glsl" and run.returncode != 0:
            continue
        lines = [line for line in json.loads(run.stdout)["shaders"][0]["lines"] if "memory" in line]
        for row in report["buffers"]:
            rows = [(line, access) for line in lines for access in line["memory"] if access["buffer"] == row["buffer"]]
            for name in ("requests", "sectors", "l1_hits", "l2_hits", "memory_bytes"):
                if sum(access[name] for _, access in rows) != row[name]:
                    failures.append(f"{kernel} as {form}: lines have {[access[name] for _, access in rows]} {name} of {row['buffer']}")
            if form == "source" and len(rows) != 1 or form == "source" and "[" not in rows[0][0]["text"]:
                failures.append(f"{kernel}: {row['buffer']} is on {[line['text'] for line, _ in rows]}")
    text = subprocess.run([COMMAND, "annotate", capture], check=True, capture_output=True, text=True).stdout
    name, (requests, sectors) = list(expect(kernel, width).items())[-1]
    binding = len(expect(kernel, width)) - 1
    wanted = f"/* store {name} (set 0, binding {binding}): requests {requests}, sectors {sectors:.2f} each, L2 "
    return failures + ([] if wanted in text else [f"{kernel}: annotate does not say '{wanted}'"])


def read_report(capture, analysis, *options):
    run = subprocess.run([COMMAND, "report", capture, analysis, "--json", *options], check=True, capture_output=True)
    return json.loads(run.stdout)["analyses"][analysis]


def main():
    failures = []
    with tempfile.TemporaryDirectory() as work:
        for kernel in ("product", "transpose"):
            capture = os.path.join(work, f"{kernel}.wscope")
            status = subprocess.run([COMMAND, "record", "-q", "-p", "memory_access,memory_trace", "-o", capture, "--", PROGRAM, kernel],
                                    check=False)
            if status.returncode == 77:
                sys.exit(77)
            if status.returncode != 0:
                sys.exit(f"{kernel} could not be recorded")
            for analysis in ("memory", "caches"):
                report = read_report(capture, analysis)
                width = report["launches"][0]["subgroup_size"]
                failures += check(kernel, analysis, report, width)
                if analysis == "caches":
                    failures += check_caches(kernel, report)
                    failures += check_lines(kernel, width, report, capture)
                    failures += check_times(kernel, report["total"], capture)
                    failures += check_pages(kernel, width, capture) + check_together(kernel, report["total"], capture)
                    failures += check_elements(width, capture) if kernel == "product" else []
                    failures += check_diff(kernel, capture, work)
                    failures += check_sample(kernel, report, read_report(capture, analysis, "--shards", "1/4"))
                    for lanes in (2 * width, 32):
                        report = read_report(capture, analysis, "--lanes", str(lanes))
                        failures += check(kernel, f"{analysis} --lanes {lanes}", report, lanes) + check_caches(kernel, report)
    print("\n".join(failures) if failures else "product and transpose: as by hand")
    sys.exit(1 if failures else 0)


main()
