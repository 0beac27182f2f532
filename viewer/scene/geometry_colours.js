/* What geometry is coloured by: nothing, its instance, a figure of scene.json; or, triangle by triangle, a hit rate (mesh_rates.js). */

import {CATEGORIES, mapColour, parseColour} from "../colour.js";

const MAP = "viridis";
export const RATE_MAP = "viridis"; // of hit rates: all of it, since a rate of 0 is no lack of one
const LEAST = 0.15; // of the map: its darkest part is hard to see on a dark ground
const PLAIN = {dark: [150, 158, 170], light: [182, 188, 196]};

/** What there is to choose: [name, label]. */
export function paintsOf(model) {
    const own = [["plain", "Nothing"], ["instance", "Instance"], ["content", "Bottom-level structure"]];
    const rates = model.rates.map(rate => [rate.name, rate.title]);
    return model.hasFigures ? [...own, ...rates, ...model.fields.map(field => [field.name, titleOf(field)])] : [...own, ...rates];
}

/** A figure's name as people read it. */
export function titleOf(field) {
    const text = field.name.replaceAll("_", " ").replace("any hits", "any-hit runs").replace("intersections per", "intersection runs per");
    return text.charAt(0).toUpperCase() + text.slice(1);
}

/* Counts differ by powers of ten: their colours do, too. */
function scaleOf(field, values) {
    const most = Math.max(...values);
    if (field.kind === "share")
        return {low: 0, high: 1, part: value => value};
    if (field.kind === "count" && most > 20)
        return {low: 0, high: most, isLogarithmic: true, part: value => Math.log1p(value) / Math.log1p(most)};
    return {low: 0, high: most, part: value => most > 0 ? value / most : 0};
}

/**
 * Colours by `paint`: {of(number, geometry): [r, g, b], legend: null or {title, help, low, high, isLogarithmic, map}}.
 */
export function geometryColours(model, paint, theme) {
    const field = model.fields.find(one => one.name === paint);
    const plain = PLAIN[theme] ?? PLAIN.dark;
    const rate = model.rates.find(one => one.name === paint);
    if (rate) // what nothing asked for is plain; the others have colours of their own
        return {of: () => plain, legend: {title: rate.title, help: rate.help, kind: "share", map: RATE_MAP, low: 0, high: 1}};
    if (!field || !model.hasFigures) {
        const mixed = index => parseColour(CATEGORIES[index % CATEGORIES.length]).map((part, i) => 0.75 * part + 0.25 * plain[i]);
        const of = paint === "instance" ? number => mixed(model.instances[number].index)
            : paint === "content" ? number => mixed(model.instances[number].content) : () => plain;
        return {of, legend: null};
    }
    const value = (number, geometry) => model.figureOf(number, geometry)?.[field.name];
    const isKnown = found => typeof found === "number" && Number.isFinite(found);
    const values = model.instances.flatMap((instance, number) => (
        model.contents.get(instance.content)?.geometries ?? []).map((_, geometry) => value(number, geometry))).filter(isKnown);
    const scale = scaleOf(field, values.length > 0 ? values : [0]);
    return {
        of(number, geometry) {
            const found = value(number, geometry);
            // Walls that no figure is about would be large and dark: what has none, or 0, has the colour of plain geometry.
            return isKnown(found) && found > 0 ? mapColour(MAP, LEAST + (1 - LEAST) * scale.part(found)).map(Math.round) : plain;
        },
        legend: {title: titleOf(field), help: field.help, kind: field.kind, map: MAP, ...scale},
    };
}
