/* What is on the stage in words: for the line under the canvas, and for those who do not see the canvas. */

import {number} from "../format.js";
import {POINT_KINDS} from "./points.js";
import {COLOURINGS} from "./ray_colours.js";
import {indexName} from "./scene_model.js";
import {optionsOf} from "./scene_options.js";

const grouped = value => number(value).replace(/\B(?=(\d{3})+$)/g, " ");

/** Why a capture has no scene. One that was recorded with ray_events is of a program that traces no rays. */
export function whyNoScene(capture) {
    return capture.passes.includes("ray_events")
        ? "The launches of this capture trace no rays, and no acceleration structure was built."
        : "This capture has neither rays nor geometry. They come with the pass ray_events: warpscope record -p ray_events -- PROGRAM";
}

function raysText({rays, state}) {
    const {answer, isLoading} = rays.shown;
    if (isLoading && answer === null)
        return "reading rays …";
    if (answer === null)
        return "no rays drawn";
    const drawn = answer.count < answer.matches ? `${grouped(answer.count)} of ${grouped(answer.matches)} rays` : `${grouped(answer.count)} rays`;
    const held = answer.partial ? " that this file holds (warpscope view has all)" : "";
    const filtered = answer.matches < answer.total ? ` that fit, of ${grouped(answer.total)}` : "";
    const sample = answer.count < answer.matches ? ", a sample" : "";
    return `${drawn}${held || filtered}${sample}${rays.isDensity() ? " as density" : ""}${state.get("rule") ? ` (advice ${state.get("rule")})` : ""}`;
}

function geometryText({meshes, model, state}) {
    if (!model.hasGeometry)
        return "no geometry was captured";
    const counts = meshes.counts();
    const loading = counts.isLoading ? ", reading …" : "";
    const plain = counts.plain > 0 ? `: ${grouped(counts.plain)} of them cannot show hit rates` : "";
    const simple = counts.isSimplified ? `, simplified${plain}` : "";
    const instances = `${grouped(counts.instances)} ${counts.instances === 1 ? "instance" : "instances"}`;
    const hidden = optionsOf(state).hidden.length; // instances, or single geometries of them
    const parts = [[counts.triangles, "triangle", "triangles"], [counts.boxes, "box", "boxes"]].filter(([count]) => count > 0)
        .map(([count, one, several]) => `${grouped(count)} ${count === 1 ? one : several}`);
    return `${parts.join(" and ") || "0 triangles"} of ${instances}${hidden > 0 ? `, ${grouped(hidden)} hidden` : ""}${simple}${loading}`;
}

/* Boxes of the model BVH, where there is no room for all. */
function boxesText({boxes}) {
    const {drawn, left} = boxes.counts();
    return left > 0 ? [`only ${grouped(drawn)} of ${grouped(drawn + left)} boxes of the model BVH: choose fewer depths`] : [];
}

function classesText({rays}) {
    const counted = rays.shown.classes.filter(one => one.count > 0).map(one => `${one.count} ${one.label}`);
    const title = COLOURINGS.find(([name]) => name === rays.shown.by)?.[1];
    return counted.length > 0 && title ? ` By ${title.toLowerCase()}: ${counted.join(", ")}.` : "";
}

function selectionText({state, model}) {
    const [thread, ray, instance] = ["thread", "ray", "instance"].map(name => state.get(name));
    const parts = [];
    if (ray !== null)
        parts.push(`ray ${ray}`);
    if (thread !== null)
        parts.push(`thread ${thread.join(", ")}`);
    if (instance !== null && model.numbersOf(instance).length > 0)
        parts.push(indexName(model, instance));
    return parts.length > 0 ? `Selected: ${parts.join(", ")}.` : "";
}

/** {short: for the line, long: for the label of the canvas}. */
export function describeStage(stage) {
    const points = [...stage.points.clouds].map(([name, cloud]) => (
        `${grouped(cloud.count)} ${POINT_KINDS.find(kind => kind.name === name).label.toLowerCase()}`));
    const short = [raysText(stage), geometryText(stage), ...boxesText(stage), ...points].join(" · ");
    return {
        short,
        long: `Scene of launch ${stage.launch}: ${short.replaceAll(" · ", "; ")}.${classesText(stage)} ${selectionText(stage)}`,
    };
}
