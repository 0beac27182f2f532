/* How full the warps were, and why lanes were idle (figures 3.11 and 3.13 of the paper): for each shader, pipeline, stage
 * or launch, one row with all of it. */

import {button, fill, make} from "../dom.js";
import {CAUSE_COLOURS, stageColour} from "../colour.js";
import {legend, stackedBar} from "../chart.js";
import {placeOfRow} from "../places.js";
import {barredShare, createTable} from "../table.js";

const CAUSES = [
    ["active", "active"], ["control_flow", "control flow"], ["indirect_call", "indirect call"],
    ["early_return", "early return"], ["partial_warp", "partial warp"], ["helper_lanes", "helper lanes"],
    ["regrouped", "regrouped"],
];

/* What rows of a table are told apart by, and how they are shown. */
const BY = {
    shaders: {title: "Shaders", id: "shader_id", columns: [
        {name: "shader", kind: "text", long: true},
        {name: "stage", kind: "text", show: row => stageNodes(row.stage)},
    ]},
    pipelines: {title: "Pipelines", id: "pipeline_id", columns: [
        {name: "pipeline", kind: "text", long: true},
        {name: "pipeline_launches", title: "launches", kind: "count"},
    ]},
    stages: {title: "Stages", id: "stage", columns: [{name: "stage", kind: "text", show: row => stageNodes(row.stage)}]},
    launches: {title: "Launches", id: "launch", columns: [
        {name: "launch", kind: "id"}, {name: "label", kind: "text", long: true},
        {name: "launch_kind", title: "kind", kind: "text"},
    ]},
};

function stageNodes(stage) {
    return [make("i", {class: "swatch", style: {background: stageColour(stage)}}), " ", stage.replace("_", " ")];
}

/* Lanes that were active in an execution, as small columns: from 1 to all. */
function histogram(row) {
    if (!row.histogram || !row.subgroup_sizes?.length)
        return "";
    const size = Math.max(...row.subgroup_sizes);
    const counts = Array.from({length: size}, (_, lanes) => row.histogram[lanes + 1] ?? 0);
    const most = Math.max(...counts, 1);
    const text = counts.map((count, lanes) => [count, lanes + 1]).filter(([count]) => count > 0)
        .map(([count, lanes]) => `${count} x ${lanes}`).join(", ");
    return make("span", {class: "lanes", role: "img", "aria-label": `Executions by active lanes: ${text}`,
        title: `Executions by active lanes: ${text}`},
    counts.map(count => make("i", {style: {height: `${100 * count / most}%`}})));
}

function causeBar(row) {
    if (!row.divergence)
        return "";
    return stackedBar(CAUSES.map(([name, label]) => ({label, value: row.divergence[name] ?? 0, colour: CAUSE_COLOURS[name]})),
        row.divergence.slots);
}

/* Rows of simt_efficiency with those of divergence and warp_entry_exit that are of the same; of divergence alone where
 * there is nothing else. */
export function rowsOf(analyses, by) {
    const {id} = BY[by];
    const byId = analysis => new Map((analyses[analysis]?.[by] ?? []).map(row => [row[id], row]));
    const divergence = byId("divergence");
    const ends = byId("warp_entry_exit");
    const rows = analyses.simt_efficiency?.[by] ?? analyses.divergence?.[by] ?? [];
    return rows.map(row => ({...row, divergence: divergence.get(row[id]), slots: divergence.get(row[id])?.slots ?? row.slots ?? null,
        parts: ends.get(row[id])?.parts_per_entry ?? null}));
}

/** What the rows are sorted by at first: slots, as findings are, else what was recorded; launches stay as they came. */
export function orderOf(by, rows) {
    if (by === "launches")
        return "";
    return ["slots", "share"].filter(name => rows.some(row => (row[name] ?? null) !== null)).map(name => `-${name}`)[0] ?? "";
}

function columnsOf(by, rows) {
    const has = name => rows.some(row => row[name] !== null && row[name] !== undefined);
    return [
        ...BY[by].columns,
        has("share") && {name: "share", title: "of the instructions", kind: "share", show: row => barredShare(row.share),
            help: "of the instructions that threads executed in the capture; slots count idle lanes, too"},
        has("slots") && {name: "slots", kind: "count",
            help: "instruction slots, those of idle lanes among them: what the findings call work; the first row has most"},
        has("time_share") && {name: "time_share", title: "of the time", kind: "share", help: "of the device time"},
        has("efficiency") && {name: "efficiency", kind: "share", help: "active lanes / lanes, of executions of blocks"},
        has("efficiency_weighted") && {name: "efficiency_weighted", title: "by instructions", kind: "share",
            help: "efficiency where each block counts as often as it has instructions"},
        has("histogram") && {name: "histogram", title: "active lanes", kind: "text", show: histogram,
            help: "executions by the number of active lanes, from 1 at the left to all at the right"},
        has("divergence") && {name: "causes", title: "instruction slots", kind: "text", show: causeBar,
            value: row => row.divergence?.active ?? null,
            help: "slots of active lanes, and why the other lanes were idle"},
        has("parts") && {name: "parts", title: "parts per entry", kind: "number",
            help: "returns / entries: above 1 warps came apart, as with independent thread scheduling"},
        has("executions") && {name: "executions", kind: "count", help: "of blocks, by warps"},
    ].filter(Boolean);
}

function placeOf(by, row) {
    if (by === "shaders")
        return placeOfRow("simt_efficiency", {shader_id: row.shader_id});
    return by === "launches" ? {launch: row.launch} : null;
}

export function createShaders(context, {report}) {
    const {analyses} = report;
    const choices = Object.keys(BY).filter(by => rowsOf(analyses, by).length > 0);
    if (choices.length === 0)
        return null;
    const tools = make("span", {class: "choice", role: "group", "aria-label": "A row for each"});
    const content = make("div");
    let by = choices[0];
    let table = null;

    function draw() {
        table?.destroy();
        const rows = rowsOf(analyses, by);
        fill(tools, choices.map(choice => button(BY[choice].title, () => {
            by = choice;
            draw();
            tools.querySelector("[aria-pressed=true]").focus();
        }, {"aria-pressed": String(choice === by)})));
        table = createTable({
            label: BY[by].title, columns: columnsOf(by, rows), rows, most: 14, tools: rows.length > 14, state: context.state,
            sort: orderOf(by, rows), say: context.say,
            place: row => placeOf(by, row),
        });
        const used = CAUSES.filter(([name]) => rows.some(row => row.divergence?.[name] > 0));
        fill(content, table.element,
            used.length > 0 ? legend(used.map(([name, label]) => [label, CAUSE_COLOURS[name]])) : null);
    }

    draw();
    const analysis = analyses.simt_efficiency ? "simt_efficiency" : "divergence";
    return {
        name: "shaders", title: "Efficiency and divergence", help: "how full warps were, and why lanes were idle",
        tools, more: {tab: "tables", table: `${analysis}.shaders`}, content, destroy: () => table.destroy(),
    };
}
