/* Boxes of the model BVH, by their edges, coloured by hit rates: those of the nodes of each content in each of its instances, and
 * those of the nodes and instances of the top levels. Of all depths a range is drawn. */

import {BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments} from "three";

import {mapTable, MISSING} from "../colour.js";
import {entryOf} from "./mesh_rates.js";
import {matrixOf} from "./mesh_picking.js";

const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];
const ENTRIES = 256;
const BOXES_MOST = 200000; // in all instances: of more nobody sees one

/** Numbers of the boxes of a table within a range of depths. */
export function boxesOf(rows, [least, most]) {
    return Array.from({length: rows.count}, (_, i) => i).filter(i => rows.columns.depth[i] >= least && rows.columns.depth[i] <= most);
}

/** Lines of boxes: {positions, colours}, 24 ends for each. `centre` is what is subtracted. */
export function linesOf(rows, numbers, column, map, centre) {
    const table = mapTable(map, ENTRIES);
    const positions = new Float32Array(72 * numbers.length);
    const colours = new Uint8Array(72 * numbers.length);
    for (const [at, number] of numbers.entries()) {
        const bounds = rows.columns.bounds.subarray(6 * number, 6 * number + 6);
        const rate = rows.columns[column][number];
        const colour = rate >= 0 ? table.subarray(entryOf(rate), entryOf(rate) + 3) : MISSING;
        for (const [end, corner] of EDGES.entries()) {
            for (let axis = 0; axis < 3; ++axis)
                positions[72 * at + 3 * end + axis] = bounds[axis + 3 * (corner >> axis & 1)] - centre[axis];
            colours.set(colour, 72 * at + 3 * end);
        }
    }
    return {positions, colours};
}

/**
 * Makes the boxes in `parent`, `most` at most. `load(content)` gives tables of `rates`; undefined is the top levels. Returns {set(),
 * counts(), destroy()}.
 */
export function createRateBoxes(parent, {model, centre, changed, fail, load, most = BOXES_MOST}) {
    const group = new Group();
    const material = new LineBasicMaterial({vertexColors: true, transparent: true, opacity: 0.8});
    let kept = "";
    let latest = 0; // the number of the last change: what an earlier one still loads is not wanted, nor where it is the same again
    let counts = {drawn: 0, left: 0};
    parent.add(group);

    function clear() {
        for (const object of group.children)
            object.geometry.dispose();
        group.clear();
        counts = {drawn: 0, left: 0};
    }

    function add(rows, range, column, map, {transform, middle}) {
        const numbers = boxesOf(rows, range);
        const drawn = numbers.slice(0, most - counts.drawn);
        counts = {drawn: counts.drawn + drawn.length, left: counts.left + numbers.length - drawn.length};
        if (drawn.length === 0)
            return;
        const lines = linesOf(rows, drawn, column, map, middle);
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(lines.positions, 3));
        geometry.setAttribute("color", new BufferAttribute(lines.colours, 3, true));
        const object = new LineSegments(geometry, material);
        object.frustumCulled = false;
        if (transform) {
            object.matrixAutoUpdate = false;
            object.matrix.copy(matrixOf(transform.map((part, i) => i % 4 === 3 ? part - centre[i >> 2] : part)));
        }
        group.add(object);
    }

    async function draw(range, column, map, isWanted) {
        const tops = await load();
        if (!isWanted())
            return;
        add(tops, range, column, map, {middle: centre});
        for (const {content, transform} of model.instances) {
            const rows = await load(content);
            if (!isWanted())
                return;
            add(rows, range, column, map, {transform, middle: [0, 0, 0]});
        }
    }

    return {
        /** Draws depths `range`: [least, most], or [] for none. */
        async set(range, column, map) {
            const now = JSON.stringify([range, column, map]);
            if (now === kept)
                return;
            kept = now;
            const mine = ++latest;
            clear();
            if (range.length !== 2 || !range.every(Number.isFinite))
                return;
            try {
                await draw(range, column, map, () => latest === mine);
            } catch (error) {
                if (latest === mine) {
                    kept = ""; // the same again is tried again
                    fail(error);
                }
            }
            changed();
        },
        /** {drawn, left: boxes of these depths for which there is no room}. */
        counts: () => counts,
        destroy() {
            latest++;
            clear();
            parent.remove(group);
            material.dispose();
        },
    };
}
