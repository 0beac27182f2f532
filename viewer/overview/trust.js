/* How far to trust the figures: what was lost or left out, and what was not recorded, with the way to record it. */

import {button, copyText, make} from "../dom.js";

function drawRemarks(remarks) {
    if (remarks.length === 0)
        return make("p", {class: "good"}, "Nothing was left out or lost.");
    return make("dl", {class: "remarks"}, remarks.map(({label, text}) => [make("dt", {}, label), make("dd", {}, text)]));
}

/* The command that records what is missing, with the program as it was started. */
function commandOf(capture, missing) {
    const passes = missing.map(({pass}) => pass).filter(pass => pass !== "time");
    const chosen = passes.length > 0 ? [...new Set([...capture.passes.filter(pass => pass !== "time"), ...passes])] : ["time"];
    return `warpscope record -p ${chosen.join(",")} -- ${capture.command_line || "PROGRAM"}`;
}

function drawMissing(context, capture, missing) {
    if (missing.length === 0)
        return null;
    const command = commandOf(capture, missing);
    const copy = async () => {
        const copied = await copyText(command);
        context.say(copied ? "Copied the command." : command);
    };
    return [
        make("h3", {}, "Not recorded"),
        make("dl", {class: "remarks"}, missing.map(({pass, tells}) => [make("dt", {}, pass), make("dd", {}, tells)])),
        make("div", {class: "command"}, make("code", {}, command), button("Copy", copy, {class: "quiet"})),
    ];
}

/* What the single file lacks, and how to see it. */
function drawLeftOut(leftOut) {
    if (leftOut.length === 0)
        return null;
    return [
        make("h3", {}, "Not in this file"),
        make("ul", {}, leftOut.map(one => make("li", {}, `${one.answers} of ${one.what} (${one.help}): ${one.why}. ${one.command}.`))),
    ];
}

export function createTrust(context, {report, summary}) {
    return {
        name: "trust", title: "Trust", help: "what the figures leave out",
        content: make("div", {class: "trust"}, drawRemarks(summary.remarks),
            drawMissing(context, report.capture, summary.not_recorded), drawLeftOut(context.capture.left_out ?? [])),
    };
}
