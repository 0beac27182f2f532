/* The layers of a picture as colours: what lies beneath, and a figure over it. Values are asked for once, and kept as long as
 * the launch is shown. */

import {CATEGORIES, mapTable, parseColour} from "../colour.js";
import {coloursOf, rangeOf} from "./model.js";

const categories = new Uint8Array(CATEGORIES.flatMap(colour => [...parseColour(colour), 255]));

/**
 * Layers of a launch. `picture` is pictures.json. Returned:
 *   has(name)     whether a figure's values can be had: the single file may lack them
 *   values(name)  promise of the values of a figure, a Float32Array; null if there is no such figure
 *   ready(name)   the values if they are here already; else null
 *   make(base, figure, {map, logarithmic})  promise of {layers: [rgba, ...], range, key}; `base` and `figure` are names, or
 *                 null. Equal keys are equal layers
 */
export function createLayers(context, launch, picture) {
    const answers = new Map(); // promises of binary answers, by figure
    const here = new Map();    // values that are here
    const figureOf = name => picture.figures.find(figure => figure.name === name);

    function binary(name) {
        if (!answers.has(name)) {
            const answer = context.data.binary("picture", {launch, figure: name}, context.key);
            answers.set(name, answer);
            answer.catch(() => answers.delete(name)); // the next who asks tries again
        }
        return answers.get(name);
    }

    async function values(name) {
        const figure = figureOf(name);
        if (!figure || figure.kind === "colour" || !context.data.has("picture", {launch, figure: name}, context.key))
            return null;
        if (!here.has(name))
            here.set(name, new Float32Array(await binary(name)));
        return here.get(name);
    }

    async function layer(name, {map, logarithmic}) {
        if (figureOf(name).kind === "colour")
            return {rgba: new Uint8ClampedArray(await binary(name)), range: null};
        const found = await values(name);
        const range = rangeOf(figureOf(name), found, logarithmic);
        return {rgba: coloursOf(figureOf(name), found, range, mapTable(map), categories), range};
    }

    return {
        has: name => context.data.has("picture", {launch, figure: name}, context.key),
        values,
        ready: name => here.get(name) ?? null,
        async make(base, figure, options) {
            const names = [figureOf(base) ? base : null, figureOf(figure) ? figure : null].filter(Boolean);
            const made = await Promise.all(names.map(name => layer(name, options)));
            return {
                layers: made.map(one => one.rgba),
                range: figureOf(figure) ? made.at(-1).range : null,
                key: JSON.stringify([names, options]),
            };
        },
    };
}
