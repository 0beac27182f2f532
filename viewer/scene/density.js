/* Where many rays are: their lines added up in a small image, on the CPU. A million opaque lines only show that there are
 * many; the image shows where, and takes a tenth of the time. Geometry hides nothing of it. */

const STEPS_MOST = 4096; // of one line

/** An image of zeros: {width, height, sums, most}. */
export function createDensity(width, height) {
    return {width, height, sums: new Float32Array(width * height), most: 0};
}

function clipped(part, from, to) {
    // Liang and Barsky: narrows [from, to] to where p + part * d is in the frame.
    return part[0] > to || part[1] < from ? null : [Math.max(from, part[0]), Math.min(to, part[1])];
}

/* The part of the line within 0 to size on one axis. */
function within(start, by, size) {
    if (by === 0)
        return start >= 0 && start < size ? [0, 1] : null;
    const one = -start / by;
    const other = (size - start) / by;
    return one < other ? [one, other] : [other, one];
}

/** Adds a line of the image; ends may lie outside. Each pixel that it goes through gets 1. */
export function addLine(image, ax, ay, bx, by) {
    let part = [0, 1];
    for (const [start, way, size] of [[ax, bx - ax, image.width], [ay, by - ay, image.height]]) {
        const inside = within(start, way, size);
        part = inside && clipped(inside, part[0], part[1]);
        if (part === null)
            return;
    }
    const dx = (bx - ax) * (part[1] - part[0]);
    const dy = (by - ay) * (part[1] - part[0]);
    const steps = Math.min(Math.max(Math.ceil(Math.max(Math.abs(dx), Math.abs(dy))), 1), STEPS_MOST);
    let x = ax + part[0] * (bx - ax) + dx / steps / 2;
    let y = ay + part[0] * (by - ay) + dy / steps / 2;
    for (let i = 0; i < steps; ++i, x += dx / steps, y += dy / steps) {
        if (x < 0 || y < 0 || x >= image.width || y >= image.height)
            continue;
        const at = Math.floor(y) * image.width + Math.floor(x);
        image.sums[at]++;
        if (image.sums[at] > image.most)
            image.most = image.sums[at];
    }
}

/**
 * Adds the rays `first` to `last` - 1 of an answer. `matrix` leads from the answer's box, 0 to 1 on each axis, to clip space.
 * `isDrawn(i)` says whether a ray is.
 */
export function addRays(image, answer, matrix, first, last, isDrawn) {
    const line = answer.columns.line;
    const ends = [new Float64Array(3), new Float64Array(3)];
    for (let i = first; i < last; ++i) {
        if (!isDrawn(i))
            continue;
        for (let end = 0; end < 2; ++end) {
            const at = 8 * i + 4 * end;
            const [x, y, z] = [line[at] / 65535, line[at + 1] / 65535, line[at + 2] / 65535];
            ends[end][0] = matrix[0] * x + matrix[4] * y + matrix[8] * z + matrix[12];
            ends[end][1] = matrix[1] * x + matrix[5] * y + matrix[9] * z + matrix[13];
            ends[end][2] = matrix[3] * x + matrix[7] * y + matrix[11] * z + matrix[15];
        }
        addClipped(image, ends[0], ends[1]);
    }
}

/* Ends are x, y, w; what is behind the viewer is cut off. */
function addClipped(image, a, b) {
    const least = 1e-6;
    if (a[2] < least && b[2] < least)
        return;
    const cut = a[2] < least ? a : b[2] < least ? b : null;
    if (cut !== null) {
        const kept = cut === a ? b : a;
        const part = (kept[2] - least) / (kept[2] - cut[2]);
        for (let i = 0; i < 3; ++i)
            cut[i] = kept[i] + part * (cut[i] - kept[i]);
    }
    addLine(image, (a[0] / a[2] + 1) / 2 * image.width, (1 - a[1] / a[2]) / 2 * image.height,
        (b[0] / b[2] + 1) / 2 * image.width, (1 - b[1] / b[2]) / 2 * image.height);
}

/**
 * The image as colours of 4 bytes, by a table of 256 (colour.js). The scale is logarithmic, because a few places have nearly
 * all rays; what has none is transparent.
 */
export function densityPixels(image, table) {
    const pixels = new Uint8ClampedArray(4 * image.sums.length);
    const scale = image.most > 0 ? 1 / Math.log2(1 + image.most) : 0;
    for (let i = 0; i < image.sums.length; ++i) {
        if (image.sums[i] === 0)
            continue;
        const part = Math.log2(1 + image.sums[i]) * scale;
        const colour = 4 * Math.round(255 * part);
        pixels.set(table.subarray(colour, colour + 3), 4 * i);
        pixels[4 * i + 3] = 90 + 165 * part;
    }
    return pixels;
}
