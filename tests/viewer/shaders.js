// Lines of shaders: heat, what belongs together in two forms, places, search.
import assert from "node:assert/strict";

import {orderShaders} from "../../viewer/shaders/list.js";
import {
    causesOf, heats, hottest, memoryOf, memoryText, nextHot, relatedRows, rowOfBlock, rowOfLine, rowsOfPlace, searchRows, shownLine, withFiles,
} from "../../viewer/shaders/model.js";
import {run} from "./test.js";

const files = [{name: "src/a.comp", text: true}, {name: "src/b.glsl", text: true}];
const blocks = [
    {index: 0, block: 6, file: "src/a.comp", line: 2, line_last: 3},
    {index: 3, block: 30, file: "src/b.glsl", line: 1, line_last: 1},
    {index: 4, block: 30, part: 1},
];
const source = {
    form: "source", files, blocks, lines: [
        {text: "#version 460", number: 1, file: 0},
        {text: "if (x)", number: 2, file: 0, executions: 8, thread_executions: 40, blocks: [0], begins: [0]},
        {text: "    f();", number: 3, file: 0, executions: 4, thread_executions: 10, blocks: [0, 3]},
        {text: "void F() {}", number: 1, file: 1, executions: 4, thread_executions: 160, blocks: [3], begins: [3]},
    ],
};
const spirv = {
    form: "spirv", files, blocks, lines: [
        {text: "OpCapability Shader"},
        {text: "%6 = OpLabel", executions: 8, blocks: [0], begins: [0]},
        {text: "%7 = OpLoad", executions: 8, thread_executions: 20, blocks: [0], place: [0, 2]},
        {text: "%8 = OpLoad", executions: 8, thread_executions: 20, blocks: [0], place: [0, 2]},
        {text: "OpReturn", executions: 4, thread_executions: 10, blocks: [3], place: [1, 1]},
        {text: "OpReturn", executions: 4, thread_executions: 10, blocks: [4]},
    ],
};
const glsl = {
    form: "glsl", files, blocks, lines: [
        {text: "void main()"},
        {text: "if (_12)", executions: 8, blocks: [0], begins: [0]},
        {text: "g();", executions: 4, blocks: [3], begins: [3]},
    ],
};

function heatIsTheCostBesideTheHottest() {
    assert.deepEqual(heats(source), [0, 0.25, 0.0625, 1]);
    assert.deepEqual(hottest(source), [3, 1, 2]);
}

function heatOfALabelIsNoneAndOfGlslItsExecutions() {
    assert.deepEqual(heats(spirv), [0, 0, 1, 1, 0.5, 0.5]);
    assert.deepEqual(heats(glsl), [0, 1, 0.5]);
    assert.deepEqual(heats({...glsl, lines: [{text: ""}]}), [0]);
}

function hotLinesGoRound() {
    assert.equal(nextHot([3, 1, 2], -1, 1), 3);
    assert.equal(nextHot([3, 1, 2], 3, 1), 1);
    assert.equal(nextHot([3, 1, 2], 2, 1), 3);
    assert.equal(nextHot([3, 1, 2], 3, -1), 2);
    assert.equal(nextHot([], 3, 1), -1);
}

function aLineAndItsInstructionsBelongTogether() {
    assert.deepEqual(relatedRows(source, 1, spirv), [2, 3]);
    assert.deepEqual(relatedRows(spirv, 4, source), [3]);
    // An instruction without a line is of its block, and a line without instructions of its own of its blocks.
    assert.deepEqual(relatedRows(spirv, 1, source), [1, 2]);
    assert.deepEqual(relatedRows(source, 2, spirv), [1, 2, 3, 4]);
    assert.deepEqual(relatedRows(source, 0, spirv), []);
}

function glslBelongsByBlocks() {
    assert.deepEqual(relatedRows(source, 2, glsl), [1, 2]);
    assert.deepEqual(relatedRows(glsl, 2, spirv), [4]);
    assert.deepEqual(relatedRows(glsl, 99, spirv), []);
}

function placesAreFoundInEachForm() {
    assert.equal(rowOfLine(source, "src/b.glsl", 1), 3);
    assert.equal(rowOfLine(source, "src/c.glsl", 1), -1);
    assert.equal(rowOfLine(source, "", 3), 2);
    assert.equal(rowOfLine(source, "", 1), 3, "the first of these lines that has code");
    assert.deepEqual(rowsOfPlace(source, "src/a.comp", 2), [1]);
    assert.deepEqual(rowsOfPlace(spirv, "src/a.comp", 2), [2, 3]);
    assert.deepEqual(rowsOfPlace(glsl, "src/a.comp", 3), [1]);
    assert.deepEqual(rowsOfPlace(glsl, "src/a.comp", 99), []);
}

function blocksAreFoundByLabelAndPart() {
    assert.equal(rowOfBlock(spirv, 6), 1);
    assert.equal(rowOfBlock(spirv, 30), 4);
    assert.equal(rowOfBlock(spirv, 30, 1), 5);
    assert.equal(rowOfBlock(spirv, 99), -1);
}

function searchTakesUpperAndLowerCase() {
    assert.deepEqual(searchRows(source, "f()"), [2, 3]);
    assert.deepEqual(searchRows(source, ""), []);
}

function textsOfACaptureCannotReorderThePage() {
    assert.equal(shownLine("a\u202eb\u2066c\u001b[2J"), "a\\u202eb\\u2066c\\u001b[2J");
    assert.equal(shownLine("\tif (größer) // <b>"), "\tif (größer) // <b>");
}

function eachFileHasAHeading() {
    const shown = withFiles(source).lines;
    assert.deepEqual(shown.map(line => line.heading ? line.text : line.number), ["src/a.comp", 1, 2, 3, "src/b.glsl", 1]);
    assert.equal(rowOfLine(withFiles(source), "src/b.glsl", 1), 5);
    assert.equal(withFiles(spirv).lines.length, spirv.lines.length);
}

function causesLeaveOutWhatIsNot() {
    assert.deepEqual(causesOf({lanes: {all: 8, active: 5, early_return: 3}}).map(cause => [cause.name, cause.lanes]),
        [["active", 5], ["early_return", 3]]);
    assert.deepEqual(causesOf({}), []);
}

function shadersWithMostSlotsComeFirst() {
    const list = [{shader_id: 1, slots: 5}, {shader_id: 2, slots: 50}, {shader_id: 3, slots: null, executions: 7}, {shader_id: 4, slots: null}];
    assert.deepEqual(orderShaders(list).map(shader => shader.shader_id), [2, 1, 3, 4]);
}

/* 4 requests of 6 sectors, of which 5 are loaded and 3 hit; and 1 request that only stores. */
function memoryIsOfAllBuffers() {
    const load = {access: "load", buffer: "A (set 0, binding 0)", requests: 3, sectors: 5, l1_sectors: 5, l1_hits: 3, l2_sectors: 2,
        l2_hits: 0, memory_bytes: 64};
    const store = {access: "store", buffer: null, requests: 1, sectors: 1, l1_sectors: 0, l1_hits: 0, l2_sectors: 1, l2_hits: 1,
        memory_bytes: 0};
    const memory = memoryOf({memory: [load, store]});
    assert.deepEqual(memory, {requests: 4, each: 1.5, l1: 0.6, l2: 1 / 3});
    assert.equal(memoryOf({memory: [store]}).l1, null);
    assert.equal(memoryOf({}), null);
    assert.equal(memoryText(load), "load A (set 0, binding 0): 3 requests, 1.67 sectors each, L1 60.0 %, L2 0.0 %, 64 bytes from memory");
    assert.equal(memoryText(store), "store ?: 1 request, 1.00 sectors each, L2 100.0 %, 0 bytes from memory");
}

await run([
    heatIsTheCostBesideTheHottest, heatOfALabelIsNoneAndOfGlslItsExecutions, hotLinesGoRound, aLineAndItsInstructionsBelongTogether,
    glslBelongsByBlocks, placesAreFoundInEachForm, blocksAreFoundByLabelAndPart, searchTakesUpperAndLowerCase,
    textsOfACaptureCannotReorderThePage, eachFileHasAHeading, causesLeaveOutWhatIsNot, shadersWithMostSlotsComeFirst,
    memoryIsOfAllBuffers,
]);
