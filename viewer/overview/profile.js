/* The profile of all shaders (figure 3.14 of the paper): how often each instruction was executed by threads, shader after
 * shader. Runs are the report's own: instructions in a row that were executed equally often. */

import {stageColour} from "../colour.js";

const NAMED = 0.05; // part of the whole that a shader takes whose name is shown

/**
 * The runs as a chart's x and series: one series for each shader, with a value where its runs begin and end, and none in the
 * places of other shaders. `runs` gives the run of each place, so that a click leads to it; `middles` the middle of each
 * shader that takes enough room for its name.
 */
export function profileOf(runs) {
    const shaders = new Map();
    for (const run of runs) {
        if (!shaders.has(run.shader_id))
            shaders.set(run.shader_id, []);
        shaders.get(run.shader_id).push(run);
    }
    const profile = {x: [], runs: [], series: [], middles: []};
    let first = 0;
    for (const [id, own] of shaders) {
        own.sort((one, other) => one.index - other.index);
        const {shader, stage} = own[0];
        const series = {id, shader, stage, colour: stageColour(stage), values: new Array(profile.x.length).fill(null)};
        for (const run of own) {
            profile.x.push(first + run.index, first + run.index + run.instructions - 0.5);
            profile.runs.push(run, run);
            series.values.push(run.each, run.each);
        }
        const last = own.at(-1);
        series.x = [first, first + last.index + last.instructions];
        [, first] = series.x;
        profile.series.push(series);
    }
    for (const {x: [from, to], shader} of profile.series) {
        if (to - from >= NAMED * first)
            profile.middles.push({x: (from + to) / 2, shader});
    }
    for (const series of profile.series)
        series.values.push(...new Array(profile.x.length - series.values.length).fill(null));
    return profile;
}
