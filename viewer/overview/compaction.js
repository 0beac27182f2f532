/* Compaction (figure 3.7 of the paper): the share of warps that would be saved if so many warps in a row exchanged threads,
 * at all call sites and at each. */

import {fill, make} from "../dom.js";
import {createChart} from "../chart.js";
import {placeOfRow} from "../places.js";
import {barredShare, createTable} from "../table.js";

const COLUMNS = [
    {name: "call_site", title: "call site", kind: "text", long: true},
    {name: "warps", kind: "count", help: "warps that the visits require without compaction"},
    {name: "in_4", title: "window of 4", kind: "share"},
    {name: "in_16", title: "of 16", kind: "share"},
    {name: "in_64", title: "of 64", kind: "share"},
    {name: "in_all", title: "of all", kind: "share", show: row => barredShare(row.in_all)},
    {name: "paths", kind: "count", help: "different paths of its threads"},
];

/* "traceRay at raygen.rgen:19, called at ..." leads to that line. */
function placeOf(row) {
    const found = /:(\d+)/.exec(row.call_site);
    return placeOfRow("thread_compaction", {shader_id: row.shader_id, line: found ? Number(found[1]) : null});
}

export function createCompaction(context, {report}) {
    const compaction = report.analyses.thread_compaction;
    if (!compaction || compaction.windows.length === 0 || compaction.total.warps === 0)
        return null;
    const drawn = make("div");
    const table = createTable({
        label: "Compaction by call site", columns: COLUMNS, rows: compaction.call_sites, most: 8, tools: false,
        state: context.state, place: placeOf,
    });
    let chart = null;
    return {
        name: "compaction", title: "Thread compaction",
        help: "warps saved if threads were exchanged within a window of warps",
        more: {tab: "tables", table: "thread_compaction.call_sites"},
        content: fill(make("div"), drawn, table.element),
        start() {
            chart = createChart(drawn, {
                title: "Warps saved by compaction",
                x: {
                    label: "window, in warps", kind: "text", name: "window", values: compaction.windows.map((_, index) => index),
                    names: compaction.windows.map(row => row.window),
                },
                series: [{label: "warps saved", name: "compacted", kind: "share", draw: "bars",
                    values: compaction.windows.map(row => row.compacted)}],
            });
        },
        destroy() {
            chart?.destroy();
            table.destroy();
        },
    };
}
