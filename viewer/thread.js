/* Thread: what the chosen thread did, in words; its rays; its trace; and the lanes of its warp beside it, step by step. */

import {button, fill, make, placeLink} from "./dom.js";
import {number} from "./format.js";
import {pictureLaunch} from "./picture/picture.js";
import {shownLine} from "./shaders/model.js";
import {pairs} from "./thread/steps.js";
import {createTrace} from "./thread/trace.js";

const RAYS_SHOWN = 500;

/** Makes the view (views.js). */
export function createThread(element, context) {
    const it = {context, state: context.state, turn: 0, trace: null, part: "story", answer: null, names: new Map()};
    it.content = make("div", {class: "thread-view"});
    fill(element, it.content);
    const ends = [
        context.state.subscribe(["thread", "launch"], () => open(it)),
        context.state.subscribe(["ray"], () => markRay(it)),
    ];
    open(it);
    return {
        destroy() {
            it.turn++;
            it.trace?.destroy();
            ends.forEach(end => end());
        },
    };
}

async function open(it) {
    const mine = ++it.turn;
    const thread = it.state.get("thread");
    const launch = pictureLaunch(it.state, it.context.facts.launches);
    it.trace?.destroy();
    it.trace = null;
    it.answer = null;
    if (thread === null || !launch) {
        fill(it.content, make("p", {class: "empty"}, "Choose a pixel of the picture, a ray, or a thread in a list: here stands what"
            + " it did, and what the lanes of its warp did meanwhile."));
        return;
    }
    fill(it.content, make("p", {class: "empty"}, "Reading the thread …"));
    try {
        const query = {launch: launch.index, thread: [...thread, 0, 0].slice(0, 3).join(",")};
        const [answer, {shaders}] = await Promise.all([it.context.data.json("thread.json", query, it.context.key),
            it.context.data.json("shaders.json", {}, it.context.key)]);
        if (mine !== it.turn)
            return;
        it.answer = answer;
        it.names = new Map(shaders.map(shader => [shader.shader_id, shader.shader]));
        draw(it);
    } catch (error) {
        if (mine === it.turn)
            fill(it.content, make("p", {class: "empty"}, error.message), error.leftOut ? commandOf(it, launch, thread) : null);
    }
}

/* What shows the thread in a terminal, where a single file does not hold it. */
function commandOf(it, launch, thread) {
    const {file} = it.context.facts.capture;
    return make("p", {class: "empty"}, make("code", {},
        `warpscope report ${file} execution_trace --launch ${launch.index} --thread ${thread.join(",")}`));
}

/* What of the thread can be shown: [name, title, how]. */
function partsOf(answer) {
    const [pair] = pairs(answer);
    return [
        ["story", "Story", drawStory],
        answer.ray_count > 0 ? ["rays", `Rays (${number(answer.ray_count)})`, drawRays] : null,
        pair?.warp ? ["warp", "Warp's lanes", drawWarp] : null,
        pair ? ["trace", "Its trace", drawOwn] : null,
    ].filter(part => part !== null);
}

function draw(it) {
    const parts = partsOf(it.answer);
    const [name, , show] = parts.find(([one]) => one === it.part) ?? parts[0];
    const choices = parts.map(([one, title]) => button(title, () => {
        it.part = one;
        draw(it);
        it.content.querySelector(".choice [aria-pressed=true]").focus();
    }, {"aria-pressed": String(one === name)}));
    const body = make("div", {class: "thread-body"});
    it.trace?.destroy();
    it.trace = null;
    fill(it.content,
        make("div", {class: "toolbar"}, make("span", {class: "choice", role: "group", "aria-label": "Of the thread"}, choices)), body);
    show(it, body);
}

function drawStory(it, body) {
    const {answer} = it;
    const stories = pairs(answer).map(pair => make("div", {class: "thread-story"},
        pair.story?.story.map(text => make("p", {}, shownLine(text)))));
    const missing = [answer.traces_missing, answer.rays_missing].filter(text => text);
    fill(body, stories, missing.map(text => make("p", {class: "empty"}, shownLine(text))));
}

function drawRays(it, body) {
    const chosen = it.state.get("ray");
    const {launch, rays, ray_count: count} = it.answer;
    const shown = rays.slice(0, RAYS_SHOWN);
    fill(body, make("ol", {class: "thread-rays", "aria-label": "Rays of the thread"}, shown.map(ray => make("li", {
        "aria-current": ray.ray === chosen ? "true" : null, style: {"padding-left": `${Math.min(ray.depth, 12)}rem`},
    }, placeLink(it.state, {tab: "scene", launch, ray: ray.ray}, shownLine(ray.text)))),
    count > shown.length ? make("li", {class: "quiet-text"}, `and ${count - shown.length} more`) : null));
    body.querySelector("[aria-current]")?.scrollIntoView({block: "nearest"});
}

function legendOf(signs) {
    return make("div", {class: "toolbar legend"}, signs.map(([kind, text]) => (
        make("span", {}, make("i", {class: `lane-sign ${kind}`}), text))));
}

/* The trace of the first thread of that id; a pixel may have several, of which the others stand in the story. */
function drawTrace(it, body, trace, partings, signs) {
    const [pair] = pairs(it.answer);
    const place = make("div", {class: "thread-trace"});
    const rows = make("div", {class: "thread-trace"});
    fill(body, fill(place, legendOf(signs), rows));
    it.trace = createTrace(rows, {
        trace, lane: pair.thread.lane, names: it.names, partings, choose: chosen => it.state.set(chosen),
    });
}

function drawWarp(it, body) {
    const [pair] = pairs(it.answer);
    drawTrace(it, body, pair.warp, [], [["own", "active"], ["beside", "of another warp"], ["idle", "inactive"],
        ["own mine", "this thread's lane"]]);
}

function drawOwn(it, body) {
    const [pair] = pairs(it.answer);
    drawTrace(it, body, pair.thread, pair.story?.partings ?? [], [["own", "this thread"], ["beside", "lanes beside it"],
        ["idle", "inactive"]]);
}

function markRay(it) {
    if (it.answer && it.part === "rays")
        draw(it);
}
