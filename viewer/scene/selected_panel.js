/* What is selected, in the side panel: a ray with its story, event by event, and its thread's other rays; or an instance, its
 * geometry and primitive with their figures. A click on an event looks at its place. */

import {button, fill, make} from "../dom.js";
import {number, share} from "../format.js";
import {titleOf as fieldTitle} from "../fields.js";
import {loadRay} from "../rays_table.js";
import {shownLine} from "../shaders/model.js";
import {instanceName, numbersIn} from "./scene_model.js";

const INSTANCES_MOST = 4; // that are told of one index, of as many structures

function facts(pairs) {
    return make("dl", {class: "scene-facts"}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

/* Numbers as the capture has them are floats of 32 bits: seven digits say all of them. */
function shortNumber(value) {
    return typeof value === "number" && Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value);
}

/** "ray 5 of 11": a thread's rays are numbered one after the other. `bounds`: its first and last, null = not known. */
function placeInThread(ray, numbers, bounds, isPartial) {
    const count = bounds === null ? numbers.length : bounds[1] - bounds[0] + 1;
    const held = numbers.length < count ? `, ${numbers.length} in this file; warpscope view has all` : "";
    if (ray === null || bounds === null && !numbers.includes(ray))
        return `${count} ${count === 1 ? "ray" : "rays"}${isPartial && bounds === null ? " in this file; warpscope view has all" : ""}`;
    return bounds === null && isPartial ? `one of ${count} in this file; warpscope view has all`
        : `ray ${bounds === null ? numbers.indexOf(ray) + 1 : ray - bounds[0] + 1} of ${count}${held}`;
}

/** The buttons that lead from a thread's ray to the one before and the next. */
function raysOfThread(stage, step, bounds = null) {
    const numbers = stage.selection.numbers();
    return make("div", {class: "scene-buttons"},
        button("Previous", () => step(-1), {title: ",", disabled: numbers.length < 2 || null, "aria-keyshortcuts": ","}),
        button("Next", () => step(1), {title: ".", disabled: numbers.length < 2 || null, "aria-keyshortcuts": "."}),
        make("span", {class: "quiet-text"}, placeInThread(stage.state.get("ray"), numbers, bounds,
            stage.selection.shown.answer?.partial === true)));
}

/** Makes the panel in `element`. Returns {show(), step(by)}. */
export function createSelectedPanel(element, stage) {
    const {state, model, context} = stage;
    let told = null; // of the ray that is shown: {ray, answer} or {ray, error}
    let shown = "";

    async function tell(ray) {
        told = {ray};
        try {
            const answer = await loadRay(context, stage.launch, ray, context.key);
            if (told.ray === ray)
                told = {ray, answer};
        } catch (error) {
            if (told.ray === ray)
                told = {ray, error};
        }
        show();
    }

    function step(by) {
        const numbers = stage.selection.numbers();
        if (numbers.length === 0)
            return;
        const at = numbers.indexOf(state.get("ray"));
        const next = at < 0 ? (by > 0 ? 0 : numbers.length - 1) : (at + by + numbers.length) % numbers.length;
        state.set({ray: numbers[next]});
    }

    function lookAt(place) {
        const camera = stage.camera.value();
        const away = camera.place.map((part, i) => part - camera.target[i]);
        stage.camera.set({...camera, target: place, place: place.map((part, i) => part + away[i])});
    }

    /* A sentence of ray.json, with the place and what else it leads to. */
    function sentenceRow({text, at, ...target}) {
        if (!at && Object.keys(target).length === 0)
            return make("li", {}, make("p", {}, shownLine(text)));
        return make("li", {}, button(shownLine(text), () => {
            state.set(target);
            if (at)
                lookAt(at);
        }, {class: "quiet scene-sentence"}));
    }

    function rayPart() {
        const ray = state.get("ray");
        const thread = state.get("thread");
        const head = make("h3", {}, ray === null ? `Thread ${thread.join(", ")}` : `Ray ${ray} of thread ${thread?.join(", ") ?? "…"}`);
        if (ray === null)
            return [head, raysOfThread(stage, step)];
        if (told?.ray !== ray)
            tell(ray);
        if (told.error)
            return [head, raysOfThread(stage, step), make("p", {class: "quiet-text"}, told.error.message)];
        if (!told.answer)
            return [head, raysOfThread(stage, step), make("p", {class: "quiet-text"}, "Reading …")];
        const {exact, story, thread_rays: bounds} = told.answer;
        return [
            head, raysOfThread(stage, step, bounds),
            make("ol", {class: "scene-story"}, story.map(sentenceRow)),
            make("div", {class: "scene-buttons"}, placeButton(exact, told.answer.call)),
        ];
    }

    function placeButton(exact, call) {
        const line = typeof exact.line === "number" ? exact.line : null;
        return button(`Source: ${call}`, () => state.set({tab: "shaders", shader: exact.shader, line, file: exact.file ?? ""}));
    }

    /* Of the structure through which the ray that is told flew; of each that has one where that is not known. */
    function geometryParts() {
        const instance = state.get("instance");
        const structure = state.get("ray") !== null ? told?.answer?.structure ?? null : null;
        const numbers = instance === null ? [] : numbersIn(model, instance, structure);
        return numbers.slice(0, INSTANCES_MOST).map(geometryPart);
    }

    function geometryPart(index) {
        const instance = state.get("instance");
        const [geometry, primitive] = [state.get("geometry"), state.get("primitive")];
        const it = model.instances[index];
        const content = model.contents.get(it.content);
        const figures = geometry === null ? null : model.figureOf(index, geometry);
        const text = (name, value) => /share|rate/.test(name) && typeof value === "number" ? share(value) : shortNumber(value);
        return [
            make("h3", {}, `${instanceName(model, index)}${geometry === null ? "" : `, geometry ${geometry}`}`
                + `${primitive === null ? "" : `, primitive ${primitive}`}`),
            facts([
                ["custom index", String(it.custom_index)], ["mask", `0x${it.mask.toString(16)}`], ["table offset", String(it.sbt_offset)],
                ["structure", content ? `${content.structure}, met in ${number(content.instances)} instances` : null],
                ["primitives", content && (geometry === null ? number(content.primitives) : number(content.geometries[geometry]?.primitives))],
                ["flags", content && geometry !== null ? content.geometries[geometry]?.flags || "none" : null],
            ]),
            figures ? [make("h3", {}, "Its rays in this launch"), facts(Object.entries(figures)
                .filter(([name, value]) => !["instance", "custom_index", "geometry"].includes(name) && value !== null)
                .map(([name, value]) => [fieldTitle(name), text(name, value)]))] : null,
            geometry !== null && !figures && model.hasFigures ? make("p", {class: "quiet-text"}, "No ray met it.") : null,
            make("div", {class: "scene-buttons"},
                button("Its rays", () => state.set({filters: {
                    instance: String(instance), ...(geometry !== null && {geometry: String(geometry)}),
                    ...(primitive !== null && {primitive: String(primitive)}),
                }, rule: ""})),
                button("Go to", () => stage.camera.frame(model.boxOf(index)))),
        ];
    }

    function show() {
        const names = ["thread", "ray", "instance", "geometry", "primitive"];
        const text = JSON.stringify([names.map(name => state.get(name)), told?.ray, Boolean(told?.answer), told?.error?.message,
            stage.selection.numbers().length]);
        if (text === shown)
            return; // what is read stays where it is
        shown = text;
        const hasRay = state.get("ray") !== null || state.get("thread") !== null;
        const parts = [...hasRay ? rayPart() : [], ...geometryParts()];
        fill(element, parts.length > 0 ? parts : make("p", {class: "quiet-text"},
            "Click a ray or a geometry, or press Enter on the scene to take what is in the middle."));
    }

    return {show, step};
}
