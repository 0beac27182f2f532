// Steps of traces: their order, lanes, words and places.
import assert from "node:assert/strict";

import {flatten, lanesAt, lanesOf, pairs, placeOfStep, sizeOf, stepText} from "../../viewer/thread/steps.js";
import {run} from "./test.js";

const block = (label, more = {}) => ({event: "block", shader_id: 3, depth: 0, lanes: "0b", own: "01", entered: "0f", subgroup_size: 8,
    block: label, part: null, calls: 0, source: null, file: null, line: null, times: null, steps: null, ...more});
const repeat = (times, steps) => ({event: "repeat", shader_id: null, depth: null, lanes: null, own: null, entered: null,
    subgroup_size: null, block: null, part: null, source: null, file: null, line: null, times, steps});
const names = new Map([[3, "room.rgen:main"]]);

function repetitionsStandBeforeTheirSteps() {
    const list = flatten([block(1), repeat(3, [block(2), repeat(2, [block(3)])]), block(4)]);
    assert.deepEqual(list.map(({step, nesting}) => [step.block ?? `x${step.times}`, nesting]),
        [[1, 0], ["x3", 0], [2, 1], ["x2", 1], [3, 2], [4, 0]]);
    assert.deepEqual(list.map(({index}) => index), [0, 1, 2, 3, 4, 5]);
    assert.equal(sizeOf(list), 8);
}

function masksHaveTheLowestLaneLast() {
    assert.deepEqual(lanesOf("5", 4), [true, false, true, false]);
    assert.equal(lanesOf("80000000000000000000000000000001", 128).filter(Boolean).length, 2);
    assert.equal(lanesOf("80000000000000000000000000000001", 128)[127], true);
    assert.deepEqual(lanesOf(null, 2), [false, false]);
}

function lanesAreOwnBesideIdleOrNotThere() {
    assert.deepEqual(lanesAt(block(1), 8), ["own", "beside", "idle", "beside", "none", "none", "none", "none"]);
    assert.deepEqual(lanesAt(repeat(2, []), 8), []);
}

function stepsHaveWords() {
    assert.equal(stepText({event: "enter", shader_id: 3}, names), "> room.rgen:main");
    assert.equal(stepText({event: "enter", shader_id: 9}, names), "> shader 9");
    assert.equal(stepText(block(7, {source: "room.rgen:21-24"}), names), "room.rgen:21-24");
    assert.equal(stepText(block(7, {part: 2}), names), "block %7+2");
    assert.equal(stepText(repeat(12, []), names), "12 times:");
}

function stepsLeadToTheirLineOrBlock() {
    assert.deepEqual(placeOfStep(block(7, {file: "a/room.rgen", line: 21})),
        {tab: "shaders", shader: 3, line: 21, file: "a/room.rgen", shaders: {}});
    assert.deepEqual(placeOfStep(block(7, {part: 2})), {tab: "shaders", shader: 3, line: null, file: "", shaders: {block: 7, part: 2}});
    assert.equal(placeOfStep(repeat(2, [])), null);
}

function threadsStandBesideTheirWarps() {
    const answer = {traces: [{of: "thread", lane: 1}, {of: "warp", lane: 1}, {of: "thread", lane: 2}, {of: "warp", lane: 2}],
        stories: [{story: ["a"]}, {story: ["b"]}]};
    assert.deepEqual(pairs(answer).map(pair => [pair.thread.lane, pair.warp.lane, pair.story.story[0]]), [[1, 1, "a"], [2, 2, "b"]]);
    assert.deepEqual(pairs({traces: [], stories: []}), []);
}

await run([
    repetitionsStandBeforeTheirSteps, masksHaveTheLowestLaneLast, lanesAreOwnBesideIdleOrNotThere, stepsHaveWords,
    stepsLeadToTheirLineOrBlock, threadsStandBesideTheirWarps,
]);
