// Where rows of the report and findings of the summary lead.
import assert from "node:assert/strict";

import {evidenceOf, placeOfAdvice, placeOfFinding, placeOfRow, threadOf} from "../../viewer/places.js";
import {run} from "./test.js";

const report = {analyses: {
    advice: {advice: [
        {rule: "opaque", title: "Mark geometry opaque", subject: "geometry 0 of structure 3 (met in instance 1)", saves: "any_hit", thread: "17,20,0",
            thread_launch: 2, instance: 1, geometry: 0},
        {rule: "loop", title: "Even out a loop", subject: "loop at lit.glsl:48 (a.rgen:main)", saves: "slots", thread: null},
    ]},
    hotspots: {lines: [
        {shader_id: 4, shader: "a.rgen:main", source: "lit.glsl:44", file: "src/lit.glsl", line: 44},
        {shader_id: 5, shader: "b.rchit:main", source: "lit.glsl:44", file: "src/lit.glsl", line: 44},
    ]},
    divergence: {
        shaders: [{shader_id: 5, shader: "b.rchit:main"}],
        blocks: [{shader_id: 4, shader: "a.rgen:main", source: "lit.glsl:48-49", file: "src/lit.glsl", line: 48}],
    },
    ray_events: {},
}};
const finding = changes => ({analysis: "divergence", title: "t", place: null, command: null, ...changes});

function threadsAreThreeNumbers() {
    assert.deepEqual(threadOf("64,64,0"), [64, 64, 0]);
    assert.deepEqual(threadOf("64,64"), [64, 64, 0]);
    assert.equal(threadOf("64, 64"), null);
    assert.equal(threadOf(null), null);
}

function rowsLeadByTheirColumns() {
    assert.deepEqual(placeOfRow("execution_trace", {thread: "3,4", launch: 2, shader_id: 1}),
        {tab: "scene", thread: [3, 4, 0], ray: null, launch: 2});
    assert.deepEqual(placeOfRow("ray_events", {instance: 0, geometry: 1}), {tab: "scene", instance: 0, geometry: 1});
    assert.deepEqual(placeOfRow("hotspots", {shader_id: 0, line: 7, file: "a.glsl"}),
        {tab: "shaders", shader: 0, line: 7, file: "a.glsl"});
    assert.deepEqual(placeOfRow("time", {launch: 0}), {launch: 0});
    assert.equal(placeOfRow("opcodes", {opcode: "OpLoad"}), null);
}

const rules = [{name: "opaque", evidence: "rays"}, {name: "heavy", evidence: "threads"}, {name: "loop", evidence: "shader"}];

function adviceLeadsToItsEvidence() {
    const [opaque, loop] = report.analyses.advice.advice;
    const ray = {tab: "scene", rule: "opaque", thread: [17, 20, 0], ray: null, instance: 1, geometry: 0, primitive: null, launch: 2};
    assert.deepEqual(placeOfAdvice(opaque, report, rules), ray);
    assert.deepEqual(placeOfAdvice({rule: "heavy", subject: "thread 3,4", thread: "3,4"}, report, rules),
        {tab: "scene", rule: "", thread: [3, 4, 0], ray: null, instance: null, geometry: null, primitive: null});
    assert.deepEqual(placeOfAdvice(loop, report, rules), {tab: "shaders", shader: 4, line: 48, file: "src/lit.glsl"});
    assert.deepEqual(placeOfAdvice({rule: "loop", subject: "b.rchit:main"}, report, rules),
        {tab: "shaders", shader: 5, line: null, file: ""});
    assert.deepEqual(placeOfAdvice({rule: "new", subject: "all"}, report, rules),
        {tab: "tables", table: "advice.advice", search: "new"});
    assert.deepEqual(placeOfFinding(finding({analysis: "advice", title: opaque.title, place: opaque.subject}), report, rules), ray);
}

function evidenceIsReadFromColumnsOnly() {
    const subject = "geometry 2 of bottom-level structure 1 (met in instance 7, custom index 1)";
    assert.deepEqual(evidenceOf({subject, thread: "1,2,0", thread_launch: 0, instance: 5, geometry: 4}),
        {thread: [1, 2, 0], ray: null, instance: 5, geometry: 4, primitive: null, launch: 0});
    assert.deepEqual(evidenceOf({subject, thread: null, thread_launch: null, instance: null, geometry: null}),
        {thread: null, ray: null, instance: null, geometry: null, primitive: null});
}

function findingsLeadToTheLineOfTheirShader() {
    const command = "warpscope report f divergence --shader b.rchit:main";
    assert.equal(placeOfFinding(finding({place: "traceRay at lit.glsl:44"}), report, rules).shader, 4);
    assert.equal(placeOfFinding(finding({place: "traceRay at lit.glsl:44", command}), report, rules).shader, 5);
    assert.deepEqual(placeOfFinding(finding({place: "a.rgen:main, most at lit.glsl:48-49"}), report, rules),
        {tab: "shaders", shader: 4, line: 48, file: "src/lit.glsl"});
}

function findingsLeadToTheirShaderInstanceOrTable() {
    assert.deepEqual(placeOfFinding(finding({place: "most in b", command: "x --shader 'b.rchit:main'"}), report, rules),
        {tab: "shaders", shader: 5, line: null, file: ""});
    assert.deepEqual(placeOfFinding(finding({analysis: "ray_events", place: "most at instance 5, geometry 0"}), report, rules),
        {tab: "scene", instance: 5, geometry: 0});
    assert.deepEqual(placeOfFinding(finding({}), report, rules), {tab: "tables", table: "divergence."});
    assert.equal(placeOfFinding(finding({analysis: "gone"}), report, rules), null);
}

await run([threadsAreThreeNumbers, rowsLeadByTheirColumns, adviceLeadsToItsEvidence, evidenceIsReadFromColumnsOnly, findingsLeadToTheLineOfTheirShader,
    findingsLeadToTheirShaderInstanceOrTable]);
