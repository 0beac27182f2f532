/* Which drawn ray, or point, the user means by a place of the canvas: the nearest one to the viewer among those within 4
 * pixels; without any, nothing. All drawn ones are looked at: of 100,000 rays that takes a few milliseconds. */

const REACH = 4; // pixels

/* x, y, w of clip space. The matrix is column-major, as of three.js. */
function project(matrix, x, y, z, out) {
    out[0] = matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12];
    out[1] = matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13];
    out[2] = matrix[2] * x + matrix[6] * y + matrix[10] * z + matrix[14];
    out[3] = matrix[3] * x + matrix[7] * y + matrix[11] * z + matrix[15];
}

/* Leaves of the line from a to b, both in clip space, what is before the near plane: z >= -w. False if nothing is. */
function clipNear(a, b) {
    const da = a[2] + a[3];
    const db = b[2] + b[3];
    if (da < 0 && db < 0)
        return false;
    if (da < 0 || db < 0) {
        const part = da / (da - db);
        const cut = da < 0 ? a : b;
        const from = [...a];
        for (let i = 0; i < 4; ++i)
            cut[i] = from[i] + part * (b[i] - from[i]);
    }
    return true;
}

/* Where the line passes the place nearest: {distance in pixels, depth from -1 to 1}. a and b are in clip space. */
function nearestOnLine(a, b, x, y, width, height) {
    const ax = (a[0] / a[3] + 1) / 2 * width;
    const ay = (1 - a[1] / a[3]) / 2 * height;
    const bx = (b[0] / b[3] + 1) / 2 * width;
    const by = (1 - b[1] / b[3]) / 2 * height;
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const along = length > 0 ? Math.min(Math.max(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0), 1) : 0;
    const depthA = a[2] / a[3];
    const depthB = b[2] / b[3];
    return {
        distance: Math.hypot(ax + along * (bx - ax) - x, ay + along * (by - ay) - y),
        depth: depthA + along * (depthB - depthA), // depth is linear on the screen
    };
}

/**
 * The line that is meant by a place: {index, depth}, or null. `ends(index, out)` writes x, y, z of start and end to `out` and
 * returns false if the line is not drawn; `matrix` leads from there to clip space; x and y are in pixels from the left
 * and the top of a canvas of `size` [width, height].
 */
export function pickLine(count, ends, matrix, [x, y], [width, height], reach = REACH) {
    const out = new Float64Array(6);
    const a = new Float64Array(4);
    const b = new Float64Array(4);
    let best = null;
    for (let i = 0; i < count; ++i) {
        if (ends(i, out) === false)
            continue;
        project(matrix, out[0], out[1], out[2], a);
        project(matrix, out[3], out[4], out[5], b);
        if (!clipNear(a, b))
            continue;
        const {distance, depth} = nearestOnLine(a, b, x, y, width, height);
        if (distance <= reach && Math.abs(depth) <= 1 && (best === null || depth < best.depth))
            best = {index: i, depth, distance};
    }
    return best;
}
