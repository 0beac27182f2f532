/* A timeline of launches on a canvas. It takes ten thousands of boxes: those narrower than a pixel are drawn as one.
 *
 * The wheel with Ctrl, or + and -, widens; the pointer, or Shift with the arrow keys, moves along. Arrow keys choose the
 * launch before or after, Enter opens it. */

import {make} from "../dom.js";
import {time} from "../format.js";
import {inkOn, parseColour} from "../colour.js";
import {token, watchTheme} from "../theme.js";

const ROW = 22;
const HEAD = 18;
const ROWS_MOST = 12;
const NAMES = 190; // pixels of the names at the left
const OTHERS = "others";

/* Rows: the names in the order in which they come first, of which the last stands for all others. */
function rowsOf(boxes) {
    const names = [...new Set(boxes.map(box => box.row))];
    return names.length > ROWS_MOST ? [...names.slice(0, ROWS_MOST - 1), OTHERS] : names;
}

/* Where each box begins and ends, in launches or in nanoseconds. */
function extents(boxes, byTime) {
    let at = 0;
    return boxes.map(box => {
        const width = byTime ? box.launch.time_ns ?? 0 : 1;
        at += width;
        return [at - width, at];
    });
}

function textOf(launch) {
    return [`launch ${launch.index}`, launch.label, launch.pipeline, launch.kind,
        launch.time_ns === null ? null : time(launch.time_ns)].filter(Boolean).join(", ");
}

/**
 * Makes the timeline. `boxes` are {launch (of capture.json), row (name of its row)}. `options`: {colour(box), choose(box),
 * open(box)}. Returns {show(chosen box or null, byTime), destroy()}.
 */
export function createTimeline(element, boxes, options) {
    const names = rowsOf(boxes);
    const canvas = make("canvas", {class: "timeline", tabindex: "0", role: "slider", "aria-valuemin": "0",
        "aria-valuemax": String(boxes.length - 1),
        "aria-label": `${boxes.length} launches. Arrow keys choose one, Enter opens it in Scene, + and - widen.`});
    const tip = make("div", {class: "timeline-tip", hidden: true});
    const height = HEAD + ROW * names.length + 4;
    let view = {from: 0, to: 1}; // part of the whole that is in sight
    let shown = {chosen: null, byTime: false, ends: extents(boxes, false)};
    let hovered = null;
    element.classList.add("timeline-frame");
    element.append(canvas, tip);

    const whole = () => shown.ends.at(-1)?.[1] || 1;
    const scale = () => (canvas.clientWidth - NAMES) / ((view.to - view.from) * whole());
    const toX = at => NAMES + (at - view.from * whole()) * scale();
    const rowOf = box => Math.max(0, names.includes(box.row) ? names.indexOf(box.row) : names.length - 1);

    function boxAt(x, y) {
        const row = Math.floor((y - HEAD) / ROW);
        const at = (x - NAMES) / scale() + view.from * whole();
        const index = shown.ends.findIndex(([from, to], i) => at >= from && at < to && rowOf(boxes[i]) === row);
        return x < NAMES || index < 0 ? null : boxes[index];
    }

    function drawFrames(context) {
        let free = NAMES; // where the last label ends
        context.textAlign = "left";
        for (const [index, box] of boxes.entries()) {
            if (index > 0 && boxes[index - 1].launch.frame === box.launch.frame)
                continue;
            const x = toX(shown.ends[index][0]);
            const label = `frame ${box.launch.frame}`;
            if (x < free - 1 || x > canvas.clientWidth)
                continue;
            free = x + context.measureText(label).width + 14;
            context.fillStyle = token("--line");
            context.fillRect(Math.round(x), 0, 1, height);
            context.fillStyle = token("--ink-quiet");
            context.fillText(label, x + 4, 12);
        }
    }

    /* A mark above the launch that is chosen, which may be narrower than a pixel. */
    function drawChosen(context) {
        if (!shown.chosen)
            return;
        const [from, to] = shown.ends[boxes.indexOf(shown.chosen)].map(toX);
        const x = (from + to) / 2;
        if (x < NAMES || x > canvas.clientWidth)
            return;
        const y = HEAD + ROW * rowOf(shown.chosen) + 2;
        context.fillStyle = token("--accent");
        context.fillRect(Math.round(x) - 1, HEAD - 4, 2, y - HEAD + 4);
        context.beginPath();
        context.moveTo(x - 5, HEAD - 6);
        context.lineTo(x + 5, HEAD - 6);
        context.lineTo(x, HEAD);
        context.fill();
    }

    function drawNames(context) {
        context.fillStyle = token("--ground");
        context.fillRect(0, 0, NAMES, height);
        context.fillStyle = token("--ink");
        for (const [row, name] of names.entries())
            context.fillText(cut(context, name, NAMES - 12), 0, HEAD + ROW * row + 15);
    }

    function cut(context, text, width) {
        if (context.measureText(text).width <= width)
            return text;
        let end = text.length;
        while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width)
            end--;
        return `${text.slice(0, end)}…`;
    }

    function drawBoxes(context) {
        const drawnTo = new Array(names.length).fill(-1);
        for (const [index, box] of boxes.entries()) {
            const [from, to] = shown.ends[index].map(toX);
            const row = rowOf(box);
            if (to < NAMES || from > canvas.clientWidth || (to - from < 1 && to < drawnTo[row] + 1 && box !== shown.chosen))
                continue;
            drawnTo[row] = to;
            drawBox(context, box, Math.max(from, NAMES), Math.max(to - from > 3 ? to - 1 : to, from + 1), HEAD + ROW * row);
        }
    }

    function drawBox(context, box, from, to, top) {
        const colour = options.colour(box) ?? token("--bar");
        context.fillStyle = colour;
        context.fillRect(from, top + 2, to - from, ROW - 4);
        const label = box.launch.label ?? box.launch.kind;
        if (to - from > 30) {
            context.fillStyle = colour.startsWith("#") ? inkOn(parseColour(colour)) : token("--ink");
            context.fillText(cut(context, label, to - from - 8), from + 4, top + 15);
        }
        if (box === shown.chosen || box === hovered) {
            context.strokeStyle = token(box === shown.chosen ? "--ink" : "--ink-quiet");
            context.lineWidth = 2;
            context.strokeRect(from, top + 2, Math.max(to - from, 2), ROW - 4);
        }
    }

    function draw() {
        const width = canvas.clientWidth;
        const ratio = devicePixelRatio;
        if (width === 0)
            return;
        canvas.style.height = `${height}px`;
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        const context = canvas.getContext("2d");
        context.scale(ratio, ratio);
        context.font = `12px ${token("--font")}`;
        drawFrames(context);
        drawBoxes(context);
        if (boxes.length > 1)
            drawChosen(context);
        drawNames(context);
    }

    function widen(by, around = 0.5) {
        const span = Math.min(1, Math.max((view.to - view.from) * by, 1 / Math.max(boxes.length, 1)));
        const centre = view.from + (view.to - view.from) * around;
        moveTo(centre - span * around, span);
    }

    function moveTo(from, span) {
        const start = Math.min(Math.max(from, 0), 1 - span);
        view = {from: start, to: start + span};
        draw();
    }

    /* Chooses a box, and brings it in sight. */
    function choose(index) {
        const box = boxes[Math.min(Math.max(index, 0), boxes.length - 1)];
        const [from, to] = shown.ends[boxes.indexOf(box)].map(at => at / whole());
        const span = view.to - view.from;
        if (from < view.from || to > view.to)
            moveTo((from + to - span) / 2, span);
        options.choose(box);
    }

    function onKey(event) {
        const at = boxes.indexOf(shown.chosen);
        const span = view.to - view.from;
        const step = event.key === "ArrowLeft" ? -1 : 1;
        if (event.shiftKey && /^Arrow(Left|Right)$/.test(event.key))
            moveTo(view.from + step * span / 8, span);
        else if (/^Arrow(Left|Right)$/.test(event.key))
            choose(at < 0 ? 0 : at + step);
        else if (event.key === "Home" || event.key === "End")
            choose(event.key === "Home" ? 0 : boxes.length - 1);
        else if (event.key === "+" || event.key === "-")
            widen(event.key === "+" ? 0.7 : 1 / 0.7);
        else if (event.key === "Enter" && shown.chosen)
            options.open(shown.chosen);
        else
            return;
        event.preventDefault();
        event.stopPropagation();
    }

    function onPointer(event) {
        const box = boxAt(event.offsetX, event.offsetY);
        if (box !== hovered) {
            hovered = box;
            draw();
        }
        tip.hidden = !box;
        if (box) {
            tip.textContent = textOf(box.launch);
            tip.style.left = `${Math.min(event.offsetX + 12, canvas.clientWidth - 240)}px`;
            tip.style.top = `${event.offsetY + 14}px`;
        }
    }

    function onDown(event) {
        const start = {x: event.clientX, from: view.from, span: view.to - view.from, moved: false};
        canvas.setPointerCapture(event.pointerId);
        const move = moved => {
            start.moved ||= Math.abs(moved.clientX - start.x) > 3;
            if (start.moved)
                moveTo(start.from - (moved.clientX - start.x) / (scale() * whole()), start.span);
        };
        canvas.addEventListener("pointermove", move);
        canvas.addEventListener("pointerup", up => {
            canvas.removeEventListener("pointermove", move);
            const box = boxAt(up.offsetX, up.offsetY);
            if (!start.moved && box)
                options.choose(box);
        }, {once: true});
    }

    canvas.addEventListener("keydown", onKey);
    canvas.addEventListener("pointermove", onPointer);
    canvas.addEventListener("pointerleave", () => {
        hovered = null;
        tip.hidden = true;
        draw();
    });
    canvas.addEventListener("pointerdown", onDown);
    canvas.addEventListener("dblclick", () => shown.chosen && options.open(shown.chosen));
    canvas.addEventListener("wheel", event => {
        if (!event.ctrlKey)
            return; // the page scrolls
        event.preventDefault();
        widen(event.deltaY > 0 ? 1.25 : 0.8, Math.max(0, (event.offsetX - NAMES) / (canvas.clientWidth - NAMES)));
    }, {passive: false});
    const resized = new ResizeObserver(draw);
    resized.observe(element);
    const endWatch = watchTheme(draw);
    return {
        show(chosen, byTime) {
            if (byTime !== shown.byTime)
                view = {from: 0, to: 1};
            shown = {chosen, byTime, ends: extents(boxes, byTime)};
            canvas.setAttribute("aria-valuenow", String(Math.max(0, boxes.indexOf(chosen))));
            canvas.setAttribute("aria-valuetext", chosen ? textOf(chosen.launch) : "none is chosen");
            draw();
        },
        destroy() {
            endWatch();
            resized.disconnect();
        },
    };
}
