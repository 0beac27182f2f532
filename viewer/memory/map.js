/* The canvas of pages over time: a row is a page, a column a part of the launch. The wheel zooms into the pages, with Shift into
 * time; dragging moves. Names of buffers stand at the left, and tell their owner where the pointer or the cursor is. */

import {mapTable, ZERO} from "../colour.js";
import {make} from "../dom.js";
import {token, watchTheme} from "../theme.js";
import {bandsInSight, bandsOf, colourAt, largestOf, moved, placesOf, zoomed} from "./model.js";

const NAMES = 220;   // of the screen, for names
const AXIS = 22;     // below
const TICK = 64;     // from number to number below at least
const LINE = 15;     // from name to name at least
const LEAST = 4;     // rows and columns in sight at least
const ROW_MOST = 28; // a row is no higher
const STEP = 1.5;

/* Colours of the pages in sight, as an image of one pixel for each cell: the browser makes it larger. It has no more rows than the
 * screen: browsers draw no image of 65,536 rows, and would leave out rows of one that is too high. */
function imageOf(answer, {figure, scale, map}, range, rows) {
    const canvas = make("canvas", {width: answer.parts, height: rows});
    const table = mapTable(map);
    const zero = [...ZERO, 255];
    const values = largestOf(answer, figure, range, rows);
    const pixels = new Uint8ClampedArray(4 * values.length);
    values.forEach((value, place) => {
        if (Number.isNaN(value))
            return;
        const at = colourAt(value, scale);
        pixels.set(at === null ? zero : table.subarray(at, at + 4), 4 * place);
    });
    canvas.getContext("2d").putImageData(new ImageData(pixels, answer.parts, rows), 0, 0);
    return canvas;
}

/* Draws the cells in sight. */
function drawCells(it, {left, top, width, height}, ratio) {
    const {rows, columns} = it;
    const range = {first: Math.floor(rows.from), last: Math.min(Math.ceil(rows.to), it.answer.pages.length)};
    const count = range.last - range.first;
    const high = Math.min(count, Math.max(1, Math.round(height * ratio)));
    const key = [range.first, range.last, high].join();
    if (it.imageKey !== key) {
        it.image = imageOf(it.answer, it.look, range, high);
        it.imageKey = key;
    }
    it.ground.drawImage(it.image, columns.from, (rows.from - range.first) * high / count, columns.to - columns.from,
        (rows.to - rows.from) * high / count, left, top, width, height);
}

/**
 * Makes the map of `answer` in `element`. `point({page, part} or null)` is called where the user points.
 * Returns {places, show({figure, scale, map}), fit(), zoom(factor), destroy()}.
 */
export function createMap(element, answer, {label, point}) {
    const canvas = make("canvas", {class: "memory-canvas", tabindex: "0", role: "application",
        "aria-label": `${label}: ${answer.pages.length} pages over time. Arrow keys move from cell to cell, + and - zoom, 0 shows all.`});
    const ground = canvas.getContext("2d");
    const bands = bandsOf(answer.pages);
    const it = {canvas, ground, answer, places: placesOf(answer), bands, look: null, image: null, imageKey: null, cursor: null, point,
        rows: {from: 0, to: Math.max(1, answer.pages.length)}, columns: {from: 0, to: answer.parts}};
    element.append(canvas);
    const observer = new ResizeObserver(() => draw(it));
    observer.observe(canvas);
    const endWatch = watchTheme(() => draw(it));
    listen(it);
    return {
        places: it.places,
        show({figure, scale, map}) {
            it.look = {figure, scale, map};
            it.imageKey = null;
            draw(it);
        },
        fit: () => fit(it),
        zoom: factor => zoom(it, factor),
        destroy() {
            observer.disconnect();
            endWatch();
        },
    };
}

/* Where the cells are on the screen: {left, top, width, height}. */
function frameOf(it) {
    const height = it.canvas.clientHeight - AXIS;
    return {left: NAMES, top: 1, width: Math.max(1, it.canvas.clientWidth - NAMES - 8),
        height: Math.max(1, Math.min(height, ROW_MOST * (it.rows.to - it.rows.from)))};
}

function toY(it, frame, page) {
    return frame.top + (page - it.rows.from) * frame.height / (it.rows.to - it.rows.from);
}

function draw(it) {
    const {canvas, ground, answer} = it;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    ground.setTransform(ratio, 0, 0, ratio, 0, 0);
    ground.font = `12px ${token("--font")}`;
    if (!it.look || answer.pages.length === 0 || canvas.clientWidth === 0)
        return;
    const frame = frameOf(it);
    ground.fillStyle = token("--surface");
    ground.fillRect(frame.left, frame.top, frame.width, frame.height);
    ground.imageSmoothingEnabled = false;
    drawCells(it, frame, ratio);
    drawBands(it, frame);
    drawTime(it, frame);
    if (it.cursor && document.activeElement === canvas)
        drawCursor(it, frame);
}

/* The line of a band without a name begins at the cells: it would strike through the name above it. */
function drawBands(it, frame) {
    const {ground} = it;
    const screen = {top: frame.top, line: LINE, toY: page => toY(it, frame, page)};
    ground.textAlign = "left";
    for (const {band, y, isNamed} of bandsInSight(it.bands, it.rows, screen)) {
        const indent = band.isPart ? 10 : 0;
        if (band.first >= it.rows.from) {
            const left = isNamed ? indent : frame.left;
            ground.fillStyle = token(band.isPart ? "--line" : "--ink-quiet");
            ground.fillRect(left, Math.round(y) - 1, frame.left + frame.width - left, 1);
        }
        if (!isNamed)
            continue;
        ground.fillStyle = token("--ink");
        ground.fillText(cut(ground, band.name, NAMES - indent - 8), indent, y + 12);
    }
}

function cut(ground, text, width) {
    if (ground.measureText(text).width <= width)
        return text;
    let end = text.length;
    while (end > 1 && ground.measureText(`${text.slice(0, end)}…`).width > width)
        end--;
    return `${text.slice(0, end)}…`;
}

function drawTime(it, frame) {
    const {ground, columns, answer} = it;
    const span = columns.to - columns.from;
    const step = [1, 2, 5, 10, 25].find(one => one * frame.width / span > TICK) ?? 50;
    ground.fillStyle = token("--ink-quiet");
    ground.textAlign = "center";
    for (let part = Math.ceil(columns.from / step) * step; part <= columns.to; part += step) {
        const x = frame.left + (part - columns.from) * frame.width / span;
        ground.fillRect(Math.round(x), frame.top + frame.height, 1, 4);
        ground.textAlign = part === answer.parts ? "right" : "center";
        ground.fillText(`${Math.round(1000 * part / answer.parts) / 10} %`, x, frame.top + frame.height + 16);
    }
}

function drawCursor(it, frame) {
    const {ground, cursor, rows, columns} = it;
    const width = frame.width / (columns.to - columns.from);
    const height = frame.height / (rows.to - rows.from);
    for (const [line, colour] of [[3, "#000000"], [1.25, "#ffffff"]]) {
        ground.lineWidth = line;
        ground.strokeStyle = colour;
        ground.strokeRect(frame.left + (cursor.part - columns.from) * width, toY(it, frame, cursor.page), width, height);
    }
}

/* The cell at a point of the screen; null = there is none. In whole numbers, or where `exact` as it is. */
function cellAt(it, x, y, exact = false) {
    const frame = frameOf(it);
    const part = it.columns.from + (x - frame.left) / frame.width * (it.columns.to - it.columns.from);
    const page = it.rows.from + (y - frame.top) / frame.height * (it.rows.to - it.rows.from);
    if (exact)
        return {page, part};
    const isIn = x >= frame.left && x < frame.left + frame.width && y >= frame.top && y < frame.top + frame.height;
    return isIn && page < it.answer.pages.length ? {page: Math.floor(page), part: Math.floor(part)} : null;
}

function fit(it) {
    it.rows = {from: 0, to: Math.max(1, it.answer.pages.length)};
    it.columns = {from: 0, to: it.answer.parts};
    draw(it);
}

function zoomRows(it, factor, page) {
    const size = Math.max(1, it.answer.pages.length);
    it.rows = zoomed(it.rows, factor, page, size, Math.min(size, LEAST));
    draw(it);
}

function zoom(it, factor) {
    zoomRows(it, factor, it.cursor ? it.cursor.page + .5 : (it.rows.from + it.rows.to) / 2);
}

function listen(it) {
    const {canvas} = it;
    let drag = null;
    canvas.addEventListener("pointerdown", event => {
        drag = {x: event.offsetX, y: event.offsetY, rows: it.rows, columns: it.columns};
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", event => {
        if (drag)
            dragTo(it, drag, event);
        it.point(cellAt(it, event.offsetX, event.offsetY));
    });
    canvas.addEventListener("pointerup", event => {
        const cell = cellAt(it, event.offsetX, event.offsetY);
        if (drag && Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) < 4 && cell)
            it.cursor = cell;
        drag = null;
        draw(it);
    });
    canvas.addEventListener("pointercancel", () => {
        drag = null;
    });
    canvas.addEventListener("pointerleave", () => it.point(it.cursor));
    canvas.addEventListener("wheel", event => {
        event.preventDefault();
        const at = cellAt(it, event.offsetX, event.offsetY, true);
        const delta = event.deltaY || event.deltaX;
        const factor = Math.exp(-delta * 0.0015 * (event.deltaMode === 1 ? 33 : 1));
        if (event.shiftKey) {
            it.columns = zoomed(it.columns, factor, at.part, it.answer.parts, LEAST);
            draw(it);
        } else {
            zoomRows(it, factor, at.page);
        }
    }, {passive: false});
    canvas.addEventListener("keydown", event => pressKey(it, event));
    canvas.addEventListener("focus", () => draw(it));
    canvas.addEventListener("blur", () => draw(it));
}

function dragTo(it, drag, event) {
    const frame = frameOf(it);
    const rows = drag.rows.to - drag.rows.from;
    const columns = drag.columns.to - drag.columns.from;
    it.rows = moved({from: drag.rows.from - (event.offsetY - drag.y) * rows / frame.height}, rows, Math.max(1, it.answer.pages.length));
    it.columns = moved({from: drag.columns.from - (event.offsetX - drag.x) * columns / frame.width}, columns, it.answer.parts);
    draw(it);
}

const ARROWS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};

/* Brings the cursor in sight. */
function reveal(range, at, size) {
    const span = range.to - range.from;
    return at < range.from || at + 1 > range.to ? moved({from: at + .5 - span / 2}, span, size) : range;
}

function pressKey(it, event) {
    if (event.ctrlKey || event.metaKey || event.altKey || it.answer.pages.length === 0)
        return;
    const arrow = ARROWS[event.key];
    if (arrow) {
        const from = it.cursor ?? {page: Math.floor(it.rows.from), part: Math.floor(it.columns.from)};
        const [down, across] = it.cursor ? arrow : [0, 0];
        it.cursor = {page: Math.min(Math.max(from.page + down, 0), it.answer.pages.length - 1),
            part: Math.min(Math.max(from.part + across, 0), it.answer.parts - 1)};
        it.rows = reveal(it.rows, it.cursor.page, it.answer.pages.length);
        it.columns = reveal(it.columns, it.cursor.part, it.answer.parts);
        it.point(it.cursor);
        draw(it);
    } else if (event.key === "+" || event.key === "-") {
        zoom(it, event.key === "+" ? STEP : 1 / STEP);
    } else if (event.key === "0") {
        fit(it);
    } else {
        return;
    }
    event.preventDefault();
    event.stopPropagation();
}
