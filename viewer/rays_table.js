/* Binary answers as tables of typed arrays (analysis/viewer/binary.h), and the rays of a launch as such a table: from the
 * server; or, in a single file, out of the rays that it holds.
 *
 *     const rays = await loadRays(context, {launch: 3, end: ["hit", "miss"], count: 5000});
 *     rays.count, rays.matches, rays.total, rays.box, rays.columns.line, rays.columns.ray, ...
 */

import {selectRows} from "./rays_filter.js";

const HEADER = 56;
const ENTRY = 24;
const NO_RAY = 0xffffffff;

const ARRAYS = {1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 5: Float32Array};

/**
 * A binary answer: {magic, count, matches, total, box, columns: {name: typed array}, widths: {name: values of a row}}. The
 * arrays lie in the buffer; nothing is copied. `magic` is what is expected ("WSRY").
 */
export function decodeTable(buffer, magic) {
    const view = new DataView(buffer);
    const found = String.fromCharCode(...new Uint8Array(buffer, 0, 4));
    if (found !== magic || view.getUint32(4, true) !== 1)
        throw new Error(`the answer is ${found} of version ${view.getUint32(4, true)}, not ${magic} of version 1`);
    const count = view.getUint32(8, true);
    const columnCount = view.getUint32(12, true);
    const table = {
        magic, count, matches: Number(view.getBigUint64(16, true)), total: Number(view.getBigUint64(24, true)),
        box: Array.from(new Float32Array(buffer, 32, 6)), columns: {}, widths: {},
    };
    let at = HEADER + ENTRY * columnCount;
    for (let i = 0; i < columnCount; ++i) {
        const entry = HEADER + ENTRY * i;
        const name = String.fromCharCode(...new Uint8Array(buffer, entry, 16)).replace(/\0+$/u, "");
        const ofType = ARRAYS[view.getUint32(entry + 16, true)];
        const width = view.getUint32(entry + 20, true);
        table.columns[name] = new ofType(buffer, at, count * width);
        table.widths[name] = width;
        at += Math.ceil(count * width * ofType.BYTES_PER_ELEMENT / 4) * 4;
    }
    return table;
}

/** The chosen rows of a table, as a table of their own. */
export function takeRows(table, rows) {
    const taken = {...table, count: rows.length, columns: {}};
    for (const [name, column] of Object.entries(table.columns)) {
        const width = table.widths[name];
        const values = new column.constructor(rows.length * width);
        for (let i = 0; i < rows.length; ++i)
            for (let part = 0; part < width; ++part)
                values[i * width + part] = column[rows[i] * width + part];
        taken.columns[name] = values;
    }
    return taken;
}

/* Lines of a table are places in its box: moves those of `table` into another box. */
function moveLines(table, box) {
    const {line} = table.columns;
    const moved = new Uint16Array(line.length);
    for (let i = 0; i < line.length; ++i) {
        const axis = i % 4;
        const side = axis < 3 ? box[3 + axis] - box[axis] : 0;
        const place = axis < 3 ? table.box[axis] + line[i] / 65535 * (table.box[3 + axis] - table.box[axis]) : 0;
        moved[i] = axis === 3 ? line[i] : side > 0 ? Math.round((place - box[axis]) / side * 65535) : 0;
    }
    return moved;
}

const hasBox = table => table.box.some(side => side !== 0);

/* Several tables of rays of one launch as one, each ray once, in the order in which they come. */
function joinTables(tables) {
    const known = new Set();
    const boxes = tables.filter(hasBox).map(table => table.box);
    const box = [0, 1, 2, 3, 4, 5].map(i => boxes.length === 0 ? 0
        : (i < 3 ? Math.min : Math.max)(...boxes.map(one => one[i])));
    const parts = tables.map(table => {
        const rows = [];
        for (let row = 0; row < table.count; ++row)
            if (!known.has(table.columns.ray[row])) {
                known.add(table.columns.ray[row]);
                rows.push(row);
            }
        const part = takeRows(table, rows);
        part.columns.line = moveLines(part, box);
        return part;
    });
    const joined = {...tables[0], box, count: known.size, matches: known.size, columns: {}};
    for (const [name, column] of Object.entries(tables[0].columns)) {
        joined.columns[name] = new column.constructor(known.size * tables[0].widths[name]);
        let at = 0;
        for (const part of parts) {
            joined.columns[name].set(part.columns[name], at);
            at += part.columns[name].length;
        }
    }
    return joined;
}

const heldRays = new Map();
const SAMPLE = 20000; // rays of an answer that does not say how many
const TOLD = 256; // rays of one answer in words: WS_RAYS_TOLD in analysis/viewer/rays/ray_query.h

/* All rays of a launch that the single file holds: the sample first, then its further parts, then what lists and advice lead to. */
function held(context, launch, capture) {
    const key = `${capture ?? "a"} ${launch}`;
    if (!heldRays.has(key)) {
        const place = query => (Object.keys(query).every(name => ["launch", "first", "count"].includes(name)) ? Number(query.first ?? 0) : Infinity);
        const some = context.data.held("rays", capture).filter(query => Number(query.launch) === launch && query.columns === undefined)
            .sort((a, b) => place(a) - place(b) || 0);
        if (some.length === 0)
            return context.data.binary("rays", {launch}, capture); // which says that it is left out
        heldRays.set(key, Promise.all(some.map(async query =>
            decodeTable(await context.data.binary("rays", query, capture), "WSRY"))).then(joinTables));
    }
    return heldRays.get(key);
}

/* A question that an answer of the file is for but for how many rays are wanted: the beginning of the sample, or a thread. */
function wholeOf(context, query, capture) {
    const {count, first, ...rest} = query;
    return Number(first ?? 0) === 0 && Number(count ?? 0) <= SAMPLE && context.data.has("rays", rest, capture) ? rest : null;
}

/* The rows of rays that hit nearest to where they start. */
function shortestRows(table, rows, most) {
    const {end, ray, t} = table.columns;
    return rows.filter(row => end[row] === 1 && !Number.isNaN(t[row])).sort((a, b) => t[a] - t[b] || ray[a] - ray[b]).subarray(0, most);
}

/**
 * The rays that fit `query`: {launch, count, first, shortest, and the keys of filters (analysis/viewer/rays/ray_filter.h)}. In
 * a single file that holds neither this answer nor all rays of the launch, `partial` is true, and `matches` counts only rays that
 * the file holds.
 */
export async function loadRays(context, query, capture) {
    if (context.data.has("rays", query, capture))
        return decodeTable(await context.data.binary("rays", query, capture), "WSRY");
    const whole = wholeOf(context, query, capture);
    if (whole !== null) {
        const table = decodeTable(await context.data.binary("rays", whole, capture), "WSRY");
        if (table.count === table.matches || table.count >= Number(query.count ?? SAMPLE))
            return takeRows(table, Uint32Array.from({length: Math.min(table.count, Number(query.count ?? SAMPLE))}, (_, row) => row));
    }
    const all = await held(context, query.launch, capture);
    const rows = selectRows(all, query, context.capture.rules.map(rule => rule.name));
    const first = Number(query.first ?? 0);
    const table = takeRows(all, query.shortest === undefined ? rows.subarray(first, first + Number(query.count ?? SAMPLE))
        : shortestRows(all, rows, Number(query.shortest)));
    return {...table, matches: rows.length, partial: all.count < all.total};
}

/** All that is known of a ray (analysis/viewer/rays/ray_json.c): in a single file maybe as one of a part. */
export async function loadRay(context, launch, ray, capture) {
    const part = {launch, first: ray - ray % TOLD, count: TOLD};
    if (context.data.has("ray.json", {launch, ray}, capture) || !context.data.has("ray.json", part, capture))
        return context.data.json("ray.json", {launch, ray}, capture);
    const {rays} = await context.data.json("ray.json", part, capture);
    return rays.find(one => one.ray === ray);
}

export {NO_RAY};
