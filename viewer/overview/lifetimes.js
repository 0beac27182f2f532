/* Lifetimes (figure 3.15 of the paper): how many threads, or warps, executed how many blocks; and those with the most. */

import {fill, make, select} from "../dom.js";
import {createChart} from "../chart.js";
import {CATEGORIES} from "../colour.js";
import {placeOfRow} from "../places.js";
import {createTable} from "../table.js";
import {joinLifetimes} from "./bars.js";

/* The threads with most blocks, those of which the table says where they are. */
function createMost(context, rows) {
    return createTable({
        label: "Longest lifetimes", rows, most: 6, tools: false, state: context.state,
        columns: [
            {name: "thread", kind: "text", show: row => row.thread ?? `warp ${row.warp}`},
            {name: "value", title: "blocks", kind: "count"},
            {name: "of", title: "what", kind: "text"},
            {name: "launch", kind: "id"},
            {name: "shader", kind: "text", long: true},
        ],
        place: row => placeOfRow("execution_trace", row),
    });
}

export function createLifetimes(context, {report}) {
    const trace = report.analyses.execution_trace;
    const shaders = (trace?.shaders ?? []).filter(shader => trace.lifetimes.some(row => row.shader_id === shader.shader_id));
    if (shaders.length === 0)
        return null;
    const place = make("div");
    let chosen = shaders[0];
    let of = "threads";
    let chart = null;
    let most = null;

    function draw() {
        chart?.destroy();
        most?.destroy();
        const bars = joinLifetimes(trace.lifetimes.filter(row => row.shader_id === chosen.shader_id), of);
        const drawn = make("div");
        most = createMost(context, trace.most.filter(row => row.shader_id === chosen.shader_id));
        fill(place, drawn, most.element);
        chart = createChart(drawn, {
            title: `Lifetimes of ${of} of ${chosen.shader}`,
            x: {
                label: bars.width > 1 ? `blocks executed (${bars.width} a bar)` : "blocks executed", kind: "count",
                name: "blocks", values: bars.from,
            },
            series: [{label: of, name: of, values: bars.values, kind: "count", draw: "bars",
                colour: CATEGORIES[of === "threads" ? 0 : 1]}],
        });
    }

    const tools = [
        shaders.length > 1 ? select(shaders.map(shader => [String(shader.shader_id), shader.shader]),
            String(chosen.shader_id), id => {
                chosen = shaders.find(shader => String(shader.shader_id) === id);
                draw();
            }, {"aria-label": "Shader"}) : null,
        select([["threads", "Threads"], ["warps", "Warps"]], of, value => {
            of = value;
            draw();
        }, {"aria-label": "Lifetimes of"}),
    ];
    return {
        name: "lifetimes", title: "Lifetimes", help: "blocks that a thread or warp executed, with the shaders it called",
        tools, more: {tab: "tables", table: "execution_trace.lifetimes"}, content: place, start: draw,
        destroy() {
            chart?.destroy();
            most?.destroy();
        },
    };
}
