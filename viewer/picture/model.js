/* What the picture knows without drawing: which thread a pixel is of, how values become colours, what is zoomed to. Nothing
 * here touches the page. A PLACE is [x, y] in the picture, in pixels from the upper left corner. */

/**
 * The thread at a place: the work id that the grid of pictures.json puts there. Null between slices, behind the last thread
 * and beside the picture.
 */
export function threadAt(picture, [x, y]) {
    const {grid: {first, extent, columns}, size: [width, height]} = picture;
    if (!(x >= 0 && y >= 0 && x < width && y < height))
        return null;
    let at;
    if (columns === 0) {
        at = [0, 0, 0];
        at[extent[0] > 1 ? 0 : extent[1] > 1 ? 1 : 2] = y * width + x;
    } else {
        const slice = Math.floor(y / (extent[1] + 1)) * columns + Math.floor(x / (extent[0] + 1));
        at = [x % (extent[0] + 1), y % (extent[1] + 1), slice];
    }
    return at.every((value, axis) => value < extent[axis]) ? at.map((value, axis) => value + first[axis]) : null;
}

/** The place of a thread; null if the picture does not show it. */
export function placeOf(picture, thread) {
    const {grid: {first, extent, columns}, size: [width]} = picture;
    if (!thread)
        return null;
    const at = first.map((value, axis) => (thread[axis] ?? 0) - value);
    if (at.some((value, axis) => value < 0 || value >= extent[axis]))
        return null;
    if (columns === 0) {
        const index = at[0] + at[1] + at[2];
        return [index % width, Math.floor(index / width)];
    }
    return [at[2] % columns * (extent[0] + 1) + at[0], Math.floor(at[2] / columns) * (extent[1] + 1) + at[1]];
}

/**
 * The values that the ends of a map stand for. Shares are always from 0 to 1, so that pictures can be compared. On a
 * logarithmic scale the low end is the smallest value above 0: what is 0 has no colour.
 */
export function rangeOf(figure, values, logarithmic) {
    if (figure.kind === "share")
        return {low: 0, high: 1, logarithmic: false};
    let low = figure.smallest ?? 0;
    const high = figure.largest ?? low;
    if (!logarithmic || !(high > 0))
        return {low, high, logarithmic: false};
    if (low <= 0)
        low = values.reduce((least, value) => value > 0 && value < least ? value : least, high);
    return {low, high, logarithmic: true};
}

/** Where a value is in a range, from 0 to 1; NaN where it has no place there. */
export function partOf(value, {low, high, logarithmic}) {
    if (Number.isNaN(value) || (logarithmic && !(value > 0)))
        return NaN;
    if (!(high > low))
        return 0;
    const part = logarithmic ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low);
    return Math.min(Math.max(part, 0), 1);
}

/** The value that stands at a part of a range: what a legend writes there. */
export function valueAt(part, {low, high, logarithmic}) {
    return logarithmic ? low * (high / low) ** part : low + part * (high - low);
}

/**
 * Values as colours of 4 bytes. `table` has the colours of a map (mapTable), `categories` those of ids, 4 bytes each. A place
 * without a value is transparent.
 */
export function coloursOf(figure, values, range, table, categories) {
    const colours = new Uint8ClampedArray(4 * values.length);
    const last = table.length / 4 - 1;
    const count = categories.length / 4;
    for (let index = 0; index < values.length; index++) {
        const isId = figure.kind === "id";
        const part = isId ? values[index] : partOf(values[index], range);
        if (Number.isNaN(part))
            continue;
        const from = isId ? categories : table;
        const at = 4 * (isId ? categoryOf(part, count) : Math.round(part * last));
        for (let channel = 0; channel < 4; channel++)
            colours[4 * index + channel] = from[at + channel];
    }
    return colours;
}

/* Warps that lie side by side have numbers that follow each other, and those above them numbers that are some rows away.
 * Each round of colours begins three later, so that few neighbours have one colour. */
function categoryOf(id, count) {
    return (id + 3 * Math.floor(id / count)) % count;
}

/** The pixels that have a value, as a list of indices. */
export function indicesOf(values, value) {
    const indices = [];
    for (let index = 0; index < values.length; index++) {
        if (values[index] === value)
            indices.push(index);
    }
    return indices;
}

/** The outline of pixels: the sides that they do not share, each as [x0, y0, x1, y1]. */
export function outlineOf(indices, width) {
    const inside = new Set(indices);
    const sides = [];
    for (const index of indices) {
        const [x, y] = [index % width, Math.floor(index / width)];
        if (!inside.has(index - width))
            sides.push([x, y, x + 1, y]);
        if (!inside.has(index + width))
            sides.push([x, y + 1, x + 1, y + 1]);
        if (x === 0 || !inside.has(index - 1))
            sides.push([x, y, x, y + 1]);
        if (x === width - 1 || !inside.has(index + 1))
            sides.push([x + 1, y, x + 1, y + 1]);
    }
    return sides;
}

/** The view in which the whole picture is seen: scale, and where its corner is, in units of the screen. */
export function fitView([width, height], [across, down]) {
    const scale = Math.max(Math.min(across / width, down / height), 1 / 64);
    return {scale, x: (across - width * scale) / 2, y: (down - height * scale) / 2};
}

/** The view zoomed by a factor, about a point of the screen that stays. */
export function zoomView(view, factor, [x, y], least = 1 / 64, most = 64) {
    const scale = Math.min(Math.max(view.scale * factor, least), most);
    const by = scale / view.scale;
    return {scale, x: x - (x - view.x) * by, y: y - (y - view.y) * by};
}

/** The view moved so that a place is seen, with a margin of some pixels of the screen. */
export function revealView(view, [x, y], [across, down], margin = 16) {
    const moved = (at, size) => Math.min(Math.max(at, margin), Math.max(size - margin, margin)) - at;
    return {
        ...view,
        x: view.x + moved(view.x + (x + .5) * view.scale, across),
        y: view.y + moved(view.y + (y + .5) * view.scale, down),
    };
}

/** The place under a point of the screen. */
export function placeUnder(view, [x, y]) {
    return [Math.floor((x - view.x) / view.scale), Math.floor((y - view.y) / view.scale)];
}

/**
 * Two places as the filter `pixels` of rays: the x and y of their threads, the lower ones first. Null where one of them has
 * no thread, or they are in different slices, or in different rows of a folded launch.
 */
export function pixelsText(picture, one, other) {
    const threads = [threadAt(picture, one), threadAt(picture, other)];
    const folds = picture.grid.columns === 0 && one[1] !== other[1];
    if (folds || threads.some(thread => thread === null) || threads[0][2] !== threads[1][2])
        return null;
    const [[x0, y0], [x1, y1]] = threads;
    return `${Math.min(x0, x1)},${Math.min(y0, y1)}-${Math.max(x0, x1)},${Math.max(y0, y1)}`;
}

/** That filter as a box of the picture, [x, y, width, height]; null if it is none or not shown. */
export function boxOf(picture, text) {
    const numbers = /^(\d+),(\d+)(?:-(\d+),(\d+))?$/u.exec(text ?? "");
    if (!numbers || picture.grid.columns === 0)
        return null;
    const [x0, y0, x1, y1] = numbers.slice(1).map(part => part === undefined ? undefined : Number(part));
    const z = picture.grid.first[2];
    const from = placeOf(picture, [x0, y0, z]);
    const to = placeOf(picture, [x1 ?? x0, y1 ?? y0, z]);
    return from && to ? [from[0], from[1], to[0] - from[0] + 1, to[1] - from[1] + 1] : null;
}
