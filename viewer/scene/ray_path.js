/* The path of a ray among those of its thread. */

import {NONE} from "./ray_rows.js";

/**
 * Which rays of a thread are on the path of one: those that led to it, and those that it led to. Rays that a loop traces
 * one after the other have no parents, and are no path. Returns a Set of numbers.
 */
export function pathOf(numbers, parents, ray) {
    const parentOf = new Map(Array.from(numbers, (number, i) => [number, parents[i]]));
    const path = new Set([ray]);
    for (let up = parentOf.get(ray); up !== undefined && up !== NONE && !path.has(up); up = parentOf.get(up))
        path.add(up);
    // Rays are numbered in the order of tracing, so a parent comes before its children.
    const below = new Set([ray]);
    for (const number of [...parentOf.keys()].sort((a, b) => a - b))
        if (below.has(parentOf.get(number)))
            below.add(number);
    return new Set([...path, ...below]);
}
