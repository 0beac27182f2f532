/* The lines of a shader without their drawing: which are hot, which belong together in two forms, where a place is. A form is
 * an answer of shader.json (analysis/annotate/annotate_json.c), a row the index of one of its lines. */

import {number, share} from "../format.js";

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const HOT_MOST = 40;

/** A line's text as it can be shown: control characters, which could reorder what stands around them, are written out. */
export function shownLine(text) {
    return text.replace(CONTROL, found => `\\u${found.codePointAt(0).toString(16).padStart(4, "0")}`);
}

/* What heat stands for: the cost of the line; in a form where no cost is known (GLSL), how often the line ran. */
function weightsOf(form) {
    const member = form.lines.some(line => line.thread_executions !== undefined) ? "thread_executions" : "executions";
    return form.lines.map(line => line[member] ?? 0);
}

/** How hot each row is, from 0 to 1: its cost as a part of that of the hottest row of the form. */
export function heats(form) {
    const weights = weightsOf(form);
    const most = weights.reduce((top, weight) => Math.max(top, weight), 0);
    return weights.map(weight => most > 0 ? weight / most : 0);
}

/** The form with a row in front of each file, which has its name and no number: {heading: true, text, file}. */
export function withFiles(form) {
    const lines = form.lines.flatMap((line, row) => (line.file === undefined || line.file === form.lines[row - 1]?.file ? [line]
        : [{heading: true, file: line.file, text: form.files[line.file].text ? form.files[line.file].name
            : `${form.files[line.file].name} (the module does not hold its text)`}, line]));
    return {...form, lines};
}

/** The hottest rows, the hottest first; of equal ones the upper first. */
export function hottest(form) {
    return weightsOf(form).map((weight, row) => [weight, row]).filter(([weight]) => weight > 0)
        .sort(([one, at], [other, under]) => other - one || at - under).slice(0, HOT_MOST).map(([, row]) => row);
}

/** The row after `row` (or before it) in the order of heat; from a row that is not hot the hottest. -1 = no row is hot. */
export function nextHot(hot, row, by) {
    const at = hot.indexOf(row);
    if (hot.length === 0)
        return -1;
    return at < 0 ? hot[0] : hot[(at + by + hot.length) % hot.length];
}

/** Rows whose text has `text`, in upper or lower case. */
export function searchRows(form, text) {
    const wanted = text.toLowerCase();
    return wanted === "" ? [] : form.lines.flatMap((line, row) => line.text.toLowerCase().includes(wanted) ? [row] : []);
}

/** The row of a line of a source file; without a file, the first of that number that has code. -1 = none. */
export function rowOfLine(form, file, number) {
    const find = test => form.lines.findIndex(line => line.number === number && test(line));
    if (file !== "")
        return find(line => form.files[line.file]?.name === file);
    const withCode = find(line => line.executions !== undefined);
    return withCode >= 0 ? withCode : find(() => true);
}

/** The first row of a block, by the id of its label, and its part. -1 = none. */
export function rowOfBlock(form, label, part = null) {
    const block = form.blocks.find(one => one.block === label && (one.part ?? null) === part);
    if (!block)
        return -1;
    const begins = form.lines.findIndex(line => line.begins?.includes(block.index));
    return begins >= 0 ? begins : form.lines.findIndex(line => line.blocks?.includes(block.index));
}

function isPlace(line, place) {
    return place !== null && line.place !== undefined && line.place[0] === place[0] && line.place[1] === place[1];
}

/**
 * The rows of `other` that belong to row `row` of `form`. Source and SPIR-V are tied by the line that each instruction comes
 * from, all else by the blocks whose code stands in both.
 */
export function relatedRows(form, row, other) {
    const line = form.lines[row];
    if (!line)
        return [];
    const rows = test => other.lines.flatMap((one, index) => test(one) ? [index] : []);
    if (form.form === "source" && other.form === "spirv") {
        const found = rows(one => isPlace(one, line.number === undefined ? null : [line.file, line.number]));
        if (found.length > 0)
            return found;
    }
    if (form.form === "spirv" && other.form === "source" && line.place)
        return rows(one => one.file === line.place[0] && one.number === line.place[1]);
    const blocks = new Set(line.blocks ?? []);
    return rows(one => one.blocks?.some(block => blocks.has(block)));
}

/** The rows of a form for a line of a source that this form does not show: instructions, or blocks, that come from it. */
export function rowsOfPlace(form, file, number) {
    if (form.form === "source") {
        const row = rowOfLine(form, file, number);
        return row < 0 ? [] : [row];
    }
    const index = form.files.findIndex(one => one.name === file);
    const exact = form.lines.flatMap((line, row) => isPlace(line, [index, number]) ? [row] : []);
    if (exact.length > 0)
        return exact;
    const blocks = new Set(form.blocks.filter(block => block.file === file && block.line <= number && number <= block.line_last)
        .map(block => block.index));
    return form.lines.flatMap((line, row) => line.blocks?.some(block => blocks.has(block)) ? [row] : []);
}

/** Why lanes were idle in a line: [{name, label, lanes}], active ones first, without those of no lane. */
export function causesOf(line) {
    const names = [["active", "active"], ["control_flow", "control flow"], ["indirect_call", "indirect call"],
        ["early_return", "early return"], ["partial_warp", "partial warp"], ["helper_lanes", "helper lanes"]];
    return names.map(([name, label]) => ({name, label, lanes: line.lanes?.[name] ?? 0})).filter(cause => cause.lanes > 0);
}

/** What an output of a probe yielded, in few words: "nan.born 12", "depth.most 5 of 10,240", "trips.trips 10,240 times". */
export function yieldText({probe, output, kind, count, value}) {
    const times = `${number(count)} time${count === 1 ? "" : "s"}`;
    const said = kind === "count" ? number(count) : value === null ? times : `${number(value)} of ${number(count)}`;
    return shownLine(`${probe}.${output} ${said}`);
}

/** What caches make of the accesses of a line, of all buffers: {requests, each (sectors of a request), l1, l2 (hit rates; null where
 * nothing asked)}. null = it has none. */
export function memoryOf(line) {
    const list = line.memory ?? [];
    const sum = name => list.reduce((all, access) => all + access[name], 0);
    const rate = (hits, sectors) => sectors > 0 ? hits / sectors : null;
    const requests = sum("requests");
    return requests === 0 ? null : {
        requests, each: sum("sectors") / requests,
        l1: rate(sum("l1_hits"), sum("l1_sectors")), l2: rate(sum("l2_hits"), sum("l2_sectors")),
    };
}

/** One kind of access to one buffer in words, as `warpscope annotate` has it: "load A (set 0, binding 0): 512 requests, ...". */
export function memoryText(access) {
    const {requests, each, l1, l2} = memoryOf({memory: [access]});
    const rates = [["L1", l1], ["L2", l2]].filter(([, rate]) => rate !== null).map(([name, rate]) => `${name} ${share(rate)}`);
    return shownLine([`${access.access} ${access.buffer ?? "?"}: ${number(requests)} request${requests === 1 ? "" : "s"}`,
        `${each.toFixed(2)} sectors each`, ...rates, `${number(access.memory_bytes)} bytes from memory`].join(", "));
}
