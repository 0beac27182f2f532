#!/usr/bin/env python3
"""What would thread compaction save? Recomputes `warpscope report FILE thread_compaction` from the records of a capture.

usage: compaction.py FILE        FILE: recorded with -p thread_compaction

A visit is one execution of a call site by the threads that could make it together: those in the same iteration of each
loop around it, having come by the same calls. required(1) is how many warps make the visits, required(all) how many would if
the threads of each visit were compacted (passes/thread_compaction.c, analysis/compaction/thread_compaction.h).
"""
import collections
import sys

import warpscope

CALL_SITE, CALL, SYNC, END = range(4)  # tags of the pass (passes.h)
RAY_TRACING = 0x3F00                   # stages whose threads are known by their launch id (stage.h)
OP_LOOP_MERGE = 246                    # words: opcode, merge block, continue target

capture = warpscope.Capture(sys.argv[1])


def read_shader(shader):
    """The places by the number that their records carry, and which loop a block continues or merges."""
    module = capture.modules[capture.shaders[shader].module]
    words, blocks = module.words.tolist(), capture.sites[module.id].blocks
    places, continues, merges = collections.defaultdict(list), {}, {}
    for site in capture.sites_of(shader, "thread_compaction"):
        block = blocks[site["block"]]
        callee = words[site["offset"] + 3] if site["tag"] == CALL else None
        places[site["row"]].append((site["tag"], site["offset"], block["function"], block["label"], callee))
    at = 5
    while at < len(words):
        if words[at] & 0xFFFF == OP_LOOP_MERGE:
            merges[words[at + 1]] = continues[words[at + 2]] = at
        at += words[at] >> 16
    return places, continues, merges


def step(frames, place, continues, merges):
    """Moves a thread to a place. `frames`: of each function that it is in, the call that led there and the iteration of each
    loop. Returns what names the visit, if the place is a call site."""
    tag, offset, function, label, callee = place
    while len(frames) > 1 and frames[-1][0] != function:
        frames.pop()
    loops = frames[-1][2]
    if tag == SYNC:
        loops.pop(merges.get(label), None)
        if label in continues:
            loops[continues[label]] = loops.get(continues[label], 0) + 1
    elif tag == CALL:
        frames.append((callee, offset, {}))
    elif tag == CALL_SITE:
        return offset, tuple((call, frozenset(inside.items())) for _, call, inside in frames)
    return None


def visits_of(launch):
    """Of each visit the active threads of each warp."""
    visits = collections.defaultdict(collections.Counter)
    states, warps, shaders = {}, {}, {}
    threads, rows = launch.threads(), launch.lanes(launch.tagged("thread_compaction"))
    columns = launch.records[["context", "entry", "shader", "site", "lane_count"]][rows["record"]]
    for (context, entry, shader, number, lanes), index, lane in zip(columns.tolist(), rows["record"], rows["lane"]):
        if shader not in shaders:
            shaders[shader] = read_shader(shader)
        traced = capture.shaders[shader].stage & RAY_TRACING
        thread = int(threads[index, lane]) if traced else (context, lane)
        warp = warps.setdefault(thread, entry)  # the context that it was launched in
        state = states.setdefault((shader, thread), [None, 0, None])
        if state[0] != context:  # it enters the shader, again perhaps
            state[:] = [context, state[1] + 1, [(None, None, {})]]
        places, continues, merges = shaders[shader]
        for place in places[number]:
            site = step(state[2], place, continues, merges)
            if site is not None:
                visits[shader, lanes, state[1], site][warp] += 1
    return visits


before = after = 0
for launch in capture.records():
    for (_, lanes, _, _), warps in visits_of(launch).items():
        before += sum(-(-active // lanes) for active in warps.values())
        after += -(-sum(warps.values()) // lanes)
print(f"{before} warps, {after} with all compacted: {(before - after) / max(before, 1):.1%} saved")
