/* Launches on a timeline: a row for each pipeline, a box for each launch, in the order in which they were submitted; as wide
 * as their device time where that is known and wanted. Frames are marked above. A click, or Enter, chooses a launch. */

import {button, fill, make, placeLink} from "../dom.js";
import {counted, share, time} from "../format.js";
import {mapColour, colourText, mapGradient} from "../colour.js";
import {createTimeline} from "./timeline.js";

function byLaunch(rows) {
    return new Map((rows ?? []).map(row => [row.launch, row]));
}

function sizeText(size) {
    const shown = [...size];
    while (shown.length > 1 && shown.at(-1) === 1)
        shown.pop();
    return shown.join(" x ");
}

/**
 * The share of a launch's slots whose lane is active, as the facts above have it of the capture; null where it is not known.
 * Its executions alone, each taken as one, are another figure, which tables have.
 */
export function activeShare(row) {
    return row?.efficiency_weighted ?? (row?.slots > 0 ? row.active / row.slots : null);
}

/** Its part of the capture's instructions; null where no pass counted them. */
export function instructionsText(row) {
    return (row?.share ?? null) === null ? null : `${share(row.share)} of the instructions`;
}

/* What is known of the launch that is chosen, in one line, and where to go from it. */
function drawDetails(context, box, row) {
    if (!box)
        return make("p", {class: "quiet-text"}, "Choose a launch to see what it is.");
    const {launch} = box;
    const facts = [
        launch.kind, sizeText(launch.size), launch.pipeline, `frame ${launch.frame}`,
        launch.rays > 0 ? counted(launch.rays, "ray") : null,
        activeShare(row) === null ? null : `${share(activeShare(row))} of its slots active`,
        instructionsText(row),
        launch.time_ns === null ? null : time(launch.time_ns),
        launch.truncated ? "some records are missing" : null,
    ].filter(Boolean);
    return make("p", {},
        make("b", {}, `Launch ${launch.index}`, launch.label ? `, ${launch.label}` : ""), ` ${facts.join(", ")} `,
        launch.scene || launch.rays > 0
            ? placeLink(context.state, {tab: "scene", launch: launch.index, thread: null, ray: null}, "Open in Scene") : null);
}

export function createLaunches(context, {report}) {
    const {launches} = context.facts;
    if (launches.length === 0)
        return null;
    const rows = byLaunch(report.analyses.simt_efficiency?.launches ?? report.analyses.divergence?.launches);
    const hasTimes = launches.some(launch => launch.time_ns !== null);
    const details = make("div", {class: "launch-details", "aria-live": "polite"});
    const place = make("div");
    const boxes = launches.map(launch => ({
        launch, row: launch.pipeline ?? launch.kind, efficiency: activeShare(rows.get(launch.index)),
    }));
    const timeline = createTimeline(place, boxes, {
        colour: box => box.efficiency === null ? null : colourText(mapColour("viridis", box.efficiency)),
        choose: box => context.state.set({launch: box.launch.index}),
        open: box => context.state.set({tab: "scene", launch: box.launch.index}),
    });

    const widths = hasTimes ? make("span", {class: "choice", role: "group", "aria-label": "Width of a launch"},
        ["order", "time"].map(width => button(width === "order" ? "In order" : "By device time",
            () => context.state.set({timeline: width}), {"data-width": width}))) : null;

    function show() {
        const byTime = hasTimes && context.state.get("timeline") !== "order";
        const chosen = boxes.length === 1 ? boxes[0]
            : boxes.find(box => box.launch.index === context.state.get("launch"));
        widths?.querySelectorAll("button").forEach(one =>
            one.setAttribute("aria-pressed", String((one.dataset.width === "time") === byTime)));
        timeline.show(chosen ?? null, byTime);
        fill(details, drawDetails(context, chosen, chosen && rows.get(chosen.launch.index)));
    }

    const end = context.state.subscribe(["launch", "timeline"], show);
    const scale = boxes.some(box => box.efficiency !== null) ? make("span", {class: "scale"}, "efficiency 0 %",
        make("i", {style: {background: mapGradient("viridis")}}), "100 %") : null;
    return {
        name: "launches", title: "Launches", help: `${counted(launches.length, "launch", "launches")}, a row for each pipeline`,
        tools: [scale, widths], more: {tab: "tables", table: "simt_efficiency.launches"},
        content: make("div", {}, place, details), start: show,
        destroy() {
            end();
            timeline.destroy();
        },
    };
}
