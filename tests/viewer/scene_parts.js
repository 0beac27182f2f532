// Meshes, models, lists and options of the scene, against answers by hand.
import assert from "node:assert/strict";

import {listsOfFilters} from "../../viewer/scene/filters_panel.js";
import {rangeEnds, rangeText, rectangleText, toggleValue} from "../../viewer/scene/ray_ranges.js";
import {drawnOf, primitiveOf, readMesh} from "../../viewer/scene/mesh_answer.js";
import {ratedOf} from "../../viewer/scene/mesh_rates.js";
import {createMeshes} from "../../viewer/scene/meshes.js";
import {boxesOf, createRateBoxes, linesOf} from "../../viewer/scene/rate_boxes.js";
import {countOf, optionsOf, setOptions, USUAL} from "../../viewer/scene/scene_options.js";
import {createModel, transformBox, unionOf} from "../../viewer/scene/scene_model.js";
import {loadRates} from "../../viewer/scene/stage.js";
import {describeStage, whyNoScene} from "../../viewer/scene/stage_words.js";
import {listsOf} from "../../viewer/scene/steps.js";
import {run} from "./test.js";

/* An answer of `mesh` (analysis/viewer/scenes/mesh.h): a part of two triangles, of which the second is primitive 5, and one of a box. */
function meshAnswer() {
    const view = new DataView(new ArrayBuffer(48 + 2 * 64 + 48 + 24 + 8 + 24));
    const words = (at, list) => list.forEach((word, i) => view.setUint32(at + 4 * i, word, true));
    const floats = (at, list) => list.forEach((value, i) => view.setFloat32(at + 4 * i, value, true));
    words(0, [0x484d5357, 1, 3, 2, 0, view.byteLength]);
    floats(24, [0, 0, 0, 2, 2, 2]);
    words(48, [0, 0, 1, 6, 4, 4, 2, 176, 224, 248]);
    words(112, [2, 1, 0, 1, 0, 0, 1, 256, 0, 0]);
    floats(176, [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
    words(224, [0, 1, 2, 0, 2, 3]);
    words(248, [0, 5]);
    floats(256, [0, 0, 0, 2, 2, 2]);
    return view.buffer;
}

function meshesAreRead() {
    const mesh = readMesh(meshAnswer());
    assert.equal(mesh.content, 3);
    assert.equal(mesh.parts[0].leftOut, 4);
    const drawn = drawnOf(mesh);
    assert.equal(drawn.triangles, 2 + 12);
    assert.equal(drawn.positions.length, 3 * (4 + 8));
    assert.deepEqual(Array.from(drawn.geometries), [0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2]);
    assert.deepEqual(primitiveOf(drawn, 0), {geometry: 0, primitive: 0});
    assert.deepEqual(primitiveOf(drawn, 1), {geometry: 0, primitive: 5});
    assert.deepEqual(primitiveOf(drawn, 2 + 11), {geometry: 2, primitive: 0});
    assert.equal(drawn.edges.length, 24);
    assert.throws(() => readMesh(new ArrayBuffer(100)), /no mesh/);
}

/* Each side of a box is two triangles, all of whose corners have the same coordinate there. */
function boxesAreClosed() {
    const drawn = drawnOf(readMesh(meshAnswer()));
    const sides = new Map();
    for (let triangle = 2; triangle < drawn.triangles; ++triangle) {
        const corners = Array.from(drawn.indices.subarray(3 * triangle, 3 * triangle + 3), vertex => drawn.positions.subarray(3 * vertex, 3 * vertex + 3));
        const axis = [0, 1, 2].find(i => corners.every(corner => corner[i] === corners[0][i]));
        const side = `${axis} ${corners[0][axis]}`;
        sides.set(side, (sides.get(side) ?? 0) + 1);
    }
    assert.deepEqual([...sides.values()], [2, 2, 2, 2, 2, 2]);
}

/* Primitive 5 of geometry 0 hits always, the box of geometry 2 never; primitive 0 has no rate. */
function trianglesHaveTheirRates() {
    const drawn = drawnOf(readMesh(meshAnswer()));
    const rows = {count: 3, columns: {geometry: [0, 2, 0], primitive: [5, 0, 0], l1: [1, 0, -1]}};
    const rated = ratedOf(drawn, rows, "l1", "viridis");
    const colourOf = triangle => Array.from(rated.colours.subarray(12 * triangle, 12 * triangle + 4));
    assert.equal(rated.colours.length, 12 * 14);
    assert.deepEqual(colourOf(0), [0, 0, 0, 0]);
    assert.deepEqual(colourOf(1), [0xfd, 0xe7, 0x25, 255]);
    for (let triangle = 2; triangle < 14; ++triangle)
        assert.deepEqual(colourOf(triangle), [0x44, 0x01, 0x54, 255]);
    assert.deepEqual(Array.from(rated.positions.subarray(9, 18)), [0, 0, 0, 1, 1, 0, 0, 1, 0]); // corners 0, 2, 3
    assert.deepEqual(Array.from(rated.geometries.subarray(3, 9)), [0, 0, 0, 2, 2, 2]);
}

/* Of three boxes those of depth 1 and 2; the second has no rate. */
function boxesOfDepthsAreLines() {
    const bounds = Float32Array.from([0, 0, 0, 9, 9, 9, 1, 2, 3, 4, 5, 6, 1, 1, 1, 2, 2, 2]);
    const rows = {count: 3, columns: {depth: [0, 1, 2], l1: [1, -1, 0], bounds}};
    const numbers = boxesOf(rows, [1, 2]);
    assert.deepEqual(numbers, [1, 2]);
    const lines = linesOf(rows, numbers, "l1", "viridis", [1, 0, 0]);
    assert.equal(lines.positions.length, 2 * 72);
    assert.deepEqual(Array.from(lines.positions.subarray(0, 6)), [0, 2, 3, 3, 2, 3]); // along x, moved by the centre
    assert.deepEqual(Array.from(lines.colours.subarray(0, 3)), [128, 128, 128]);
    assert.deepEqual(Array.from(lines.colours.subarray(72, 75)), [0x44, 0x01, 0x54]);
}

const PARENT = {add() {}, remove() {}};

/* What is said of a stage with these meshes and boxes. */
function wordsOf({meshes, boxes}) {
    const state = {get: name => name === "scene" ? {} : null};
    return describeStage({
        meshes: meshes ?? {counts: () => ({instances: 1, triangles: 7, boxes: 0, plain: 0})}, boxes: boxes ?? {counts: () => ({drawn: 0, left: 0})},
        rays: {shown: {answer: null, classes: []}}, model: {hasGeometry: true}, points: {clouds: new Map()}, state, launch: 0,
    }).short;
}

/* Room for 3 boxes: one of the top level, two of the content's first instance; the second instance's two find none. */
async function boxesWithoutRoomAreCounted() {
    const tables = {undefined: 1, 5: 2};
    const load = async content => (
        {count: tables[content], columns: {depth: [0, 1], l1: [1, 0], bounds: new Float32Array(6 * tables[content])}});
    const transform = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
    const model = {instances: [{content: 5, transform}, {content: 5, transform}]};
    const boxes = createRateBoxes(PARENT, {model, centre: [0, 0, 0], changed() {}, fail: error => assert.fail(error), load, most: 3});
    assert.doesNotMatch(wordsOf({boxes}), /boxes/);
    await boxes.set([0, 9], "l1", "viridis");
    assert.deepEqual(boxes.counts(), {drawn: 3, left: 2});
    assert.match(wordsOf({boxes}), / · only 3 of 5 boxes of the model BVH: choose fewer depths$/);
    await boxes.set([0, 0], "l1", "viridis");
    assert.deepEqual(boxes.counts(), {drawn: 3, left: 0});
    await boxes.set([], "l1", "viridis");
    assert.deepEqual(boxes.counts(), {drawn: 0, left: 0});
}

/* While the table is still on its way the depths are changed, and changed back: each box is drawn once. */
async function boxesThatAreLateAreDrawnOnce() {
    const answers = [];
    const load = () => new Promise(answer => answers.push(answer));
    const boxes = createRateBoxes(PARENT, {model: {instances: []}, centre: [0, 0, 0], changed() {}, fail: error => assert.fail(error), load});
    const all = [[0, 9], [0, 0], [0, 9]].map(range => boxes.set(range, "l1", "viridis"));
    answers.forEach(answer => answer({count: 2, columns: {depth: [0, 1], l1: [1, 0], bounds: new Float32Array(12)}}));
    await Promise.all(all);
    assert.deepEqual(boxes.counts(), {drawn: 2, left: 0});
}

/* A table that failed is asked for again: by who asks for rates, and by boxes of the same depths. One that came is kept. */
async function ratesThatFailedAreAskedForAgain() {
    let asked = 0;
    const table = new ArrayBuffer(64);
    new Uint32Array(table).set([0x54525357, 1]); // "WSRT"; no column, no row
    const binary = async () => {
        if (++asked === 1)
            throw new Error("no memory");
        return table;
    };
    const stage = {context: {data: {binary}, key: "a"}, launch: 0, rates: new Map()};
    const errors = [];
    const boxes = createRateBoxes(PARENT, {
        model: {instances: []}, centre: [0, 0, 0], changed() {}, fail: error => errors.push(error.message),
        load: async content => ({...await loadRates(stage, content, "boxes"), count: 1, columns: {depth: [0], l1: [1], bounds: new Float32Array(6)}}),
    });
    await boxes.set([0, 9], "l1", "viridis");
    assert.deepEqual([asked, errors, boxes.counts().drawn], [1, ["no memory"], 0]);
    await boxes.set([0, 9], "l1", "viridis");
    assert.deepEqual([asked, errors.length, boxes.counts().drawn], [2, 1, 1]);
    await loadRates(stage, undefined, "boxes");
    assert.equal(asked, 2);
}

/* A scene that is too large to be drawn in full: its one content comes with less detail, two triangles and a box, to which no rate belongs. */
async function simplifiedMeshesShowNoRates() {
    const model = {
        contents: new Map([[3, {content: 3, primitives: 4e6, detail: 1, geometries: [{}, {}, {}]}]]), isWall: () => false,
        instances: [{content: 3, transform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]}],
    };
    const meshes = createMeshes(PARENT, {
        model, centre: [0, 0, 0], isSoftware: true, load: async () => meshAnswer(), loaded() {}, fail: error => assert.fail(error),
        loadRates: async () => assert.fail("rates of no triangle"),
    });
    await meshes.start();
    assert.equal(meshes.counts().plain, 0);
    assert.match(wordsOf({meshes}), /2 triangles and 1 box of 1 instance, simplified$/);
    await meshes.setRates({of: "model", column: "l1", map: "viridis"});
    assert.equal(meshes.counts().plain, 3);
    assert.match(wordsOf({meshes}), /2 triangles and 1 box of 1 instance, simplified: 3 of them cannot show hit rates$/);
}

const scene = {
    bounds: [0, 0, 0, 4, 4, 4], tops: [{structure: 9, name: ""}], fields: [{name: "hits", kind: "count"}],
    cameras: [{name: "primary rays", transform: [1, 0, 0, 2, 0, 1, 0, 2, 0, 0, 1, 2]}],
    contents: [
        {content: 0, bounds: [0, 0, 0, 4, 4, 4], geometries: [{}, {}], primitives: 12, name: "room"},
        {content: 1, bounds: [-1, -1, -1, 1, 1, 1], geometries: [{}], primitives: 1, name: ""},
    ],
    instances: [
        {index: 0, custom_index: 0, content: 0, top: 0, transform: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]},
        {index: 1, custom_index: 7, content: 1, top: 0, transform: [0, -2, 0, 2, 1, 0, 0, 2, 0, 0, 1, 2]},
    ],
    figures: {geometries: [{instance: 1, custom_index: 7, geometry: 0, hits: 42}]},
};

function boxesOfInstancesAreInTheWorld() {
    assert.deepEqual(transformBox([0, -2, 0, 2, 1, 0, 0, 2, 0, 0, 1, 2], [-1, -1, -1, 1, 1, 1]), [0, 1, 1, 4, 3, 3]);
    assert.deepEqual(unionOf([[0, 0, 0, 1, 1, 1], null, [-1, 0, 0, 0, 0, 5]]), [-1, 0, 0, 1, 1, 5]);
    assert.equal(unionOf([]), null);
}

function roomsAroundTheCameraAreWalls() {
    const model = createModel(scene);
    assert.equal(model.isWall(0), true);
    assert.equal(model.isWall(1), false);
    assert.equal(model.figureOf(1, 0).hits, 42);
    assert.equal(model.figureOf(0, 0), undefined);
    const outside = structuredClone(scene);
    outside.cameras[0].transform[3] = 9;
    assert.equal(createModel(outside).isWall(0), false); // a statue alone stays whole
    const sphere = structuredClone(scene);
    sphere.contents[0].geometries = [{type: "aabbs"}];
    assert.equal(createModel(sphere).isWall(0), false); // only its box is so large
}

function filtersListWhatThereIs() {
    const counts = {
        ends: {unknown: 0, hit: 30, miss: 10, implicit_hit: 0, no_shader: 0}, kinds: {trace: 40, skip_closest_hit: 0, query: 0},
        depths: [30, 0, 10], instances: [{instance: 1, rays: 20}, {instance: 0, rays: 10}], rules: [{rule: "leaks", rays: 4}],
        sites: [{site: 0, name: "traceRay at a:1", shader_id: 7, shader: "a:main", rays: 30},
            {site: 1, name: "traceRay at a:2", shader_id: 7, shader: "a:main", rays: 10}],
    };
    const lists = Object.fromEntries(listsOfFilters(counts, createModel(scene), [{name: "leaks", title: "Close gaps"}])
        .map(list => [list.key, list.values]));
    assert.deepEqual(Object.keys(lists), ["end", "depth", "site", "instance", "geometry", "rule"]); // no choice of one
    assert.deepEqual(lists.end.map(one => [one.value, one.count]), [["hit", 30], ["miss", 10]]);
    assert.deepEqual(lists.depth.map(one => one.value), ["0", "2"]);
    assert.deepEqual(lists.instance.map(one => one.label), ["instance 1", "instance 0 (room)"]);
    assert.deepEqual(lists.rule, [{value: "leaks", label: "Close gaps", count: 4}]);
}

function filtersAreWrittenAsTheirKeysWant() {
    assert.equal(toggleValue(undefined, "hit", true), "hit");
    assert.equal(toggleValue("hit", "miss", true), "hit,miss");
    assert.equal(toggleValue("hit,miss", "hit", false), "miss");
    assert.equal(toggleValue("miss", "miss", false), undefined);
    assert.equal(rangeText("3", ""), "3-");
    assert.equal(rangeText("", "7"), "-7");
    assert.equal(rangeText("", ""), undefined);
    assert.deepEqual(rangeEnds("3-7"), ["3", "7"]);
    assert.deepEqual(rangeEnds("-7"), ["", "7"]);
    assert.deepEqual(rangeEnds("4"), ["4", "4"]);
    assert.deepEqual(rangeEnds(undefined), ["", ""]);
    assert.equal(rectangleText(["0", "1", "63", "31"]), "0,1-63,31");
    assert.equal(rectangleText(["0", "1", "63", ""]), undefined);
}

function optionsAsUsualAreLeftOut() {
    let values = {scene: {count: "many", points: ["hit"]}};
    const state = {get: name => values[name], set: changes => {
        values = {...values, ...changes};
    }};
    assert.equal(optionsOf(state).count, USUAL.count); // a hand-written address may have anything
    assert.equal(countOf(optionsOf(state), {}), 400); // of all rays as many as can be told apart
    assert.equal(countOf(optionsOf(state), {rule: "leaks"}), 3000);
    assert.equal(countOf({...optionsOf(state), count: 10000}, {}), 10000); // what the user chose
    setOptions(state, {count: 5000});
    assert.deepEqual(values.scene, {count: 5000, points: ["hit"]});
    setOptions(state, {count: USUAL.count, points: []}, {ray: 7});
    assert.deepEqual(values, {scene: {}, ray: 7});
}

async function listsLeadToThreadsAndInstances() {
    const report = {analyses: {
        execution_trace: {most: [
            {of: "threads blocks", value: 44, launch: 0, thread: "54,20", warp: 166},
            {of: "threads blocks", value: 43, launch: 1, thread: "1,1", warp: 2},
            {of: "warps blocks", value: 99, launch: 0, thread: "48,20", warp: 166},
        ]},
        advice: {advice: [{rule: "opaque", title: "Mark geometry opaque", thread: "17,20,0", thread_launch: 3, instance: 5, geometry: 2,
            x: 1, y: 2, z: 3, subject: "geometry 2 of bottom-level structure 1 (met in instance 5, custom index 1)"}]},
    }};
    const asked = [];
    const ask = async query => {
        asked.push(query);
        return {count: 2, box: [0, 0, 0, 1, 1, 1], columns: {
            t: Float32Array.of(0.1, 0.2), ray: Uint32Array.of(8, 9), instance: Uint32Array.of(0xffffffff, 4),
            thread: Uint32Array.of(1, 2, 0, 3, 4, 0), line: new Uint16Array(16),
        }};
    };
    const lists = Object.fromEntries(listsOf(report, 0, ask).map(list => [list.name, list]));
    const work = await lists.work.load();
    assert.deepEqual(work.map(item => item.places.thread), [[54, 20, 0]]); // of this launch alone
    assert.deepEqual((await lists.warps.load())[0].places.filters, {warp: "166"});
    const [opaque] = await lists.opaque.load();
    assert.deepEqual(opaque.places,
        {rule: "opaque", thread: [17, 20, 0], ray: null, instance: 5, geometry: 2, primitive: null, launch: 3});
    const short = await lists.short.load();
    assert.deepEqual(short.map(item => item.places.ray), [8, 9]); // as they came, the shortest first
    assert.deepEqual(asked[0], {launch: 0, shortest: 20});
    assert.equal(lists.leaks, undefined);
}

/* A program that traces nothing is not to be recorded again with the pass that it was recorded with. */
function noSceneIsExplained() {
    assert.match(whyNoScene({passes: ["simt_efficiency"]}), /warpscope record -p ray_events -- PROGRAM$/);
    assert.match(whyNoScene({passes: ["ray_events"]}), /^The launches of this capture trace no rays/);
}

await run([noSceneIsExplained, meshesAreRead, boxesAreClosed, trianglesHaveTheirRates, boxesOfDepthsAreLines, boxesWithoutRoomAreCounted,
    boxesThatAreLateAreDrawnOnce, ratesThatFailedAreAskedForAgain,
    simplifiedMeshesShowNoRates, boxesOfInstancesAreInTheWorld, roomsAroundTheCameraAreWalls, filtersListWhatThereIs, filtersAreWrittenAsTheirKeysWant,
    optionsAsUsualAreLeftOut, listsLeadToThreadsAndInstances]);
