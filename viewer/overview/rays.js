/* Rays: where they were traced and how they ended, and which geometry ran any-hit and intersection shaders for nothing. */

import {button, fill, make} from "../dom.js";
import {CATEGORIES} from "../colour.js";
import {legend, stackedBar} from "../chart.js";
import {counted} from "../format.js";
import {placeOfRow} from "../places.js";
import {barredShare, createTable} from "../table.js";

const ENDS = [
    ["hit", "hit", CATEGORIES[2]], ["implicit_hit", "hit, no shader told what", CATEGORIES[4]], ["miss", "miss", CATEGORIES[0]],
    ["no_shader", "no shader ran", CATEGORIES[3]], ["unknown", "not known", CATEGORIES[7]],
];

function endsBar(row) {
    return stackedBar(ENDS.map(([name, label, colour]) => ({label, value: row[name], colour})), row.rays);
}

const RUNS = [
    {name: "any_hits", title: "any-hit runs", kind: "count"},
    {name: "ignored_share", title: "ignored", kind: "share", show: row => barredShare(row.ignored_share),
        help: "any-hit runs that ignore what the ray met"},
    {name: "intersections", title: "intersection runs", kind: "count"},
];

const BY = {
    sites: {title: "Call sites", sort: "-rays", columns: [
        {name: "source", title: "call site", kind: "text", value: row => row.source ?? row.shader},
        {name: "shader", kind: "text", long: true},
        {name: "rays", kind: "count"},
        {name: "ends", title: "how they ended", kind: "text", show: endsBar, value: row => row.hit},
        ...RUNS,
        {name: "reports_per_ray", title: "reports per ray", kind: "number"},
    ]},
    geometries: {title: "Geometry", sort: "-hits", columns: [
        {name: "instance", kind: "id"},
        {name: "custom_index", title: "custom index", kind: "id"},
        {name: "geometry", kind: "id"},
        {name: "hits", kind: "count"},
        ...RUNS,
        {name: "reports", kind: "count", help: "intersections that these runs reported"},
    ]},
    depths: {title: "Depths", sort: "", columns: [
        {name: "depth", kind: "id", help: "rays that led to the ray"},
        {name: "rays", kind: "count"},
        {name: "ends", title: "how they ended", kind: "text", show: endsBar, value: row => row.hit},
        ...RUNS,
    ]},
};

/** What is left out of the rays because it makes no sense; null = nothing is. */
function malformedText({malformed}) {
    const one = malformed === 1;
    return malformed === 0 ? null : make("p", {class: "quiet-text"},
        `${counted(malformed, "ray event")} ${one ? "contradicts" : "contradict"} others and ${one ? "was" : "were"} left out.`);
}

/* Rows lead to their rays in the scene, but for call sites, whose place is a line. */
function placeOf(by, row) {
    if (by === "depths")
        return {tab: "scene", filters: {depth: `${row.depth}-${row.depth}`}, thread: null, ray: null, rule: ""};
    return placeOfRow("ray_events", row);
}

export function createRays(context, {report}) {
    const rays = report.analyses.ray_events;
    if (!rays || rays.total.rays === 0 && rays.malformed === 0)
        return null;
    if (rays.total.rays === 0)
        return {name: "rays", title: "Rays", content: malformedText(rays)};
    const choices = Object.keys(BY).filter(by => rays[by].length > 0);
    const tools = make("span", {class: "choice", role: "group", "aria-label": "A row for each"});
    const content = make("div");
    let by = choices[0];
    let table = null;

    function draw() {
        table?.destroy();
        fill(tools, choices.map(choice => button(BY[choice].title, () => {
            by = choice;
            draw();
            tools.querySelector("[aria-pressed=true]").focus();
        }, {"aria-pressed": String(choice === by)})));
        table = createTable({
            label: BY[by].title, columns: BY[by].columns, rows: rays[by], sort: BY[by].sort, most: 10,
            tools: rays[by].length > 10, state: context.state, say: context.say, place: row => placeOf(by, row),
        });
        const used = ENDS.filter(([name]) => rays[by].some(row => row[name] > 0));
        fill(content, table.element,
            by === "geometries" ? null : legend(used.map(([, label, colour]) => [label, colour])), malformedText(rays));
    }

    draw();
    const each = rays.rays_per_thread_summary;
    return {
        name: "rays", title: "Rays", tools, content, more: {tab: "tables", table: `ray_events.${by}`},
        help: `${counted(rays.total.rays, "ray")}; half of the threads trace ${counted(each.median, "ray")} or fewer,`
            + ` one traces ${each.maximum}`,
        destroy: () => table.destroy(),
    };
}
