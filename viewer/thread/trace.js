/* A trace, step by step: at the left what each lane does in it, at the right what is executed. Of long traces only the steps in
 * sight are made. A click on a step, or Enter, leads to its line. */

import {fill, make} from "../dom.js";
import {shownLine} from "../shaders/model.js";
import {flatten, lanesAt, placeOfStep, sizeOf, stepText} from "./steps.js";

const BEYOND = 20;
const WORDS = {own: "active", beside: "active beside it", idle: "inactive", none: "not in it"};

/** Makes the trace in `element`. `options`: {trace, lane (of the thread), partings, names, choose(place)}. */
export function createTrace(element, {trace, lane, partings, names, choose}) {
    const list = flatten(trace.steps);
    const size = sizeOf(list);
    const parted = new Map(partings.map(parting => [parting.step, parting]));
    const rows = make("div", {class: "trace-rows", role: "presentation"});
    const body = make("div", {class: "trace", role: "listbox", tabindex: "0",
        "aria-label": `Trace of the ${trace.of}, ${list.length} steps`}, rows);
    const it = {chosen: -1, first: -1, last: -1, row: 18};
    fill(element, body, trace.cut ? make("p", {class: "quiet-text"}, "There are more steps than are shown here.") : null);
    body.classList.toggle("many-lanes", size > 16);

    function lanes(step) {
        const found = lanesAt(step, size);
        const active = found.filter(what => what === "own" || what === "beside").length;
        return make("span", {class: "trace-lanes", style: {"--lanes": size},
            title: found.length > 0 ? `${active} of ${size} lanes active; lane ${lane}: ${WORDS[found[lane] ?? "none"]}` : null},
        found.map((what, index) => make("i", {class: index === lane ? `${what} mine` : what})));
    }

    function makeRow(index) {
        const {step, nesting} = list[index];
        const depth = nesting + (step.depth ?? list[index + 1]?.step.depth ?? 0) + (step.calls ?? 0);
        const indent = Math.min(depth, 12) + (step.event === "enter" ? 0 : 0.75);
        const parting = parted.get(index);
        const row = make("div", {
            class: ["trace-row", step.event, index === it.chosen && "chosen", parting && "parting"].filter(Boolean).join(" "),
            role: "option", "aria-selected": String(index === it.chosen),
            title: parting ? `${parting.lanes} of the ${parting.before} lanes that ran the block before` : null,
        }, lanes(step), make("span", {class: "trace-text", style: {"padding-left": `${indent}rem`}},
            shownLine(stepText(step, names)), parting ? make("b", {}, ` ${parting.before} → ${parting.lanes} lanes`) : null));
        row.style.setProperty("top", `${index * it.row}px`);
        row.addEventListener("click", () => go(index));
        return row;
    }

    function go(index) {
        it.chosen = index;
        draw(true);
        const place = placeOfStep(list[index].step);
        if (place)
            choose(place);
    }

    function draw(again) {
        const first = Math.max(0, Math.floor(body.scrollTop / it.row) - BEYOND);
        const last = Math.min(list.length, Math.ceil((body.scrollTop + body.clientHeight) / it.row) + BEYOND);
        if (!again && Math.abs(first - it.first) < BEYOND / 2 && Math.abs(last - it.last) < BEYOND / 2)
            return;
        it.first = first;
        it.last = last;
        fill(rows, Array.from({length: last - first}, (_, index) => makeRow(first + index)));
    }

    function measure() {
        const height = Number.parseFloat(getComputedStyle(body).lineHeight);
        it.row = height > 0 ? Math.round(height) : it.row;
        rows.style.setProperty("height", `${list.length * it.row}px`);
        draw(true);
    }

    function move(by) {
        it.chosen = Math.min(Math.max(it.chosen + by, 0), list.length - 1);
        const top = it.chosen * it.row;
        if (top < body.scrollTop)
            body.scrollTop = top;
        else if (top + it.row > body.scrollTop + body.clientHeight)
            body.scrollTop = top + it.row - body.clientHeight;
        draw(true);
    }

    body.addEventListener("scroll", () => draw(false), {passive: true});
    body.addEventListener("keydown", event => {
        const by = {ArrowUp: -1, ArrowDown: 1}[event.key];
        if (by === undefined && (event.key !== "Enter" || it.chosen < 0))
            return;
        event.preventDefault();
        event.stopPropagation();
        if (by !== undefined)
            move(by);
        else
            go(it.chosen);
    });
    const resized = new ResizeObserver(measure);
    resized.observe(body);
    measure();
    return {destroy: () => resized.disconnect()};
}
