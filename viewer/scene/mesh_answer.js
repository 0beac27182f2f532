/* Answers of the resource `mesh` (analysis/viewer/mesh.h), and what is drawn of them: one list of triangles for all parts of
 * a content. A box becomes twelve triangles and twelve edges. Positions and indices of triangles are views of the answer's
 * bytes where there is one part. */

const MAGIC = 0x484d5357; // 'WSMH'
const VERSION = 1;
const HEADER_BYTES = 48;
const PART_BYTES = 64;
const BOXES = 1;

const CORNERS = [0, 1, 2, 3, 4, 5, 6, 7].map(i => [i & 1, i >> 1 & 1, i >> 2 & 1]);
const BOX_TRIANGLES = [
    0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
];
const BOX_EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];

function readPart(buffer, view, at) {
    const word = i => view.getUint32(at + 4 * i, true);
    const isBoxes = word(1) === BOXES;
    const drawn = word(6);
    return {
        geometry: word(0), isBoxes, isOpaque: (word(2) & 1) !== 0, primitives: word(3), leftOut: word(4), drawn,
        positions: new Float32Array(buffer, word(7), isBoxes ? 6 * drawn : 3 * word(5)),
        indices: isBoxes ? null : new Uint32Array(buffer, word(8), 3 * drawn),
        numbers: word(9) === 0 ? null : new Uint32Array(buffer, word(9), drawn),
    };
}

/** Reads an answer: {content, detail, bounds: [6], parts}. Throws an Error if it is none. */
export function readMesh(buffer) {
    const view = new DataView(buffer);
    if (buffer.byteLength < HEADER_BYTES || view.getUint32(0, true) !== MAGIC)
        throw new Error("the answer is no mesh");
    if (view.getUint32(4, true) !== VERSION)
        throw new Error(`the answer has version ${view.getUint32(4, true)} of meshes; this page reads version ${VERSION}`);
    const parts = [];
    for (let i = 0; i < view.getUint32(12, true); ++i)
        parts.push(readPart(buffer, view, HEADER_BYTES + i * PART_BYTES));
    return {
        content: view.getUint32(8, true), detail: view.getUint32(16, true),
        bounds: Array.from({length: 6}, (_, i) => view.getFloat32(24 + 4 * i, true)), parts,
    };
}

function addBoxes(part, out) {
    for (let box = 0; box < part.drawn; ++box) {
        const bounds = part.positions.subarray(6 * box, 6 * box + 6);
        const first = out.vertices;
        for (const corner of CORNERS) {
            for (let axis = 0; axis < 3; ++axis)
                out.positions[3 * out.vertices + axis] = bounds[axis + 3 * corner[axis]];
            out.geometries[out.vertices++] = part.geometry;
        }
        for (const corner of BOX_TRIANGLES)
            out.indices[out.corners++] = first + corner;
        for (const corner of BOX_EDGES)
            out.edges[out.edgeEnds++] = first + corner;
    }
}

function addTriangles(part, out) {
    const first = out.vertices;
    out.positions.set(part.positions, 3 * first);
    out.vertices += part.positions.length / 3;
    out.geometries.fill(part.geometry, first, out.vertices);
    for (const index of part.indices)
        out.indices[out.corners++] = first + index;
}

/**
 * What is drawn of a mesh: {positions, geometries (of each vertex), indices, edges (pairs of vertices, of boxes), triangles
 * (with the twelve of each box), boxes, faceParts: [{first, part}] of the triangles}.
 */
export function drawnOf(mesh) {
    const vertices = mesh.parts.reduce((sum, part) => sum + (part.isBoxes ? 8 * part.drawn : part.positions.length / 3), 0);
    const triangles = mesh.parts.reduce((sum, part) => sum + (part.isBoxes ? 12 : 1) * part.drawn, 0);
    const boxes = mesh.parts.reduce((sum, part) => sum + (part.isBoxes ? part.drawn : 0), 0);
    const out = {
        positions: new Float32Array(3 * vertices), geometries: new Uint16Array(vertices),
        indices: new Uint32Array(3 * triangles), edges: new Uint32Array(24 * boxes),
        vertices: 0, corners: 0, edgeEnds: 0, triangles, boxes, faceParts: [],
    };
    for (const part of mesh.parts) {
        out.faceParts.push({first: out.corners / 3, part});
        if (part.isBoxes)
            addBoxes(part, out);
        else
            addTriangles(part, out);
    }
    return out;
}

/** Geometry and primitive of a triangle of `drawnOf`. */
export function primitiveOf(drawn, triangle) {
    const {first, part} = drawn.faceParts.findLast(one => one.first <= triangle && one.part.drawn > 0);
    const place = part.isBoxes ? Math.floor((triangle - first) / 12) : triangle - first;
    return {geometry: part.geometry, primitive: part.numbers ? part.numbers[place] : place};
}
