/* The evidence of advice among rays: which ray shows it best, and where to look to see it. Pure functions on answers of the
 * resource `rays`. */

import {endsOf, threadOf} from "./ray_rows.js";

const CUT = 0.02; // of the places on each side of an axis: a few rays far away would make all others small
const CONTEXT = 0.15; // of the scene's longest side is seen at least: else nobody knows where it is
const HIT = 1; // enum ws_ray_end

/**
 * The worst ray of an answer: of the thread that has most rays in it the last, {thread, ray}: those before it
 * are shown with it. Of equal threads the one whose ray was traced first. Null without rays.
 */
export function worstRay(answer) {
    const threads = new Map();
    for (let i = 0; i < answer.count; ++i) {
        const key = threadOf(answer, i).join(",");
        const ray = answer.columns.ray[i];
        const known = threads.get(key) ?? {count: 0, ray, thread: threadOf(answer, i)};
        threads.set(key, {...known, count: known.count + 1, ray: Math.max(known.ray, ray)});
    }
    const [worst] = [...threads.values()].sort((a, b) => b.count - a.count || a.ray - b.ray);
    return worst ? {thread: worst.thread, ray: worst.ray} : null;
}

/**
 * The box of where the rays of an answer start and hit, without the outermost 2 % on each side of an axis; null without rays.
 * Where misses end says nothing: they are cut off behind the scene.
 */
export function boxOfRays(answer) {
    if (answer.count === 0)
        return null;
    const places = [[], [], []];
    for (let i = 0; i < answer.count; ++i) {
        const ends = endsOf(answer, i);
        for (let axis = 0; axis < 3; ++axis) {
            places[axis].push(ends[axis]);
            if (answer.columns.end[i] === HIT)
                places[axis].push(ends[3 + axis]);
        }
    }
    places.forEach(list => list.sort((a, b) => a - b));
    const at = part => places.map(list => list[Math.round(part * (list.length - 1))]);
    return [...at(CUT), ...at(1 - CUT)];
}

/** A box with what is around it: no side is shorter than a part of the longest side of `bounds`. */
export function withContext(box, bounds) {
    const least = CONTEXT * Math.max(...[0, 1, 2].map(axis => bounds[3 + axis] - bounds[axis]));
    const more = [0, 1, 2].map(axis => Math.max(least - (box[3 + axis] - box[axis]), 0) / 2);
    return box.map((side, i) => i < 3 ? side - more[i] : side + more[i - 3]);
}
