// The overview's table of shaders: the row with most slots comes first, as in the findings.
import assert from "node:assert/strict";

import {orderOf, rowsOf} from "../../viewer/overview/shaders.js";
import {run} from "./test.js";

// Shader 1 has fewer lanes active: fewer instructions of threads, and more slots.
const analyses = {
    simt_efficiency: {shaders: [{shader_id: 0, share: 0.6}, {shader_id: 1, share: 0.4}], launches: [{launch: 0, share: 1}]},
    divergence: {shaders: [{shader_id: 0, slots: 700, active: 600}, {shader_id: 1, slots: 1600, active: 400}]},
};

function slotsComeFirst() {
    const rows = rowsOf(analyses, "shaders");
    assert.deepEqual(rows.map(row => row.slots), [700, 1600]);
    assert.equal(orderOf("shaders", rows), "-slots");
}

// Counters know slots, too: a capture without the records of divergence has the order of its findings.
function slotsOfCountersDo() {
    const counted = {simt_efficiency: {shaders: [{shader_id: 0, share: 0.6, slots: 700}, {shader_id: 1, share: 0.4, slots: 1600}]}};
    assert.deepEqual(rowsOf(counted, "shaders").map(row => row.slots), [700, 1600]);
    assert.equal(orderOf("shaders", rowsOf(counted, "shaders")), "-slots");
}

function withoutSlotsInstructionsDo() {
    assert.equal(orderOf("shaders", rowsOf({simt_efficiency: analyses.simt_efficiency}, "shaders")), "-share");
    assert.equal(orderOf("shaders", rowsOf({divergence: analyses.divergence}, "shaders")), "-slots");
    assert.equal(orderOf("launches", rowsOf(analyses, "launches")), "");
}

await run([slotsComeFirst, slotsOfCountersDo, withoutSlotsInstructionsDo]);
