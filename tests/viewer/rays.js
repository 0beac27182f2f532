// Rays in a single file: what is asked for and not held is picked out of what is held, each ray once.
import assert from "node:assert/strict";

import {loadRays} from "../../viewer/rays_table.js";
import {run} from "./test.js";

const COLUMNS = [["line", 2, 8], ["ray", 4, 1], ["parent", 4, 1], ["depth", 2, 1], ["end", 1, 1], ["rules", 4, 1]];

/* A binary answer as analysis/viewer/binary.h has it; `rays` are [ray, parent, depth, end, rules, x at the end]. */
function answer(rays, box, total) {
    const sizes = COLUMNS.map(([, type, width]) => Math.ceil(rays.length * width * type / 4) * 4);
    const buffer = new ArrayBuffer(56 + 24 * COLUMNS.length + sizes.reduce((sum, size) => sum + size, 0));
    const view = new DataView(buffer);
    new Uint8Array(buffer).set(new TextEncoder().encode("WSRY"));
    [1, rays.length, COLUMNS.length, rays.length, 0, total, 0].forEach((value, i) => view.setUint32(4 + 4 * i, value, true));
    box.forEach((side, i) => view.setFloat32(32 + 4 * i, side, true));
    let at = 56 + 24 * COLUMNS.length;
    COLUMNS.forEach(([name, type, width], i) => {
        new Uint8Array(buffer, 56 + 24 * i).set(new TextEncoder().encode(name));
        view.setUint32(72 + 24 * i, type, true);
        view.setUint32(76 + 24 * i, width, true);
        const values = new ({1: Uint8Array, 2: Uint16Array, 4: Uint32Array})[type](buffer, at, rays.length * width);
        rays.forEach((ray, row) => i === 0 ? values.set([0, 0, 0, 0, ray[5], 0, 0, 1], row * 8) : values.set([ray[i - 1]], row));
        at += sizes[i];
    });
    return buffer;
}

const NONE = 0xffffffff;

/* A file with a sample of three of ten rays, and the one ray that is evidence for `leaks`, with its parent. */
const HELD = {
    "{\"launch\":3}": answer([[5, NONE, 0, 1, 0, 65535], [7, 5, 1, 2, 0, 0], [1, NONE, 0, 2, 0, 32768]], [0, 0, 0, 10, 0, 0], 10),
    "{\"launch\":3,\"rule\":\"leaks\",\"parents\":1}":
        answer([[5, NONE, 0, 1, 0, 32768], [9, 5, 1, 2, 2, 65535]], [0, 0, 0, 20, 0, 0], 10),
};

const context = {
    capture: {rules: [{name: "opaque"}, {name: "leaks"}]},
    data: {
        held: () => Object.keys(HELD).map(text => JSON.parse(text)),
        has: (name, query) => Object.hasOwn(HELD, JSON.stringify(query)),
        binary: async (name, query) => HELD[JSON.stringify(query)],
    },
};

async function whatIsHeldIsGivenAsItIs() {
    const rays = await loadRays(context, {launch: 3});
    assert.deepEqual([...rays.columns.ray], [5, 7, 1]);
    assert.equal(rays.partial, undefined);
    assert.equal(rays.total, 10);
}

async function theRestIsPickedOutOfAll() {
    const all = await loadRays(context, {launch: 3, depth: "0-"});
    assert.deepEqual([...all.columns.ray], [5, 7, 1, 9]);
    assert.deepEqual([all.partial, all.matches, all.total], [true, 4, 10]);
    // x = 10, 0 and 5 of the first answer, 20 of the second: of a box from 0 to 20 half, none, a quarter and all.
    assert.deepEqual(all.box, [0, 0, 0, 20, 0, 0]);
    assert.deepEqual([0, 1, 2, 3].map(row => all.columns.line[row * 8 + 4]), [32768, 0, 16384, 65535]);
    assert.equal(all.columns.line[7], 1);
}

async function byFiltersAndPages() {
    const missed = await loadRays(context, {launch: 3, end: "miss", count: 2});
    assert.deepEqual([[...missed.columns.ray], missed.matches], [[7, 1], 3]);
    const next = await loadRays(context, {launch: 3, end: ["miss"], count: 2, first: 2});
    assert.deepEqual([...next.columns.ray], [9]);
    const leaks = await loadRays(context, {launch: 3, rule: "leaks"});
    assert.deepEqual([...leaks.columns.ray], [9]);
    const parents = await loadRays(context, {launch: 3, rule: "leaks", parents: 1, depth: "1-"});
    assert.deepEqual([...parents.columns.ray], [5, 9]);
    await assert.rejects(loadRays(context, {launch: 3, end: "far"}), /'far' is none of unknown, hit/u);
}

await run([whatIsHeldIsGivenAsItIs, theRestIsPickedOutOfAll, byFiltersAndPages]);
