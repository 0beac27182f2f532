// What was not recorded, and the commands that record it.
import assert from "node:assert/strict";

import {byPass, commandsOf} from "../../viewer/overview/trust.js";
import {run} from "./test.js";

const missing = [{pass: "divergence", tells: "why lanes are idle"}, {pass: "divergence", tells: "what sorting saves"},
    {pass: "time", tells: "how long launches take"}];

function aPassStandsOnce() {
    assert.deepEqual(byPass(missing), [["divergence", ["why lanes are idle", "what sorting saves"]], ["time", ["how long launches take"]]]);
}

function timesAreRecordedAlone() {
    const capture = {passes: ["simt_efficiency"], command_line: "./tracer -n 2"};
    const both = ["warpscope record -p simt_efficiency,divergence -- ./tracer -n 2", "warpscope record -p time -o times.wscope -- ./tracer -n 2"];
    assert.deepEqual(commandsOf(capture, missing, []), both);
    assert.deepEqual(commandsOf(capture, missing.slice(2), []), both.slice(1));
    assert.deepEqual(commandsOf({...capture, passes: ["time"]}, missing.slice(0, 1), []), ["warpscope record -p divergence -- ./tracer -n 2"]);
    assert.deepEqual(commandsOf({passes: [], command_line: ""}, missing.slice(2), []), ["warpscope record -p time -o times.wscope -- PROGRAM"]);
}

// Beside passes that record accesses, a warp's time is that of recording.
function timesWithinLaunchesAreRecordedApart() {
    const capture = {passes: ["simt_efficiency", "warp_time"], command_line: "./tracer"};
    const lacks = [{pass: "memory_trace", tells: "what caches miss"}, {pass: "warp_time", tells: "where time goes"}];
    assert.deepEqual(commandsOf(capture, lacks, []),
        ["warpscope record -p simt_efficiency,memory_trace -- ./tracer", "warpscope record -p warp_time,time -o warps.wscope -- ./tracer"]);
}

// What "all" stands for is not spelt out, also beside further passes.
function allIsNamedSo() {
    const all = ["simt_efficiency", "divergence"];
    const capture = {passes: ["simt_efficiency"], command_line: "./tracer"};
    assert.deepEqual(commandsOf(capture, missing.slice(0, 1), all), ["warpscope record -p all -- ./tracer"]);
    assert.deepEqual(commandsOf({...capture, passes: ["memory_trace", "simt_efficiency"]}, missing.slice(0, 1), all),
        ["warpscope record -p all,memory_trace -- ./tracer"]);
    assert.deepEqual(commandsOf(capture, [{pass: "payloads", tells: "keys"}], all),
        ["warpscope record -p simt_efficiency,payloads -- ./tracer"]);
}

await run([aPassStandsOnce, timesAreRecordedAlone, timesWithinLaunchesAreRecordedApart, allIsNamedSo]);
