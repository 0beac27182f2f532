/* The camera of the scene: mouse, touch and keyboard move it, around a point (orbit) or freely (fly). It is a value
 * (launch_camera.js); three.js cameras follow it. */

import {OrthographicCamera, PerspectiveCamera, Quaternion, Matrix4, Vector3} from "three";

import {axesOf, depthRange, halfSeen, look, move, turn, zoomAt} from "./launch_camera.js";

const TURN = 0.0075; // radians a pixel
const KEY_TURN = 0.06;
const KEY_MOVE = 0.06;
const CLICK_MOST = 4; // pixels that the pointer may move in a click
const FLY = {w: [0, 0, 1], s: [0, 0, -1], a: [-1, 0, 0], d: [1, 0, 0], e: [0, 1, 0], q: [0, -1, 0]};

/* Sets a three.js camera to look as the value says. */
function follow(three, camera) {
    const {right, up, ahead} = axesOf(camera);
    const basis = new Matrix4().makeBasis(new Vector3(...right), new Vector3(...up), new Vector3(...ahead).negate());
    three.position.set(...camera.place);
    three.quaternion.copy(new Quaternion().setFromRotationMatrix(basis));
    three.updateMatrixWorld();
}

/**
 * Makes the camera of `canvas`. `options`: {camera: value to begin with, box: what must not be cut off, changed(): it moved,
 * clicked(x, y): a click at pixels of the canvas, speed(): length of the scene, for flying}. Returns {three(), value(),
 * set(value), fly(on), isFlying(), prepare(size), destroy()}.
 */
export function createCameras(canvas, {camera, box, changed, clicked, speed}) {
    const perspective = new PerspectiveCamera();
    const orthographic = new OrthographicCamera();
    let isFlying = false;
    let three = perspective;

    const aspect = () => Math.max(canvas.clientWidth, 1) / Math.max(canvas.clientHeight, 1);

    function set(next) {
        camera = next;
        changed();
    }

    function prepare() {
        const [near, far] = depthRange(camera, box);
        three = camera.height > 0 ? orthographic : perspective;
        follow(three, camera);
        if (three === orthographic) {
            const [wide, high] = halfSeen(camera, aspect());
            Object.assign(orthographic, {left: -wide, right: wide, top: high, bottom: -high});
        } else {
            Object.assign(perspective, {fov: camera.fov, aspect: aspect()});
        }
        Object.assign(three, {near, far});
        three.updateProjectionMatrix();
    }

    function drag(dx, dy, isPan) {
        const [, high] = halfSeen(camera, aspect());
        const pixel = 2 * high / Math.max(canvas.clientHeight, 1);
        if (isPan)
            set(move(camera, -dx * pixel, dy * pixel, 0, 1));
        else
            set(isFlying ? look(camera, -dx * TURN / 2, -dy * TURN / 2) : turn(camera, -dx * TURN, dy * TURN));
    }

    function zoomBy(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
        const at = [2 * x / canvas.clientWidth - 1, 1 - 2 * y / canvas.clientHeight];
        set(isFlying ? move(camera, 0, 0, (1 - factor) / 4, speed()) : zoomAt(camera, factor, ...at, aspect()));
    }

    const endPointer = listenPointer(canvas, {drag, zoomBy, clicked});
    const endFlight = listenFlight(canvas, {
        isFlying: () => isFlying, step: by => set(move(camera, ...by, speed())),
    });

    /* True if the key moved the camera. */
    function key(event) {
        const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
        if (arrows && event.shiftKey)
            set(move(camera, arrows[0] * KEY_MOVE, arrows[1] * KEY_MOVE, 0));
        else if (arrows && isFlying)
            set(look(camera, -arrows[0] * KEY_TURN, arrows[1] * KEY_TURN));
        else if (arrows)
            set(turn(camera, -arrows[0] * KEY_TURN, arrows[1] * KEY_TURN));
        else if (event.key === "+" || event.key === "=")
            zoomBy(1 / 1.15);
        else if (event.key === "-")
            zoomBy(1.15);
        else
            return false;
        return true;
    }

    return {
        three: () => three, value: () => camera, set, prepare, key, aspect,
        isFlying: () => isFlying,
        fly(on) {
            isFlying = on;
        },
        destroy() {
            endPointer();
            endFlight();
        },
    };
}

/* One pointer turns, two of them move and zoom; a click is a press that does not move. */
function listenPointer(canvas, {drag, zoomBy, clicked}) {
    const held = new Map();
    let moved = 0;
    const spread = () => {
        const [a, b] = [...held.values()];
        return {x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, size: Math.hypot(a.x - b.x, a.y - b.y)};
    };
    const listeners = {
        pointerdown(event) {
            canvas.setPointerCapture(event.pointerId);
            held.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
            moved = held.size > 1 ? Infinity : 0;
        },
        pointermove(event) {
            const last = held.get(event.pointerId);
            if (!last)
                return;
            const before = held.size === 2 ? spread() : null;
            held.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
            const [dx, dy] = [event.offsetX - last.x, event.offsetY - last.y];
            moved += Math.abs(dx) + Math.abs(dy);
            if (before) {
                const now = spread();
                drag(now.x - before.x, now.y - before.y, true);
                zoomBy(before.size / Math.max(now.size, 1), now.x, now.y);
            } else if (moved > CLICK_MOST) {
                drag(dx, dy, event.shiftKey || (event.buttons & 6) !== 0);
            }
        },
        pointerup(event) {
            if (held.delete(event.pointerId) && moved <= CLICK_MOST && event.button === 0)
                clicked(event.offsetX, event.offsetY);
        },
        pointercancel(event) {
            held.delete(event.pointerId);
        },
        wheel(event) {
            event.preventDefault();
            zoomBy(Math.exp(Math.min(Math.max(event.deltaY, -120), 120) * 0.0015), event.offsetX, event.offsetY);
        },
        contextmenu: event => event.preventDefault(),
    };
    for (const [name, listener] of Object.entries(listeners))
        canvas.addEventListener(name, listener, {passive: false});
    return () => Object.entries(listeners).forEach(([name, listener]) => canvas.removeEventListener(name, listener));
}

/* W, A, S, D, Q and E move as long as they are held: half of the scene a second, Shift four times that. */
function listenFlight(canvas, {isFlying, step}) {
    const held = new Set();
    let frame = 0;
    let last = 0;

    function run(now) {
        const seconds = Math.min((now - last) / 1000, 0.1);
        last = now;
        const by = [0, 1, 2].map(axis => [...held].reduce((sum, key) => sum + (FLY[key]?.[axis] ?? 0), 0));
        const factor = 0.5 * seconds * (held.has("shift") ? 4 : 1);
        step(by.map(part => part * factor));
        frame = [...held].some(key => FLY[key]) ? requestAnimationFrame(run) : 0;
    }

    const down = event => {
        const key = event.key.toLowerCase();
        if (!isFlying() || event.ctrlKey || event.metaKey || event.altKey || (!FLY[key] && key !== "shift"))
            return;
        held.add(key);
        if (FLY[key]) {
            event.preventDefault();
            event.stopPropagation();
            if (frame === 0) {
                last = performance.now();
                frame = requestAnimationFrame(run);
            }
        }
    };
    const up = event => held.delete(event.key.toLowerCase());
    const leave = () => held.clear();
    canvas.addEventListener("keydown", down);
    canvas.addEventListener("keyup", up);
    canvas.addEventListener("blur", leave);
    return () => {
        cancelAnimationFrame(frame);
        canvas.removeEventListener("keydown", down);
        canvas.removeEventListener("keyup", up);
        canvas.removeEventListener("blur", leave);
    };
}
