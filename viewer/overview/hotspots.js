/* Hotspots (figure 3.14 of the paper): the lines, or the instructions, that were executed most. Each leads to its line. */

import {make} from "../dom.js";
import {stageColour} from "../colour.js";
import {placeOfRow} from "../places.js";
import {barredShare, createTable} from "../table.js";

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
    return {
        name: "hotspots", title: "Hotspots",
        help: lined.length > 0 ? "lines whose instructions were executed most" : "the shaders have no source lines: by block",
        more: {tab: "tables", table: lined.length > 0 ? "hotspots.lines" : "hotspots.runs", sort: "-share"},
        content: table.element, destroy: table.destroy,
    };
}
