/* The lines of one form of a shader, with their figures in front. Of long sources only the lines in sight are made. Arrow keys
 * go from line to line. */

import {fill, make, newId} from "../dom.js";
import {mapColour, colourText} from "../colour.js";
import {groups, share} from "../format.js";
import {causeBar, histogramBars} from "./figures.js";
import {heats, memoryOf, memoryText, shownLine, yieldText} from "./model.js";

const ROW = 20;    // pixels at the usual size of text; measured anew where it is larger
const BEYOND = 24; // rows that are made before and behind those in sight

const HEADS = [
    ["heat", "heat", "how much of the shader's work the line is: the hottest is the longest"],
    ["figure executions", "executions", "how often warps came to the line"],
    ["figure efficiency", "efficiency", "active lanes / lanes, of the executions of the line"],
    ["shape", "active lanes", "executions by the number of active lanes, from 1 at the left to all at the right"],
    ["causes", "lanes", "active lanes, and why the others were idle"],
    ["figure requests", "requests", "executions of its loads, stores and atomics by warps"],
    ["figure sectors", "sectors", "distinct sectors of 32 bytes that a request touches"],
    ["figure hits", "L1 hits", "which share of the sectors that it loads hits the L1, as caches are modelled"],
    ["figure number", "line", "number in the file"],
    ["text", "", ""],
];

/* A heat as a colour of the map inferno, whose dark end is left out on a dark ground. */
function heatColour(heat) {
    return colourText(mapColour("inferno", 0.25 + 0.65 * Math.sqrt(heat)));
}

function digits(count) {
    const parts = groups(String(count));
    return parts.length < 2 ? parts : parts.map(part => make("span", {class: "digits"}, part));
}

/* The text with what was searched for marked. */
function markedText(text, wanted) {
    const shown = shownLine(text);
    const at = wanted === "" ? -1 : shown.toLowerCase().indexOf(wanted.toLowerCase());
    if (at < 0)
        return [shown];
    return [shown.slice(0, at), make("mark", {}, shown.slice(at, at + wanted.length)), shown.slice(at + wanted.length)];
}

function yieldsText(line) {
    return line.yields ? `   ${line.yields.map(yieldText).join(", ")}` : "";
}

function executionsOf(line) {
    if (line.counted === false)
        return make("span", {class: "quiet-text", title: "not counted"}, "–");
    return line.executions === undefined ? null : digits(line.executions);
}

function efficiencyOf(line) {
    if (line.executions === undefined)
        return null;
    return line.efficiency === null ? make("span", {title: line.doubt ?? "it did not run"}, "–") : share(line.efficiency);
}

/* Requests, sectors of each, and the hit rate of the L1. */
function memoryCells(line) {
    const memory = memoryOf(line);
    const title = memory && line.memory.map(memoryText).join("\n");
    return [
        make("span", {class: "figure requests", title}, memory && digits(memory.requests)),
        make("span", {class: "figure sectors", title}, memory && memory.each.toFixed(2)),
        make("span", {class: "figure hits", title}, memory && (memory.l1 === null ? "–" : share(memory.l1))),
    ];
}

/**
 * Makes the lines of `form` in `element`. `options`: {size (lanes of a warp), choose(row)}. Returns {show({chosen, related, search,
 * reveal}), focus(), destroy()}.
 */
export function createCode(element, form, {size, choose}) {
    const heat = heats(form);
    const it = {chosen: -1, related: new Set(), search: "", first: -1, last: -1, row: ROW};
    const rows = make("div", {class: "code-rows", role: "presentation"});
    const file = make("div", {class: "code-file", "aria-hidden": "true", hidden: true}); // of the lines in sight
    const body = make("div", {class: "code-body", role: "listbox", tabindex: "0", id: newId("code"),
        "aria-label": `${form.shader}, ${form.form}`}, file, rows);
    const head = make("div", {class: "code-row code-head", "aria-hidden": "true"},
        HEADS.map(([name, title, help]) => make("span", {class: name, title: help}, title)));
    const frame = make("div", {class: "code"}, head, body);
    const hasFigures = form.lines.some(line => line.executions !== undefined);
    const hasCauses = form.lines.some(line => line.lanes);
    frame.classList.toggle("no-figures", !hasFigures);
    frame.classList.toggle("no-causes", !hasCauses);
    frame.classList.toggle("no-memory", !form.lines.some(line => line.memory));
    frame.classList.toggle("no-numbers", !form.lines.some(line => line.number !== undefined));
    frame.style.setProperty("--code-width", `${form.lines.reduce((most, line) => Math.max(most, line.text.length + yieldsText(line).length), 0)}ch`);
    fill(element, frame);

    function makeRow(row) {
        const line = form.lines[row];
        const isHot = heat[row] > 0.002;
        const element = make("div", {
            class: ["code-row", line.heading && "heading", row === it.chosen && "chosen", it.related.has(row) && "related"].filter(Boolean).join(" "),
            role: "option", id: `${body.id}-${row}`, "aria-selected": String(row === it.chosen), "aria-posinset": row + 1,
            "aria-setsize": form.lines.length,
        },
        make("span", {class: "heat"}, isHot ? make("i", {
            title: line.share === undefined ? null : `${share(line.share, 2)} of the capture's thread executions`,
            style: {width: `${Math.max(8, 100 * Math.sqrt(heat[row]))}%`, background: heatColour(heat[row])}}) : null),
        make("span", {class: "figure executions"}, executionsOf(line)),
        make("span", {class: "figure efficiency"}, efficiencyOf(line)),
        make("span", {class: "shape"}, line.histogram ? histogramBars(line.histogram, size) : null),
        make("span", {class: "causes"}, causeBar(line)),
        memoryCells(line),
        make("span", {class: "figure number"}, line.number === undefined ? "" : String(line.number)),
        make("span", {class: "text"}, markedText(line.text, it.search), line.yields ? make("span", {class: "line-yields",
            title: "what probes yielded there"}, yieldsText(line)) : null));
        element.style.setProperty("top", `${row * it.row}px`);
        element.addEventListener("click", () => choose(row));
        return element;
    }

    /* The heading of the file that the topmost line is of, once it is out of sight. */
    function showFile() {
        const top = Math.floor(body.scrollTop / it.row);
        const heading = form.lines.slice(0, top + 1).findLast(line => line.heading);
        file.hidden = !heading || body.scrollTop <= it.row * form.lines.indexOf(heading);
        file.textContent = heading ? shownLine(heading.text) : "";
    }

    function draw(again) {
        showFile();
        const first = Math.max(0, Math.floor(body.scrollTop / it.row) - BEYOND);
        const last = Math.min(form.lines.length, Math.ceil((body.scrollTop + body.clientHeight) / it.row) + BEYOND);
        if (!again && Math.abs(first - it.first) < BEYOND / 2 && Math.abs(last - it.last) < BEYOND / 2)
            return;
        it.first = first;
        it.last = last;
        fill(rows, Array.from({length: last - first}, (_, index) => makeRow(first + index)));
        body.setAttribute("aria-activedescendant", it.chosen >= first && it.chosen < last ? `${body.id}-${it.chosen}` : "");
    }

    function reveal(row) {
        const top = row * it.row;
        if (top < body.scrollTop + it.row || top + it.row > body.scrollTop + body.clientHeight)
            body.scrollTop = Math.max(0, top - body.clientHeight / 3);
    }

    function measure() {
        const height = Number.parseFloat(getComputedStyle(body).lineHeight);
        it.row = height > 0 ? Math.round(height) : ROW;
        rows.style.setProperty("height", `${form.lines.length * it.row}px`);
        body.style.setProperty("--code-row", `${it.row}px`);
        draw(true);
    }

    body.addEventListener("scroll", () => {
        head.scrollLeft = body.scrollLeft;
        draw(false);
    }, {passive: true});
    body.addEventListener("keydown", event => {
        const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
        if (by === undefined || event.ctrlKey || event.altKey || event.metaKey)
            return;
        event.preventDefault();
        event.stopPropagation();
        choose(Math.min(Math.max(it.chosen + by, 0), form.lines.length - 1));
    });
    const resized = new ResizeObserver(measure);
    resized.observe(body);
    measure();
    return {
        show({chosen, related, search, revealed}) {
            Object.assign(it, {chosen, related: new Set(related), search});
            if (revealed >= 0)
                reveal(revealed);
            draw(true);
        },
        focus: () => body.focus(),
        destroy: () => resized.disconnect(),
    };
}
