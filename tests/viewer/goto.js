// What can be gone to by name, and how it is found.
import assert from "node:assert/strict";

import {entriesOf, findEntries} from "../../viewer/goto.js";
import {run} from "./test.js";

const facts = {launches: [
    {index: 0, label: "shadow", pipeline: "tracer", kind: "trace rays", rays: 5, scene: true},
    {index: 1, label: null, pipeline: null, kind: "dispatch", rays: 0, scene: false},
]};
const report = {analyses: {
    divergence: {total: {}, shaders: [{shader_id: 5, shader: "mesh.rchit:main"}], blocks: []},
    hotspots: {lines: [{shader_id: 5, shader: "mesh.rchit:main", source: "mesh.rchit:16", file: "mesh.rchit", line: 16},
        {shader_id: 5, shader: "mesh.rchit:main", source: null, file: null, line: null}]},
}};
const summary = {analyses: {summary: {findings: [
    {analysis: "divergence", title: "Lanes wait", place: "most in mesh.rchit:main", command: "x --shader mesh.rchit:main"},
    {analysis: "gone", title: "Nowhere", place: null, command: null},
]}}};
const entries = entriesOf(facts, report, summary, []);
const texts = list => list.map(entry => entry.text);

function everythingThatHasAPlaceIsThere() {
    assert.deepEqual(entries.map(entry => entry.kind), ["shader", "launch", "launch", "finding", "line", "table", "table", "table"]);
    assert.equal(entries.find(entry => entry.kind === "launch").place.tab, "scene");
    assert.equal(entries.filter(entry => entry.kind === "launch")[1].place.tab, "overview", "nothing to see in a scene");
    assert.deepEqual(entries.find(entry => entry.kind === "line").place, {tab: "shaders", shader: 5, line: 16, file: "mesh.rchit"});
}

function allWordsMustBeThere() {
    assert.deepEqual(texts(findEntries(entries, "Shadow")), ["0 shadow, tracer, trace rays"]);
    assert.deepEqual(texts(findEntries(entries, "launch dispatch")), ["1 dispatch"]);
    assert.deepEqual(findEntries(entries, "mesh nothing"), []);
    assert.equal(findEntries(entries, "").length, entries.length);
}

function whatBeginsWithTheWordsComesFirst() {
    assert.deepEqual(texts(findEntries(entries, "mesh")),
        ["mesh.rchit:main", "mesh.rchit:16 mesh.rchit:main", "Lanes wait: most in mesh.rchit:main"]);
}

await run([everythingThatHasAPlaceIsThere, allWordsMustBeThere, whatBeginsWithTheWordsComesFirst]);
