/* What is known of the chosen line of a shader: its figures with their words, why lanes were idle, its blocks, and the way to the
 * rays that it traces. */

import {CAUSE_COLOURS} from "../colour.js";
import {fill, make, placeLink} from "../dom.js";
import {number, share} from "../format.js";
import {causeBar, histogramText} from "./figures.js";
import {causesOf, memoryText, shownLine, yieldText} from "./model.js";

const BLOCKS_MOST = 8;

function placeName(form, line) {
    if (line.number === undefined)
        return form.form === "spirv" ? "this instruction" : "this line";
    const file = form.files[line.file]?.name.split("/").at(-1);
    return `${file ? `${file}:` : "line "}${line.number}`;
}

function fact(name, value, help) {
    return value === null ? null : [make("dt", {title: help}, name), make("dd", {}, value)];
}

function blockText(form, index) {
    const block = form.blocks.find(one => one.index === index);
    if (!block)
        return null;
    const runs = block.executions === undefined ? "" : ` ran ${number(block.executions)} times`;
    const full = typeof block.efficiency === "number" ? `, ${share(block.efficiency)} full` : "";
    return make("div", {}, make("code", {}, `%${block.block}${block.part ? `+${block.part}` : ""}`),
        `${block.name ? ` in ${block.name}` : ""}${runs}${full}`);
}

function causeList(line) {
    return make("div", {class: "line-causes"}, causeBar(line),
        causesOf(line).map(({name, label, lanes}) => make("div", {},
            make("i", {class: "swatch", style: {background: CAUSE_COLOURS[name]}}), " ", label, " ",
            make("b", {}, share(lanes / line.lanes.all)))));
}

/** Shows row `row` of `form` in `element`; -1 = none. `sites` are call sites with rays: [{site, name, places}]. */
export function showDetails(element, state, form, row, sites) {
    const line = form?.lines[row];
    if (!line || line.heading) {
        fill(element, make("p", {class: "quiet-text"}, "Choose a line: its figures, why its lanes were idle, and what belongs to it"
            + " in the other forms."));
        return;
    }
    const blocks = line.blocks ?? [];
    const histogram = line.histogram?.length ? histogramText(line.histogram) : null;
    fill(element,
        make("h3", {}, placeName(form, line)),
        make("code", {class: "line-text"}, shownLine(line.text.trim())),
        line.executions === undefined && line.counted !== false && !line.lanes
            ? make("p", {class: "quiet-text"}, "This line has no code of its own.") : null,
        line.counted === false ? make("p", {class: "quiet-text"}, "Its code was not counted.") : null,
        make("dl", {class: "line-values"},
            fact("executions", line.executions === undefined ? null : number(line.executions), "how often warps came to it"),
            fact("efficiency", typeof line.efficiency === "number" ? share(line.efficiency) : line.doubt ?? null,
                "active lanes / lanes of its executions"),
            fact("of the capture", line.share === undefined ? null : share(line.share, 2),
                "thread executions of its instructions, of all of the capture"),
            fact("thread executions", line.thread_executions === undefined ? null : number(line.thread_executions)),
            fact("active lanes", histogram),
            fact("probes", line.yields ? line.yields.map(one => make("div", {}, yieldText(one))) : null,
                "what probes yielded there: the value, of how many"),
            fact("memory", line.memory ? line.memory.map(one => make("div", {}, memoryText(one))) : null,
                "its accesses by buffer, and what caches make of them: of the device that reports model unless told otherwise")),
        line.lanes ? causeList(line) : null,
        sites.length > 0 ? make("div", {class: "line-rays"}, sites.map(site => placeLink(state, site.place,
            `Show its rays in the scene: ${site.name}`))) : null,
        blocks.length > 0 ? make("details", {}, make("summary", {}, blocks.length === 1 ? "1 block" : `${blocks.length} blocks`),
            blocks.slice(0, BLOCKS_MOST).map(index => blockText(form, index)),
            blocks.length > BLOCKS_MOST ? make("div", {}, `and ${blocks.length - BLOCKS_MOST} more`) : null) : null);
}
