/* Hotspots (figure 3.14 of the paper): the profile of all shaders, and the lines that were executed most. Each place leads to
 * its line. */

import {fill, make} from "../dom.js";
import {createChart, legend} from "../chart.js";
import {stageColour} from "../colour.js";
import {placeOfRow} from "../places.js";
import {barredShare, createTable} from "../table.js";
import {profileOf} from "./profile.js";

const COLUMNS = [
    {name: "source", title: "line", kind: "text", help: "file and line of the source"},
    {name: "shader", kind: "text", long: true},
    {name: "stage", kind: "text", show: row => [
        make("i", {class: "swatch", style: {background: stageColour(row.stage)}}), " ", row.stage.replace("_", " ")]},
    {name: "share", title: "of all executed", kind: "share", show: row => barredShare(row.share, stageColour(row.stage)),
        help: "thread executions of the instructions of this line, as a share of those of the capture"},
    {name: "thread_executions", title: "thread executions", kind: "count"},
    {name: "efficiency", kind: "share", help: "active lanes / lanes, of executions of the line"},
];

function drawProfile(context, element, profile) {
    return createChart(element, {
        title: "Thread executions of each instruction of all shaders",
        x: {label: "instruction, shader after shader", kind: "text", name: "instruction", values: profile.x,
            names: profile.runs.map(run => run.source ?? `block ${run.block}`),
            splits: profile.middles.map(middle => middle.x), split: x => profile.middles.find(middle => middle.x === x)?.shader},
        y: "thread executions", height: 150,
        series: profile.series.map(series => ({label: series.shader, name: series.shader, kind: "count", draw: "area",
            colour: series.colour, values: series.values})),
        choose: index => context.state.set(placeOfRow("hotspots", profile.runs[index])),
    });
}

export function createHotspots(context, {report}) {
    const hotspots = report.analyses.hotspots;
    if (!hotspots)
        return null;
    const lined = hotspots.lines.filter(row => row.line !== null);
    const rows = lined.length > 0 ? lined : hotspots.runs.map(row => ({...row, source: `block ${row.block}`}));
    if (rows.length === 0)
        return null;
    const table = createTable({
        label: "Hotspots", columns: COLUMNS, rows, most: 12, sort: "-share", state: context.state, say: context.say,
        place: row => placeOfRow("hotspots", row),
    });
    const drawn = make("div");
    const profile = profileOf(hotspots.runs);
    const stages = [...new Set(profile.series.map(series => series.stage))];
    let chart = null;
    return {
        name: "hotspots", title: "Hotspots",
        help: lined.length > 0 ? "lines whose instructions were executed most" : "the shaders have no source lines: by block",
        more: {tab: "tables", table: lined.length > 0 ? "hotspots.lines" : "hotspots.runs", sort: "-share"},
        content: fill(make("div"), legend(stages.map(stage => [stage.replace("_", " "), stageColour(stage)])), drawn,
            table.element),
        start() {
            if (profile.x.length > 0)
                chart = drawProfile(context, drawn, profile);
        },
        destroy() {
            chart?.destroy();
            table.destroy();
        },
    };
}
