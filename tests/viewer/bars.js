// Lifetimes joined to bars: nothing is lost, and few values stay as they are.
import assert from "node:assert/strict";

import {joinLifetimes} from "../../viewer/overview/bars.js";
import {run} from "./test.js";

function fewValuesHaveABarEach() {
    const rows = [{blocks: 3, threads: 5, warps: 0}, {blocks: 5, threads: 2, warps: 1}];
    assert.deepEqual(joinLifetimes(rows, "threads"), {from: [3, 4, 5], values: [5, 0, 2], width: 1});
    assert.deepEqual(joinLifetimes(rows, "warps"), {from: [5], values: [1], width: 1});
}

function manyValuesShareBarsAndKeepTheSum() {
    const rows = Array.from({length: 1001}, (_, index) => ({blocks: 10 + index, threads: index % 7}));
    const bars = joinLifetimes(rows, "threads");
    assert.ok(bars.values.length <= 100);
    assert.equal(bars.width, 10, "1000 lifetimes, from 11 to 1010, since 10 has none");
    assert.equal(bars.values.reduce((sum, value) => sum + value), rows.reduce((sum, row) => sum + row.threads, 0));
    assert.equal(bars.values[0], 1 + 2 + 3 + 4 + 5 + 6 + 0 + 1 + 2 + 3, "blocks 11 to 20");
}

function nothingIsNoBar() {
    assert.deepEqual(joinLifetimes([{blocks: 3, threads: 0}], "threads").values, []);
}

await run([fewValuesHaveABarEach, manyValuesShareBarsAndKeepTheSum, nothingIsNoBar]);
