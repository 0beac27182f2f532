// The profile of all shaders: runs shader after shader, each where its instructions are.
import assert from "node:assert/strict";

import {profileOf} from "../../viewer/overview/profile.js";
import {run} from "./test.js";

function shadersStandOneAfterTheOther() {
    const runs = [
        {shader_id: 7, shader: "a", stage: "raygen", index: 2, instructions: 3, each: 10},
        {shader_id: 7, shader: "a", stage: "raygen", index: 0, instructions: 2, each: 40},
        {shader_id: 9, shader: "b", stage: "miss", index: 0, instructions: 1, each: 5},
    ];
    const profile = profileOf(runs);
    assert.deepEqual(profile.x, [0, 1.5, 2, 4.5, 5, 5.5]);
    assert.deepEqual(profile.middles, [{x: 2.5, shader: "a"}, {x: 5.5, shader: "b"}]);
    assert.deepEqual(profile.series.map(series => series.values), [[40, 40, 10, 10, null, null], [null, null, null, null, 5, 5]]);
    assert.deepEqual(profile.runs.map(one => one.each), [40, 40, 10, 10, 5, 5]);
}

function smallShadersHaveNoName() {
    const one = (shader_id, instructions) => ({shader_id, shader: `${shader_id}`, stage: "miss", index: 0, instructions, each: 1});
    assert.deepEqual(profileOf([one(1, 97), one(2, 3)]).middles, [{x: 48.5, shader: "1"}]);
}

function nothingIsAnEmptyProfile() {
    assert.deepEqual(profileOf([]), {x: [], runs: [], series: [], middles: []});
}

await run([shadersStandOneAfterTheOther, smallShadersHaveNoName, nothingIsAnEmptyProfile]);
