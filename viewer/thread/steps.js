/* Steps of a trace without their drawing. A trace is as thread.json has it (analysis/viewer/shaders/thread_json.c): steps, of which
 * those that repeat hold others. */

/**
 * The steps one after the other, as they stand: [{step, index, nesting}]. `index` counts them, as partings do; steps inside a
 * repetition have one more `nesting` than it.
 */
export function flatten(steps) {
    const list = [];
    const add = (inner, nesting) => {
        for (const step of inner) {
            list.push({step, index: list.length, nesting});
            if (step.steps)
                add(step.steps, nesting + 1);
        }
    };
    add(steps, 0);
    return list;
}

/** The lanes of a hexadecimal mask, lowest lane first: a list of true and false. */
export function lanesOf(mask, size) {
    const bits = mask ? BigInt(`0x${mask}`) : 0n;
    return Array.from({length: size}, (_, lane) => (bits >> BigInt(lane) & 1n) === 1n);
}

/** What each lane does in a step: "own" (active, of the thread or warp), "beside" (active), "idle" (inactive), "none" (not in it). */
export function lanesAt(step, size) {
    if (step.event === "repeat")
        return [];
    const active = lanesOf(step.lanes, size);
    const own = lanesOf(step.own, size);
    const entered = lanesOf(step.entered, size);
    return active.map((isActive, lane) => (isActive ? own[lane] ? "own" : "beside" : entered[lane] ? "idle" : "none"));
}

/** The lanes of the largest warp of a trace. */
export function sizeOf(list) {
    return list.reduce((most, {step}) => Math.max(most, step.subgroup_size ?? 0), 0);
}

/** A step in words; `names` has the names of shaders by id. */
export function stepText(step, names) {
    const shader = names.get(step.shader_id) ?? `shader ${step.shader_id}`;
    if (step.event === "enter")
        return `> ${shader}`;
    if (step.event === "end")
        return "< end";
    if (step.event === "cut")
        return "! the records end within it";
    if (step.event === "continue")
        return `~ ${shader} goes on in another warp`;
    if (step.event === "repeat")
        return `${step.times} times:`;
    return step.source ?? `block %${step.block}${step.part ? `+${step.part}` : ""}`;
}

/** Where a step leads: to its line, without one to its block in the shader. */
export function placeOfStep(step) {
    if (step.event === "repeat")
        return null;
    const place = {tab: "shaders", shader: step.shader_id, line: step.line ?? null, file: step.file ?? "", shaders: {}};
    if (step.event === "block" && place.line === null)
        place.shaders = step.part === null ? {block: step.block} : {block: step.block, part: step.part};
    return place;
}

/** The traces by thread: [{thread, warp, story}]. */
export function pairs(answer) {
    const threads = answer.traces.filter(trace => trace.of === "thread");
    const warps = answer.traces.filter(trace => trace.of === "warp");
    return threads.map((thread, index) => ({thread, warp: warps[index] ?? null, story: answer.stories[index] ?? null}));
}
