/* Figures of a line, drawn small: its histogram of active lanes, and why lanes were idle. */

import {CAUSE_COLOURS} from "../colour.js";
import {stackedBar} from "../chart.js";
import {make} from "../dom.js";
import {causesOf} from "./model.js";

/** "31 x 4 lanes, 1 x 2 lanes": executions by active lanes, most lanes first. */
export function histogramText(histogram) {
    return histogram.map((count, index) => [count, index + 1]).filter(([count]) => count > 0).reverse()
        .map(([count, lanes]) => `${count} x ${lanes} ${lanes === 1 ? "lane" : "lanes"}`).join(", ");
}

/** Executions by active lanes as columns, from 1 lane at the left to `size` at the right. */
export function histogramBars(histogram, size) {
    const counts = Array.from({length: Math.max(size, histogram.length)}, (_, index) => histogram[index] ?? 0);
    const most = Math.max(...counts, 1);
    const text = `Executions by active lanes: ${histogramText(histogram)}`;
    return make("span", {class: "lanes", role: "img", "aria-label": text, title: text},
        counts.map(count => make("i", {style: {height: `${100 * count / most}%`}})));
}

/** The lanes of a line as a bar: active ones, and why the others were idle. */
export function causeBar(line) {
    const causes = causesOf(line);
    if (causes.length === 0)
        return null;
    return stackedBar(causes.map(({name, label, lanes}) => ({label, value: lanes, colour: CAUSE_COLOURS[name]})), line.lanes.all);
}
