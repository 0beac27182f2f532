/* A mesh whose triangles have colours of their own: by hit rates of the resource `rates` (analysis/viewer/scene/rates.c). Each
 * triangle has its own three corners, so nothing is interpolated. */

import {mapTable} from "../colour.js";

const ENTRIES = 256;

/** Rates of a table by geometry and primitive: Map of geometry -> Map of primitive -> rate. */
function ratesOf(rows, column) {
    const found = new Map();
    for (let i = 0; i < rows.count; ++i) {
        const geometry = rows.columns.geometry[i];
        if (!found.has(geometry))
            found.set(geometry, new Map());
        found.get(geometry).set(rows.columns.primitive[i], rows.columns[column][i]);
    }
    return found;
}

/** The colour of a rate in a table of mapTable: where it stands there, times 4; a rate below 0 is none. */
export function entryOf(rate) {
    return 4 * Math.round(Math.min(rate, 1) * (ENTRIES - 1));
}

/**
 * {positions, geometries, colours} of the triangles of `drawnOf` (mesh_answer.js), three corners each. Colours have opacity 0 where
 * the table has no rate.
 */
export function ratedOf(drawn, rows, column, map) {
    const table = mapTable(map, ENTRIES);
    const rates = ratesOf(rows, column);
    const corners = drawn.indices.length;
    const out = {positions: new Float32Array(3 * corners), geometries: new Uint16Array(corners), colours: new Uint8Array(4 * corners)};
    for (const [at, {first, part}] of drawn.faceParts.entries()) {
        const end = drawn.faceParts[at + 1]?.first ?? corners / 3;
        const own = rates.get(part.geometry);
        for (let triangle = first; triangle < end; ++triangle) {
            const place = part.isBoxes ? Math.floor((triangle - first) / 12) : triangle - first;
            const rate = own?.get(part.numbers ? part.numbers[place] : place) ?? -1;
            for (let corner = 3 * triangle; corner < 3 * triangle + 3; ++corner) {
                const vertex = drawn.indices[corner];
                out.positions.set(drawn.positions.subarray(3 * vertex, 3 * vertex + 3), 3 * corner);
                out.geometries[corner] = part.geometry;
                if (rate >= 0)
                    out.colours.set(table.subarray(entryOf(rate), entryOf(rate) + 4), 4 * corner);
            }
        }
    }
    return out;
}
