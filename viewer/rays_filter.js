/* Filters on rays that are here already: the same as analysis/viewer/rays/ray_filter.c, for the rays that a single file holds. A
 * test holds both to the same answers. analysis/viewer/rays/ray_filter.h says what each key means. */

const NONE = 0xffffffff;
const ENDS = ["unknown", "hit", "miss", "implicit_hit", "no_shader"];
const KINDS = ["trace", "skip_closest_hit", "query"];

/** The keys of filters; other keys of a query are left to others. */
const FILTER_KEYS = ["end", "kind", "depth", "instance", "geometry", "primitive", "shader", "site", "any_hits",
    "intersections", "t", "warp", "pixels", "thread", "ids", "rule", "parents"];

/* "3", "3-7", "3-" or "-7" as [low, high]. */
function rangeOf(text) {
    const [, low, dash, high] = /^(\d*)(-?)(\d*)$/u.exec(text) ?? [];
    const range = [low === "" ? 0 : Number(low), dash === "" ? Number(low) : high === "" ? NONE - 1 : Number(high)];
    if (low === undefined || (low === "" && high === "") || !(range[0] <= range[1]) || range[1] >= NONE)
        throw new Error(`'${text}' is no number or range such as 3 or 3-7`);
    return range;
}

function nameOf(text, names) {
    const number = names.indexOf(text);
    if (number < 0)
        throw new Error(`'${text}' is none of ${names.join(", ")}`);
    return [number, number];
}

/* A test of one column: whether the value is in one of the ranges. */
function listTest(values, ranges) {
    return row => ranges.some(([low, high]) => values[row] >= low && values[row] <= high);
}

/* "0.5-2", "1e-3-", "-2" or "0.5". */
function distanceTest(values, text) {
    const number = String.raw`(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`;
    const [, low, dash, high] = new RegExp(`^(${number})?(-)?(${number})?$`, "u").exec(text) ?? [];
    const from = low === undefined ? -Infinity : Math.fround(Number(low));
    const to = dash === undefined ? from : high === undefined ? Infinity : Math.fround(Number(high));
    if ((low === undefined && high === undefined) || !(from <= to))
        throw new Error(`'${text}' is no distance or range such as 0.5-2`);
    return row => values[row] >= from && values[row] <= to;
}

function placeTest(columns, first, last) {
    const {thread} = columns;
    return row => first.every((low, axis) => thread[row * 3 + axis] >= low && thread[row * 3 + axis] <= last[axis]);
}

function pixelTest(columns, text) {
    const [, x0, y0, x1, y1] = /^(\d+),(\d+)(?:-(\d+),(\d+))?$/u.exec(text) ?? [];
    const first = [Number(x0), Number(y0)];
    const last = x1 === undefined ? first : [Number(x1), Number(y1)];
    if (x0 === undefined || first[0] > last[0] || first[1] > last[1])
        throw new Error(`'${text}' are no pixels such as 12,40 or 0,0-63,63`);
    return placeTest(columns, first, last);
}

function threadTest(columns, text) {
    if (!/^\d+(,\d+){0,2}$/u.test(text))
        throw new Error(`'${text}' is no thread such as 12,40,0`);
    const place = [...text.split(",").map(Number), 0, 0].slice(0, 3);
    return placeTest(columns, place, place);
}

function ruleTest(columns, text, rules) {
    const mask = text.split(",").reduce((bits, name) => {
        if (!rules.includes(name))
            throw new Error(`there is no rule of advice '${name}'`);
        return bits | 1 << rules.indexOf(name);
    }, 0);
    return row => (columns.rules[row] & mask) !== 0;
}

/* The test of a key. */
function testOf(columns, key, text, rules) {
    const list = (name, read) => listTest(columns[name], text.split(",").map(read));
    switch (key) {
    case "end": return list("end", item => nameOf(item, ENDS));
    case "kind": return list("kind", item => nameOf(item, KINDS));
    case "ids": return list("ray", rangeOf);
    case "t": return distanceTest(columns.t, text);
    case "pixels": return pixelTest(columns, text);
    case "thread": return threadTest(columns, text);
    case "rule": return ruleTest(columns, text, rules);
    default: return list(key, rangeOf);
    }
}

/* Adds the rows of rays that lead to those that fit, as far as the table has them. */
function addParents(columns, count, fits) {
    const rowOf = new Map();
    for (let row = 0; row < count; ++row)
        rowOf.set(columns.ray[row], row);
    for (let row = 0; row < count; ++row)
        for (let at = fits[row] === 1 ? rowOf.get(columns.parent[row]) : undefined; at !== undefined && fits[at] === 0;
            at = rowOf.get(columns.parent[at]))
            fits[at] = 2;
}

/**
 * The rows of a table (rays_table.js) whose rays fit a query, in their order. Keys of it that are none of filters are left
 * alone. `rules` are the names of the rules of advice, by bit. An Error says what is wrong with a value.
 */
export function selectRows(table, query, rules) {
    const {columns, count} = table;
    const given = FILTER_KEYS.filter(key => query[key] !== undefined && query[key] !== null);
    const tests = given.filter(key => key !== "parents").map(key =>
        testOf(columns, key, Array.isArray(query[key]) ? query[key].join(",") : String(query[key]), rules));
    const fits = new Uint8Array(count);
    for (let row = 0; row < count; ++row)
        fits[row] = tests.every(test => test(row)) ? 1 : 0;
    if (String(query.parents ?? 0) === "1")
        addParents(columns, count, fits);
    const rows = [];
    for (let row = 0; row < count; ++row)
        if (fits[row] !== 0)
            rows.push(row);
    return Uint32Array.from(rows);
}
