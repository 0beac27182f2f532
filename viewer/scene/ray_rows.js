/* Rays of an answer of the resource `rays` (rays_table.js): what its columns say of one of them. */

export const NONE = 0xffffffff; // of parent, instance, geometry, primitive
export const ENDS = ["unknown", "hit", "miss", "implicit_hit", "no_shader"];
export const KINDS = ["trace", "skip_closest_hit", "query"];

/** A coordinate of 0 to 65535 in the box, as a place in the world. `axis` is 0 to 2. */
function dequantise(value, box, axis) {
    return box[axis] + value / 65535 * (box[3 + axis] - box[axis]);
}

/** Start and end of ray `index` of an answer, in the world: [x, y, z, x, y, z]. */
export function endsOf(answer, index) {
    const line = answer.columns.line;
    return [0, 1, 2, 4, 5, 6].map((part, i) => dequantise(line[8 * index + part], answer.box, i % 3));
}

/** Work id of the thread of ray `index`. */
export function threadOf(answer, index) {
    return Array.from(answer.columns.thread.subarray(3 * index, 3 * index + 3));
}
