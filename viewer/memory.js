/* Memory: which pages of which buffers a launch touches when, as requests, lanes, bytes, sectors and misses. Pages that nothing
 * touches are left out. Where two captures are open both stand side by side, with one scale of colours: the launch, and that of the
 * other capture that it is joined with (`warpscope diff`).
 *
 * touched.json has it (analysis/viewer/touched_json.c). The state has `memory`: {figure, page, map, linear}, of which only what the
 * user changed. */

import {MAPS} from "./colour.js";
import {button, check, fill, labelled, make, select} from "./dom.js";
import {bytes, counted, number} from "./format.js";
import {createMap} from "./memory/map.js";
import {placeText, scaleOf} from "./memory/model.js";
import {createLegend} from "./picture/legend.js";

const PAGES = [256, 1024, 4096, 16384, 65536, 1 << 18, 1 << 20, 1 << 21, 1 << 24];
const LAUNCHES_MOST = 500; // that can be chosen here; all can in the overview

/** Makes the view (views.js). */
export function createMemory(element, context) {
    const {state, facts} = context;
    if (facts.launches.length === 0) {
        fill(element, make("p", {class: "empty"}, "This capture has no launches."));
        return {};
    }
    const it = {context, state, sides: [], turn: 0};
    it.controls = make("div", {class: "toolbar"});
    it.stage = make("div", {class: "memory-sides"});
    it.legend = createLegend();
    it.value = make("div", {class: "picture-value", role: "status"});
    fill(element, make("div", {class: "memory-view"}, it.controls, it.stage,
        make("div", {class: "picture-foot"}, it.value, it.legend.element)));
    const ends = [
        state.subscribe(["launch"], () => open(it)),
        state.subscribe(["memory"], () => (pageOf(it) === it.page ? show(it) : open(it))),
    ];
    context.keys("Memory (where it has the focus)", [
        {key: "Arrow keys", help: "from cell to cell"}, {key: "+ -", help: "zoom into the pages, as the wheel does"},
        {key: "Shift+wheel", help: "zoom into time"}, {key: "0", help: "show all"},
    ]);
    open(it);
    return {
        destroy() {
            it.turn++;
            close(it);
            ends.forEach(end => end());
        },
    };
}

function launchOf({state, context: {facts}}) {
    return facts.launches.find(launch => launch.index === state.get("launch")) ?? facts.launches[0];
}

function pageOf({state}) {
    const {page} = state.get("memory");
    return PAGES.includes(page) ? page : 4096;
}

function change(it, members) {
    const next = {...it.state.get("memory"), ...members};
    it.state.set({memory: Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined))});
}

function close(it) {
    it.sides.forEach(side => side.map?.destroy());
    it.sides = [];
}

/* The same launch in both captures: [{key, launch}], the own one first; without the other where that has none. */
async function findSides({context}, launch) {
    const own = [{key: context.key, launch: launch.index}];
    const {captures} = context.capture;
    if (captures.length < 2)
        return own;
    const other = context.key === "a" ? "b" : "a";
    const diff = await context.data.json("diff.json");
    const joined = diff.launches.find(pair => pair[context.key] === launch.index)?.[other] ?? null;
    if (joined === null)
        return own;
    return [...own, {key: other, launch: joined}].sort((one, next) => one.key.localeCompare(next.key));
}

async function open(it) {
    const {context} = it;
    const launch = launchOf(it);
    const mine = ++it.turn;
    const page = pageOf(it);
    it.page = page;
    close(it);
    fill(it.stage, make("p", {class: "empty"}, "Reading the accesses …"));
    try {
        const sides = await findSides(it, launch);
        const query = index => page === 4096 ? {launch: index} : {launch: index, page};
        const answers = await Promise.all(sides.map(side => context.data.json("touched.json", query(side.launch), side.key)
            .catch(error => error)));
        if (mine !== it.turn)
            return;
        fill(it.stage);
        it.sides = sides.map((side, index) => makeSide(it, side, answers[index], sides.length > 1));
        drawControls(it, launch);
        show(it);
    } catch (error) {
        if (mine !== it.turn)
            return;
        fill(it.stage, make("p", {class: "empty"}, error.message));
        context.fail(error);
    }
}

function makeSide(it, {key, launch}, answer, isOne) {
    const file = it.context.capture.captures.find(one => one.key === key).capture.file.split("/").at(-1);
    const name = `${isOne ? `${key.toUpperCase()}: ${file}, ` : ""}launch ${launch}`;
    const body = make("div", {class: "memory-map"});
    const why = answer instanceof Error ? answer.message : answer.why;
    const facts = why === null ? `${counted(answer.pages.length, "page")} of ${number(answer.page)} bytes, `
        + `${bytes(answer.pages.length * answer.page)}; misses as of ${answer.device}` : "";
    it.stage.append(make("section", {class: "memory-side", "aria-label": name},
        make("header", {}, make("h2", {}, name), make("span", {class: "quiet-text"}, facts,
            why === null && answer.left_out > 0 ? `; ${counted(answer.left_out, "request")} left out: choose larger pages` : "")), body));
    if (why !== null) {
        fill(body, make("p", {class: "empty"}, why));
        return {answer: null, map: null};
    }
    const side = {answer};
    side.map = createMap(body, answer, {label: name, point: cell => showValue(it, side, cell)});
    return side;
}

function showValue(it, side, cell) {
    it.value.textContent = cell ? placeText(side.answer, side.map.places, cell.page, cell.part) : "";
}

function figuresOf(it) {
    return it.sides.find(side => side.answer)?.answer.figures ?? [];
}

function drawControls(it, launch) {
    const {state, context: {facts}} = it;
    const kept = state.get("memory");
    const figures = figuresOf(it);
    const launches = facts.launches.slice(0, LAUNCHES_MOST);
    const title = one => [`${one.index}`, one.label, one.pipeline ?? one.kind].filter(Boolean).join(", ");
    if (!launches.includes(launch))
        launches.push(launch);
    const each = action => () => it.sides.forEach(side => side.map && action(side.map));
    fill(it.controls,
        labelled("Launch", select(launches.map(one => [String(one.index), title(one)]), String(launch.index),
            index => state.set({launch: Number(index)}))),
        figures.length === 0 ? null : [
            labelled("Show", select(figures.map(figure => [figure.name, figure.title]), kept.figure ?? "requests",
                figure => change(it, {figure}), {class: "memory-figure"})),
            labelled("Pages of", select(PAGES.map(page => [String(page), page < 1 << 20 ? `${page < 1024 ? `${page} B` : `${page >> 10} KiB`}`
                : `${page >> 20} MiB`]), String(it.page), page => change(it, {page: Number(page)}))),
            labelled("Colours", select(MAPS.filter(([map]) => map !== "diverging"), kept.map ?? "viridis", map => change(it, {map}))),
            check("logarithmic", kept.linear !== true, on => change(it, {linear: on ? undefined : true})),
            make("span", {class: "spring"}),
            make("span", {class: "choice", role: "group", "aria-label": "Zoom"},
                button("−", each(map => map.zoom(1 / 1.5)), {"aria-label": "Zoom out"}),
                button("Fit", each(map => map.fit()), {title: "Show all pages (0)"}),
                button("+", each(map => map.zoom(1.5)), {"aria-label": "Zoom in"}))]);
}

/* Draws what the state asks for, on both sides by one scale. */
function show(it) {
    const kept = it.state.get("memory");
    const answers = it.sides.map(side => side.answer).filter(Boolean);
    const figure = figuresOf(it).find(one => one.name === kept.figure) ?? figuresOf(it)[0];
    if (!figure) {
        it.legend.show(null);
        return;
    }
    const map = MAPS.some(([name]) => name === kept.map) ? kept.map : "viridis";
    const scale = scaleOf(answers, figure.name, kept.linear !== true);
    it.sides.forEach(side => side.map?.show({figure: figure.name, scale, map}));
    it.legend.show({...figure, kind: "measure", zero: true}, scale, map);
}
