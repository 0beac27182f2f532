/* Small pictures of a launch: its heat maps and its map from threads to warps. A click opens one in Scene. */

import {fill, make, placeLink} from "../dom.js";
import {categoryColour, mapTable, MISSING, parseColour} from "../colour.js";

const MOST = 12;

/* A value's colour, as 4 bytes: of a measure by a map, of an id by categories. */
function painter(figure) {
    if (figure.kind === "id") {
        const colours = Array.from({length: 8}, (_, index) => [...parseColour(categoryColour(index)), 255]);
        return value => colours[value % colours.length];
    }
    const map = mapTable("viridis");
    const [low, high] = figure.kind === "share" ? [0, 1] : [figure.smallest, figure.largest];
    return value => {
        const at = 4 * Math.min(255, Math.max(0, Math.round(255 * (value - low) / (high - low || 1))));
        return map.subarray(at, at + 4);
    };
}

/** Draws values of a picture of `size` into a canvas: numbers, or 4 bytes a pixel of a figure that is a colour. */
export function paint(figure, size, bytes) {
    const [width, height] = size;
    const pixels = new Uint8ClampedArray(4 * width * height);
    if (figure.kind === "colour") {
        pixels.set(new Uint8Array(bytes, 0, pixels.length));
    } else {
        const values = new Float32Array(bytes, 0, width * height);
        const colour = painter(figure);
        values.forEach((value, index) => pixels.set(Number.isNaN(value) ? [...MISSING, 80] : colour(value), 4 * index));
    }
    const canvas = make("canvas", {width, height});
    canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
    return canvas;
}

/* A figure that is one value everywhere is said, not drawn. */
function isEven(figure) {
    return figure.kind !== "colour" && figure.smallest !== null && figure.smallest === figure.largest;
}

async function drawPicture(context, launch, size, figure) {
    const bytes = await context.data.binary("picture", {launch: launch.index, figure: figure.name}, context.key);
    return placeLink(context.state, {tab: "scene", launch: launch.index, figure: figure.name},
        make("figure", {title: figure.help},
            paint(figure, size, bytes),
            make("figcaption", {}, figure.title)));
}

/* The launch that is chosen, else the first that has pictures. */
function launchOf(context) {
    const chosen = context.facts.launches.find(launch => launch.index === context.state.get("launch"));
    return chosen ?? context.facts.launches.find(launch => launch.kind === "trace rays") ?? context.facts.launches[0];
}

export function createPictures(context) {
    const {launches} = context.facts;
    if (launches.length === 0)
        return null;
    const place = make("div", {}, make("p", {class: "quiet-text"}, "Drawing …"));
    let drawn = null;

    async function draw() {
        const launch = launchOf(context);
        if (drawn === launch.index)
            return;
        drawn = launch.index;
        try {
            const pictures = await context.data.json("pictures.json", {launch: launch.index}, context.key);
            const figures = pictures.size ? pictures.figures : [];
            const shown = [];
            for (const figure of figures.filter(one => !isEven(one)).slice(0, MOST))
                shown.push(await drawPicture(context, launch, pictures.size, figure));
            const even = figures.filter(isEven).map(figure => `${figure.title.toLowerCase()} (${figure.smallest})`);
            fill(place, make("div", {class: "thumbnails"}, shown),
                even.length > 0 ? make("p", {class: "quiet-text"}, `The same everywhere: ${even.join(", ")}.`) : null,
                pictures.why ? make("p", {class: "quiet-text"}, pictures.why) : null);
        } catch (error) {
            fill(place, make("p", {class: "quiet-text"}, error.message));
        }
    }

    const end = context.state.subscribe(["launch"], draw);
    return {name: "pictures", title: "Pictures", help: "of the chosen launch", content: place, start: draw, destroy: end};
}
