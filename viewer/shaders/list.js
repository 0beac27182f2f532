/* The list of all shaders, those with most work first. */

import {stageColour} from "../colour.js";
import {button, fill, make} from "../dom.js";
import {share} from "../format.js";
import {shownLine} from "./model.js";

/** Shaders in the order of the list: by their share of the slots; those that did not run last, by name. */
export function orderShaders(shaders) {
    return [...shaders].sort((one, other) => (other.slots ?? 0) - (one.slots ?? 0)
        || (other.executions ?? 0) - (one.executions ?? 0) || one.shader_id - other.shader_id);
}

function entry(shader, isChosen, choose) {
    const part = shader.share ?? 0;
    const note = !shader.instrumented ? "not instrumented" : shader.executions === 0 ? "did not run"
        : [shader.share === null ? null : `${share(shader.share)} of slots`,
            shader.efficiency === null ? null : `${share(shader.efficiency)} full`].filter(Boolean).join(", ");
    return make("li", {}, button([
        make("span", {class: "shader-name"}, make("i", {class: "swatch", style: {background: stageColour(shader.stage)}}), " ",
            shownLine(shader.shader)),
        make("span", {class: "quiet-text"}, `${shader.stage.replace("_", " ")}${note ? `, ${note}` : ""}`),
        make("span", {class: "shader-share"}, make("i", {style: {width: `${100 * part}%`}})),
    ], () => choose(shader), {
        class: "quiet", "aria-current": isChosen ? "true" : null,
        title: [shownLine(shader.shader), shader.pipeline && shownLine(shader.pipeline), `module ${shader.module}`,
            shader.share === null ? null : "slots: the instructions of its warps, times their lanes, idle ones too",
            shader.source ? null : "its module holds no source"].filter(Boolean).join("\n"),
    }));
}

/** Shows the list in `element`. */
export function showList(element, shaders, chosen, choose) {
    fill(element, make("ul", {class: "shader-list"}, shaders.map(shader => entry(shader, shader.shader_id === chosen, choose))));
    element.querySelector("[aria-current]")?.scrollIntoView({block: "nearest"});
}
