/* How far to trust the figures: what was lost or left out, and what was not recorded, with the way to record it. */

import {button, copyText, make} from "../dom.js";
import {counted} from "../format.js";

function drawRemarks(remarks) {
    if (remarks.length === 0)
        return make("p", {class: "good"}, "Nothing was left out or lost.");
    return make("dl", {class: "remarks"}, remarks.map(({label, text}) => [make("dt", {}, label), make("dd", {}, text)]));
}

/** What each missing pass tells, each pass once: [[pass, [texts]]]. */
export function byPass(missing) {
    const passes = new Map();
    missing.forEach(({pass, tells}) => passes.set(pass, [...(passes.get(pass) ?? []), tells]));
    return [...passes];
}

/* Passes as an argument of record: those that "all" stands for by that word, where none of them is missing. */
function listOf(passes, all) {
    const hasAll = all.length > 0 && all.every(pass => passes.includes(pass));
    return [...hasAll ? ["all"] : [], ...passes.filter(pass => !hasAll || !all.includes(pass))].join(",");
}

/**
 * The commands that record what is missing, with the program as it was started. Times are recorded alone, and those within
 * launches with them: beside other passes they would be of recording. `all`: the passes that "all" stands for.
 */
export function commandsOf(capture, missing, all) {
    const isApart = pass => pass === "time" || pass === "warp_time";
    const program = capture.command_line || "PROGRAM";
    const passes = missing.map(({pass}) => pass).filter(pass => !isApart(pass));
    const both = [...new Set([...capture.passes.filter(pass => !isApart(pass)), ...passes])];
    return [
        ...passes.length > 0 ? [`warpscope record -p ${listOf(both, all)} -- ${program}`] : [],
        ...missing.some(({pass}) => pass === "time") ? [`warpscope record -p time -o times.wscope -- ${program}`] : [],
        ...missing.some(({pass}) => pass === "warp_time") ? [`warpscope record -p warp_time,time -o warps.wscope -- ${program}`] : [],
    ];
}

function drawCommand(context, command) {
    const copy = async () => {
        const copied = await copyText(command);
        context.say(copied ? `Copied: ${command}` : command);
    };
    return make("div", {class: "command"}, make("code", {}, command), button("Copy", copy, {class: "quiet"}));
}

function drawMissing(context, capture, missing) {
    if (missing.length === 0)
        return null;
    return [
        make("h3", {}, "Not recorded"),
        make("dl", {class: "remarks"}, byPass(missing).map(([pass, texts]) => [make("dt", {}, pass), make("dd", {}, texts.join("; "))])),
        commandsOf(capture, missing, context.capture.all_passes).map(command => drawCommand(context, command)),
    ];
}

/* What the single file lacks, and how to see it. */
function drawLeftOut(leftOut) {
    if (leftOut.length === 0)
        return null;
    return [
        make("h3", {}, "Not in this file"),
        make("p", {}, "The file holds the answers to what clicks ask for. A click on what is not in it says so."),
        make("ul", {}, leftOut.map(one => make("li", {},
            `${counted(one.answers, "answer")} of the kind ${one.what} (${one.help}): ${one.why}. ${one.command}.`))),
    ];
}

export function createTrust(context, {report, summary}) {
    return {
        name: "trust", title: "Trust", help: "what the figures leave out",
        content: make("div", {class: "trust"}, drawRemarks(summary.remarks),
            drawMissing(context, report.capture, summary.not_recorded), drawLeftOut(context.capture.left_out ?? [])),
    };
}
