/* The canvas of the picture: layers of pixels, outlines over them, zoom and pan. It tells its owner which place the user
 * points at, chooses, or draws a box from; it knows nothing of figures. */

import {make} from "../dom.js";
import {fitView, placeUnder, revealView, zoomView} from "./model.js";

const WHEEL = 0.0015; // of the zoom's logarithm for a unit of the wheel
const STEP = 1.5;     // of a zoom by key or button
const CLICK = 4;      // a pointer that moves less has clicked
const RING = 8;       // of the screen: a pixel that is smaller has a ring around it

/* A canvas that holds pixels as they are, for drawing them at any scale. */
function layerOf([width, height], rgba) {
    const canvas = make("canvas", {width, height});
    canvas.getContext("2d").putImageData(new ImageData(rgba, width, height), 0, 0);
    return canvas;
}

/**
 * Makes the canvas in `element`. `calls` are called when the user does something:
 *   point(place)        the place under the pointer or the keyboard's cursor; null = none
 *   choose(place)       a click, or Enter
 *   box(one, other)     a box was drawn between two places
 *   moved(view)         zoomed or panned
 * Returned: setLayers(size, [{rgba, opacity}]), setMarks({warp: sides, thread: place, box}), setView(view or null = fit),
 * setBoxing(on): whether dragging draws a box, zoom(factor), fit(), redraw(), destroy().
 */
export function createPictureCanvas(element, calls) {
    const canvas = make("canvas", {
        class: "picture-canvas", tabindex: "0", role: "application",
        "aria-label": "Picture of the launch. Arrow keys move from pixel to pixel, Enter chooses one.",
    });
    const ground = canvas.getContext("2d");
    const it = {
        canvas, ground, calls, size: null, layers: [], marks: {}, view: null, cursor: null, box: null, boxing: false,
        fitted: true, frame: 0,
    };
    element.append(canvas);
    const observer = new ResizeObserver(() => resize(it));
    observer.observe(element);
    listen(it);
    return {
        canvas,
        setLayers(size, layers) {
            const changed = it.size === null || size[0] !== it.size[0] || size[1] !== it.size[1];
            it.size = size;
            it.layers = layers.map(({rgba, opacity}) => ({canvas: layerOf(size, rgba), opacity}));
            if (changed)
                resize(it);
            redraw(it);
        },
        setOpacity(index, opacity) {
            if (it.layers[index])
                it.layers[index].opacity = opacity;
            redraw(it);
        },
        setMarks(marks) {
            it.marks = marks;
            redraw(it);
        },
        setView(view) {
            it.fitted = view === null;
            it.view = view;
            resize(it);
        },
        setBoxing(on) {
            it.boxing = on;
            canvas.classList.toggle("boxing", on);
        },
        reveal(place) {
            if (it.view && !it.fitted)
                setView(it, revealView(it.view, place, screenOf(it)));
        },
        zoom: factor => zoomBy(it, factor),
        fit: () => fit(it),
        redraw: () => redraw(it),
        destroy: () => observer.disconnect(),
    };
}

function screenOf(it) {
    return [it.canvas.clientWidth, it.canvas.clientHeight];
}

function resize(it) {
    const ratio = window.devicePixelRatio || 1;
    const [across, down] = screenOf(it);
    it.canvas.width = Math.max(1, Math.round(across * ratio));
    it.canvas.height = Math.max(1, Math.round(down * ratio));
    if (it.size && (it.fitted || it.view === null))
        it.view = fitView(it.size, [across, down]);
    redraw(it);
}

function setView(it, view) {
    it.view = view;
    it.fitted = false;
    redraw(it);
    it.calls.moved(view);
}

function fit(it) {
    it.fitted = true;
    resize(it);
    it.calls.moved(null);
}

function zoomBy(it, factor, point) {
    if (it.view)
        setView(it, zoomView(it.view, factor, point ?? screenOf(it).map(size => size / 2)));
}

/* Draws once, before the next frame. */
function redraw(it) {
    if (it.frame === 0)
        it.frame = requestAnimationFrame(() => {
            it.frame = 0;
            draw(it);
        });
}

function draw(it) {
    const {canvas, ground, view, size} = it;
    const ratio = window.devicePixelRatio || 1;
    ground.setTransform(1, 0, 0, 1, 0, 0);
    ground.clearRect(0, 0, canvas.width, canvas.height);
    if (!view || !size)
        return;
    ground.setTransform(ratio * view.scale, 0, 0, ratio * view.scale, ratio * view.x, ratio * view.y);
    ground.imageSmoothingEnabled = view.scale < 1;
    for (const layer of it.layers) {
        ground.globalAlpha = layer.opacity;
        ground.drawImage(layer.canvas, 0, 0);
    }
    ground.globalAlpha = 1;
    drawMarks(it, 1 / view.scale);
}

/* Outlines are dark with light in them: they are seen on every colour. `unit` is a pixel of the screen. */
function drawMarks(it, unit) {
    const {ground, marks} = it;
    const twice = path => {
        for (const [width, colour] of [[3, "#000000"], [1.25, "#ffffff"]]) {
            ground.lineWidth = width * unit;
            ground.strokeStyle = colour;
            ground.stroke(path);
        }
    };
    const rectangle = ([x, y, width, height]) => {
        const path = new Path2D();
        path.rect(x, y, width, height);
        return path;
    };
    if (marks.warp?.length > 0) {
        const path = new Path2D();
        for (const [x0, y0, x1, y1] of marks.warp) {
            path.moveTo(x0, y0);
            path.lineTo(x1, y1);
        }
        twice(path);
    }
    const box = it.box ?? marks.box;
    if (box) {
        ground.setLineDash([6 * unit, 3 * unit]);
        twice(rectangle(box));
        ground.setLineDash([]);
    }
    if (marks.thread)
        drawThread(it, marks.thread, unit, twice, rectangle);
    if (it.cursor && document.activeElement === it.canvas)
        twice(rectangle([it.cursor[0], it.cursor[1], 1, 1]));
}

/* The chosen pixel; where pixels are small, with a ring around it. */
function drawThread(it, [x, y], unit, twice, rectangle) {
    twice(rectangle([x, y, 1, 1]));
    if (it.view.scale >= RING)
        return;
    const ring = new Path2D();
    ring.arc(x + .5, y + .5, RING * unit, 0, 2 * Math.PI);
    twice(ring);
}

function pointOf(it, event) {
    const frame = it.canvas.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
}

function inside(it, place) {
    return it.size && place.every((value, axis) => value >= 0 && value < it.size[axis]) ? place : null;
}

function clamped(it, place) {
    return place.map((value, axis) => Math.min(Math.max(value, 0), it.size[axis] - 1));
}

function boxBetween(one, other) {
    const low = one.map((value, axis) => Math.min(value, other[axis]));
    return [...low, ...one.map((value, axis) => Math.abs(value - other[axis]) + 1)];
}

function listen(it) {
    const {canvas} = it;
    let drag = null; // {from: point, at: point, place, boxing, far}
    canvas.addEventListener("pointerdown", event => {
        if (!it.view || event.button > 1)
            return;
        const from = pointOf(it, event);
        const boxing = it.boxing || event.shiftKey;
        drag = {from, at: from, place: clamped(it, placeUnder(it.view, from)), boxing, far: false};
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", event => {
        if (!it.view)
            return;
        const at = pointOf(it, event);
        it.calls.point(inside(it, placeUnder(it.view, at)));
        if (drag)
            dragTo(it, drag, at);
    });
    canvas.addEventListener("pointerup", event => {
        if (drag)
            endDrag(it, drag, pointOf(it, event));
        drag = null;
    });
    canvas.addEventListener("pointercancel", () => {
        drag = null;
        it.box = null;
        redraw(it);
    });
    canvas.addEventListener("pointerleave", () => it.calls.point(null));
    canvas.addEventListener("wheel", event => {
        event.preventDefault();
        zoomBy(it, Math.exp(-event.deltaY * WHEEL * (event.deltaMode === 1 ? 33 : 1)), pointOf(it, event));
    }, {passive: false});
    canvas.addEventListener("keydown", event => pressKey(it, event));
    canvas.addEventListener("focus", () => redraw(it));
    canvas.addEventListener("blur", () => redraw(it));
}

function dragTo(it, drag, at) {
    drag.far ||= Math.hypot(at[0] - drag.from[0], at[1] - drag.from[1]) > CLICK;
    if (!drag.far)
        return;
    if (drag.boxing) {
        it.box = boxBetween(drag.place, clamped(it, placeUnder(it.view, at)));
        redraw(it);
    } else {
        setView(it, {...it.view, x: it.view.x + at[0] - drag.at[0], y: it.view.y + at[1] - drag.at[1]});
    }
    drag.at = at;
}

function endDrag(it, drag, at) {
    const place = placeUnder(it.view, at);
    it.box = null;
    if (!drag.far) {
        it.cursor = inside(it, place) ?? it.cursor;
        if (inside(it, place))
            it.calls.choose(place);
    } else if (drag.boxing) {
        it.calls.box(drag.place, clamped(it, place));
    }
    redraw(it);
}

const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

/* Arrows move the cursor, with Shift the picture; B begins a box at the cursor and ends it. */
function pressKey(it, event) {
    if (!it.view || event.ctrlKey || event.metaKey || event.altKey)
        return;
    const arrow = ARROWS[event.key];
    const [across, down] = screenOf(it);
    if (arrow && event.shiftKey) {
        setView(it, {...it.view, x: it.view.x - arrow[0] * across / 8, y: it.view.y - arrow[1] * down / 8});
    } else if (arrow) {
        moveCursor(it, arrow);
    } else if (event.key === "Enter" && it.cursor) {
        it.calls.choose(it.cursor);
    } else if (event.key === "b" && it.cursor) {
        boxByKey(it);
    } else if (event.key === "+" || event.key === "-") {
        zoomBy(it, event.key === "+" ? STEP : 1 / STEP, it.cursor ? screenPlace(it, it.cursor) : undefined);
    } else if (event.key === "0") {
        fit(it);
    } else {
        return;
    }
    event.preventDefault();
    event.stopPropagation();
}

function screenPlace(it, place) {
    return [it.view.x + (place[0] + .5) * it.view.scale, it.view.y + (place[1] + .5) * it.view.scale];
}

function moveCursor(it, arrow) {
    const from = it.cursor ?? it.marks.thread ?? it.size.map(size => Math.floor(size / 2));
    it.cursor = clamped(it, from.map((value, axis) => value + (it.cursor ? arrow[axis] : 0)));
    if (it.boxFrom)
        it.box = boxBetween(it.boxFrom, it.cursor);
    if (!it.fitted)
        it.view = revealView(it.view, it.cursor, screenOf(it));
    it.calls.point(it.cursor);
    redraw(it);
}

function boxByKey(it) {
    if (!it.boxFrom) {
        it.boxFrom = it.cursor;
        it.box = boxBetween(it.cursor, it.cursor);
    } else {
        it.calls.box(it.boxFrom, it.cursor);
        it.boxFrom = null;
        it.box = null;
    }
    redraw(it);
}
