/* The picture of a launch: what its first rays hit, or its image, with a figure of each pixel over it. A click on a pixel
 * chooses its thread, whose rays the scene shows; the pixels of its warp are outlined. Dragging with Shift, or the button
 * "Choose pixels", sets the filter `pixels` of rays.
 *
 * pictures.json has the figures, `picture` their values (analysis/viewer/scene/picture.h). The state has `figure`; and
 * `picture`: {base, map, log, opacity, view: [scale, x, y]}, of which only what the user changed. */

import {MAPS} from "../colour.js";
import {button, check, fill, labelled, make, select} from "../dom.js";
import {number} from "../format.js";
import {createPictureCanvas} from "./canvas.js";
import {createLayers} from "./layers.js";
import {createLegend, valueText} from "./legend.js";
import {boxOf, indicesOf, outlineOf, pixelsText, placeOf, threadAt} from "./model.js";

const OPACITY = 0.75; // of a figure over a picture, unless the user chose another
const ZOOM = 1.5;

/** The launch that is shown: the chosen one, else the first with rays, as the scene does. */
export function pictureLaunch(state, launches) {
    return launches.find(launch => launch.index === state.get("launch")) ?? launches.find(launch => launch.rays > 0) ?? launches[0];
}

/** The figure that is shown over the picture: the chosen one; without a picture beneath, the first that has values. */
function chosenFigure(state, picture) {
    const chosen = picture.figures.find(figure => figure.name === state.get("figure"));
    return chosen ?? (picture.base === null ? picture.figures.find(figure => figure.kind !== "colour") ?? null : null);
}

/** Makes the view (views.js). */
export function createPicture(element, context) {
    const {state, facts} = context;
    if (facts.launches.length === 0) {
        element.append(make("p", {class: "empty"}, "This capture has no launches."));
        return {};
    }
    const it = {context, state, picture: null, layers: null, figure: null, marked: 0, asked: 0, turn: 0};
    layOut(it, element);
    const ends = [
        state.subscribe(["launch"], () => open(it)),
        state.subscribe(["figure", "picture"], () => show(it)),
        state.subscribe(["thread", "filters"], () => mark(it)),
    ];
    context.onShown(() => it.canvas.redraw());
    context.keys("Picture (where it has the focus)", KEYS);
    open(it);
    return {
        destroy() {
            it.turn++;
            it.asked++;
            it.marked++;
            ends.forEach(end => end());
            it.canvas.destroy();
        },
    };
}

const KEYS = [
    {key: "Arrow keys", help: "from pixel to pixel; with Shift they move the picture"},
    {key: "Enter", help: "choose the pixel's thread"},
    {key: "b", help: "begin a box of pixels, and end it: its rays are shown"},
    {key: "Shift+drag", help: "a box of pixels: its rays are shown"},
    {key: "+ -", help: "zoom, as the wheel does"},
    {key: "0", help: "show all of the picture"},
];

function layOut(it, element) {
    it.controls = make("div", {class: "toolbar"});
    it.stage = make("div", {class: "picture-stage"});
    it.legend = createLegend();
    it.value = make("div", {class: "picture-value", role: "status"});
    it.note = make("p", {class: "picture-note quiet-text", hidden: true});
    it.canvas = createPictureCanvas(it.stage, {
        point: place => showValue(it, place),
        choose: place => choose(it, place),
        box: (one, other) => chooseBox(it, one, other),
        moved: view => change(it, {view: view && [view.scale, view.x, view.y].map(value => Number(value.toFixed(3)))}),
    });
    element.append(make("div", {class: "picture-view"}, it.controls, it.stage,
        make("div", {class: "picture-foot"}, it.value, it.legend.element), it.note));
}

/* Changes members of the state's `picture`; null or undefined takes one away. */
function change(it, members) {
    const next = {...it.state.get("picture"), ...members};
    for (const name of Object.keys(next)) {
        if (next[name] === null || next[name] === undefined)
            delete next[name];
    }
    it.state.set({picture: next});
}

async function open(it) {
    const {context, state} = it;
    const launch = pictureLaunch(state, context.facts.launches);
    if (it.launch === launch.index)
        return;
    it.launch = launch.index;
    const mine = ++it.turn;
    it.asked++;
    it.marked++;
    it.picture = null;
    it.figure = null;
    try {
        const picture = await context.data.json("pictures.json", {launch: launch.index}, context.key);
        if (mine !== it.turn)
            return;
        it.picture = picture;
        it.drawn = null;
        it.layers = createLayers(context, launch.index, picture);
        it.stage.hidden = picture.size === null;
        explain(it, picture.why);
        drawControls(it);
        const view = state.get("picture").view;
        it.canvas.setView(Array.isArray(view) && view.length === 3 ? {scale: view[0], x: view[1], y: view[2]} : null);
        await Promise.all([show(it), mark(it)]);
    } catch (error) {
        if (mine === it.turn) {
            it.launch = null; // who comes again asks again
            complain(it, error);
        }
    }
}

/* A sentence below the picture; null = none. */
function explain(it, text) {
    it.note.hidden = text === null;
    it.note.textContent = text ?? "";
}

/* What the single file lacks is said where the picture would be; everything else is an error. */
function complain(it, error) {
    explain(it, error.message);
    if (!error.leftOut)
        it.context.fail(error);
}

function drawControls(it) {
    const {picture, state} = it;
    if (picture.size === null) {
        fill(it.controls);
        return;
    }
    const kept = state.get("picture");
    const name = figure => [figure.name, figure.title];
    const held = picture.figures.filter(figure => it.layers.has(figure.name));
    const colours = held.filter(figure => figure.kind === "colour");
    const others = held.filter(figure => figure.kind !== "colour");
    const bases = [...colours.map(name), ["none", "None"]];
    it.opacity = make("input", {
        type: "range", min: 0, max: 1, step: .05, value: kept.opacity ?? OPACITY,
        on: {input: () => change(it, {opacity: Number(it.opacity.value)})},
    });
    it.boxing = button("Choose pixels", () => setBoxing(it, it.boxing.getAttribute("aria-pressed") !== "true"), {
        "aria-pressed": "false", title: "Draw a box: the scene shows the rays of its pixels. The same by dragging with Shift",
    });
    it.everything = button("All pixels", () => setPixels(it, undefined), {title: "Show the rays of all pixels again"});
    fill(it.controls,
        labelled("Show", select([...(picture.base === null ? [] : [["", "no figure"]]), ...others.map(name)],
            chosenFigure(state, picture)?.name ?? "", value => state.set({figure: value}), {class: "picture-figure"})),
        colours.length > 0 ? labelled("over", select(bases, kept.base ?? picture.base ?? "none", base => change(it, {base}))) : null,
        it.strength = labelled("Opacity", it.opacity),
        it.maps = labelled("Colours", select(MAPS.filter(([map]) => map !== "diverging"), kept.map ?? "viridis", map => change(it, {map}))),
        it.logarithmic = check("logarithmic", kept.log === true, log => change(it, {log: log || null})),
        make("span", {class: "spring"}),
        it.boxing, it.everything,
        make("span", {class: "choice", role: "group", "aria-label": "Zoom"},
            button("−", () => it.canvas.zoom(1 / ZOOM), {"aria-label": "Zoom out"}),
            button("Fit", () => it.canvas.fit(), {title: "Show all of the picture (0)"}),
            button("+", () => it.canvas.zoom(ZOOM), {"aria-label": "Zoom in"})));
}

function setBoxing(it, on) {
    it.boxing.setAttribute("aria-pressed", String(on));
    it.canvas.setBoxing(on);
}

/* Draws the layers that the state asks for. */
async function show(it) {
    const {picture, layers, state} = it;
    if (!picture?.size)
        return;
    const mine = ++it.asked; // a figure that was chosen before may come later
    const kept = state.get("picture");
    const figure = chosenFigure(state, picture);
    const options = {map: kept.map ?? "viridis", logarithmic: kept.log === true};
    const base = kept.base ?? picture.base;
    const opacity = base === null || base === "none" ? 1 : kept.opacity ?? OPACITY;
    it.controls.querySelector(".picture-figure").value = figure?.name ?? "";
    it.strength.hidden = figure === null || base === null || base === "none";
    it.maps.hidden = figure === null || !["measure", "share"].includes(figure.kind);
    it.logarithmic.hidden = figure?.kind !== "measure";
    try {
        const drawn = await layers.make(base === "none" ? null : base, figure?.name ?? null, options);
        if (mine !== it.asked)
            return;
        it.figure = figure;
        explain(it, picture.why);
        if (it.drawn !== drawn.key)
            it.canvas.setLayers(picture.size, drawn.layers.map((rgba, index) => ({rgba, opacity: index > 0 ? opacity : 1})));
        it.canvas.setOpacity(1, opacity);
        it.drawn = drawn.key;
        it.legend.show(figure, drawn.range, options.map);
    } catch (error) {
        if (mine === it.asked)
            complain(it, error);
    }
}

/* Marks the chosen thread, its warp and the filter. */
async function mark(it) {
    const {picture, layers, state} = it;
    if (!picture?.size)
        return;
    const mine = ++it.marked;
    const thread = placeOf(picture, state.get("thread"));
    const box = boxOf(picture, state.get("filters").pixels);
    it.everything.hidden = box === null;
    it.canvas.setMarks({thread, box, warp: null});
    showValue(it, null);
    if (!thread)
        return;
    it.canvas.reveal(thread);
    try {
        const [warps] = await Promise.all([layers.values("warp"), layers.values("lane")]);
        if (mine !== it.marked || !warps)
            return;
        const own = warps[thread[1] * picture.size[0] + thread[0]];
        const warp = Number.isNaN(own) ? null : outlineOf(indicesOf(warps, own), picture.size[0]);
        it.canvas.setMarks({thread, box, warp});
        showValue(it, null);
    } catch (error) {
        complain(it, error);
    }
}

/* What is known of a place: its thread, the figure, and its warp. Without a place, that of the chosen thread. */
function showValue(it, pointed) {
    const {picture, layers, figure, state} = it;
    const place = pointed ?? (picture?.size ? placeOf(picture, state.get("thread")) : null);
    const thread = place && threadAt(picture, place);
    if (!thread) {
        it.value.textContent = "";
        return;
    }
    const index = place[1] * picture.size[0] + place[0];
    const shown = name => {
        const values = layers.ready(name);
        const found = picture.figures.find(one => one.name === name);
        return values && !Number.isNaN(values[index]) ? `${found.title.toLowerCase()} ${valueText(found, values[index])}` : null;
    };
    const used = picture.grid.extent[2] > 1 ? 3 : picture.grid.extent[1] > 1 ? 2 : 1;
    const parts = [thread.slice(0, used).map(number).join(","), figure && shown(figure.name),
        figure?.name === "warp" ? null : shown("warp"), figure?.name === "lane" ? null : shown("lane")];
    it.value.textContent = parts.filter(Boolean).join(" · ");
}

function choose(it, place) {
    const thread = threadAt(it.picture, place);
    if (thread)
        it.state.set({launch: it.launch, thread, ray: null});
}

function chooseBox(it, one, other) {
    const text = pixelsText(it.picture, one, other);
    setBoxing(it, false);
    if (text === null)
        it.context.say("A box must lie within one slice of the launch, or one row of a folded one.");
    else
        setPixels(it, text);
}

function setPixels(it, pixels) {
    const {pixels: before, ...others} = it.state.get("filters");
    if (before !== pixels)
        it.state.set({launch: it.launch, filters: pixels === undefined ? others : {...others, pixels}});
}
