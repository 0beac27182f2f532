/* Device times, where the capture has some: what each place of the program takes, and how even the frames are. */

import {fill, make} from "../dom.js";
import {createChart} from "../chart.js";
import {barredShare, createTable} from "../table.js";

const COLUMNS = [
    {name: "label", kind: "text", long: true, show: row => row.label || row.launch_kind},
    {name: "pipeline", kind: "text", long: true},
    {name: "launch_kind", title: "kind", kind: "text"},
    {name: "launch_size", title: "size", kind: "text"},
    {name: "launches", kind: "count"},
    {name: "share", title: "of the time", kind: "share", show: row => barredShare(row.share)},
    {name: "time_ns", title: "time", kind: "time"},
    {name: "median_ns", title: "median", kind: "time", help: "of the launches there"},
    {name: "max_ns", title: "longest", kind: "time"},
];

/* Where the times come from, since they may be of other shaders than those that were recorded. */
function sourceText(time) {
    if (time.joined)
        return `times of ${time.joined.file}: ${time.joined.same} of ${time.joined.launches} launches are the same`;
    return time.instrumented ? "times of instrumented shaders: with what recording cost" : "times of the program itself";
}

export function createTimes(context, {report}) {
    const {time} = report.analyses;
    if (!time || time.places.length === 0)
        return null;
    const drawn = make("div");
    const table = createTable({
        label: "Device times", columns: COLUMNS, rows: time.places, most: 10, sort: "-share", tools: time.places.length > 10,
        state: context.state, say: context.say, place: row => ({launch: row.first_launch}),
    });
    let chart = null;
    const frames = time.frames.filter(row => row.time_ns !== null);
    return {
        name: "times", title: "Device times", help: sourceText(time), more: {tab: "tables", table: "time.places"},
        content: fill(make("div"), table.element, drawn),
        start() {
            if (frames.length < 3)
                return;
            chart = createChart(drawn, {
                title: "Device time of each frame",
                x: {label: "frame", kind: "id", name: "frame", values: frames.map(row => row.frame)},
                series: [{label: "device time", name: "time_ns", kind: "time", draw: "bars",
                    values: frames.map(row => row.time_ns)}],
            });
        },
        destroy() {
            chart?.destroy();
            table.destroy();
        },
    };
}
