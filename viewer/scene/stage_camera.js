/* The camera of a stage: its buttons and keys, and its place in the state, so that a link restores it and a second scene beside
 * it follows. */

import {Matrix4} from "three";

import {createCameras} from "./cameras.js";
import {axesOf, frameBox, fromLaunch, lookAlong, nearestAxis, packCamera, sphereOf, turn, unpackCamera, upOf, zoomAt} from "./launch_camera.js";
import {unionOf} from "./scene_model.js";

const DIRECTIONS = {
    front: [0, 0, -1], back: [0, 0, 1], left: [1, 0, 0], right: [-1, 0, 0], top: [0, -1, 0], bottom: [0, 1, 0],
};
const UPS = {x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1], "-y": [0, -1, 0], "-z": [0, 0, -1]};

/* A direction of the standard views, which are of scenes whose y is up, for another axis. */
function turned(direction, up) {
    const axis = up.findIndex(part => part !== 0);
    const sign = up[axis];
    const [x, y, z] = direction;
    return axis === 1 ? [x, sign * y, z] : axis === 2 ? [x, -z, sign * y] : [sign * y, x, z];
}

/* A box with the place of the launch's camera: its rays start there, and must not be cut off. */
function withCamera(box, own) {
    const place = own ? [3, 7, 11].map(i => own.transform[i]) : [];
    return place.length > 0 && place.every(Number.isFinite) ? unionOf([box, [...place, ...place]]) : box;
}

/** Makes the camera of a stage; `moved()` is called when it moves. */
export function createStageCamera(stage, {moved}) {
    const {state, model, layout} = stage;
    const {canvas, actions} = layout;
    const own = model.cameras.find(camera => camera.name !== "all") ?? null;
    const {radius} = sphereOf(model.bounds);
    const aspect = () => Math.max(canvas.clientWidth, 1) / Math.max(canvas.clientHeight, 1);

    function ownCamera() {
        const camera = fromLaunch(own, aspect(), model.reach ?? radius);
        // Orbiting turns around the scene's own up, unless the camera is rolled, or looks along it.
        const up = upOf(axesOf(camera).ahead, camera.up);
        const isLevel = Math.abs(axesOf(camera).right.reduce((sum, part, i) => sum + part * up[i], 0)) < 0.02;
        const isAlong = Math.abs(axesOf(camera).ahead.reduce((sum, part, i) => sum + part * up[i], 0)) > 0.99;
        return {...camera, up: isLevel && !isAlong ? up : camera.up};
    }

    /* From where the launch looks, but a little aside: rays of the camera are points when seen from there. Rooms are seen from
     * outside, and nothing smaller than where all of the scene is seen. */
    function firstView() {
        const whole = viewOfAll();
        if (!own || model.reach === null || model.hasWalls)
            return whole;
        const camera = fromLaunch(own, aspect(), model.reach);
        const aside = zoomAt(turn({...camera, up: ownCamera().up}, -0.4, 0.2), 1.4, 0, 0, aspect());
        const {middle} = sphereOf(model.bounds);
        const seen = ({place, fov}) => Math.hypot(...place.map((part, i) => part - middle[i])) * Math.tan(fov * Math.PI / 360);
        return seen(aside) < seen(whole) ? aside : whole;
    }

    function viewOfAll() {
        const up = own ? upOf(axesOf(ownCamera()).ahead, ownCamera().up) : [0, 1, 0];
        const ahead = own ? axesOf(ownCamera()).ahead : turned([-0.5, -0.4, -0.8], up);
        const aside = axesOf({place: [0, 0, 0], target: ahead, up}).right;
        const direction = ahead.map((part, i) => part - 0.45 * aside[i] - 0.3 * up[i]);
        return lookAlong(direction, up, model.bounds, aspect());
    }

    const kept = unpackCamera(state.get("camera"));
    let packed = kept ? JSON.stringify(packCamera(kept)) : "";
    const cameras = createCameras(canvas, {
        camera: kept ?? firstView(), box: withCamera(model.bounds, own), speed: () => radius,
        clicked: (x, y) => stage.picking?.pick(x, y),
        changed() {
            const next = packCamera(cameras.value());
            packed = JSON.stringify(next);
            state.set({camera: next});
            moved();
        },
    });

    function frame(box) {
        if (box !== null && box !== undefined)
            cameras.set(frameBox(cameras.value(), box, aspect()));
    }

    function showButtons() {
        layout.fly.setAttribute("aria-pressed", String(cameras.isFlying()));
        layout.parallel.setAttribute("aria-pressed", String(cameras.value().height > 0));
        layout.fromCamera.disabled = own === null;
    }

    Object.assign(actions, {
        camera: () => own && cameras.set(ownCamera()),
        all: () => frame(model.bounds),
        selection: () => frame(stage.picking.boxOfSelection() ?? model.bounds),
        view(name) {
            const camera = cameras.value();
            const up = UPS[name] ?? nearestAxis(camera.up);
            const ahead = UPS[name] ? axesOf(camera).ahead : turned(DIRECTIONS[name], up);
            cameras.set(lookAlong(ahead, up, model.bounds, aspect(), camera.fov, camera.height > 0));
        },
        fly() {
            cameras.fly(!cameras.isFlying());
            canvas.focus();
            showButtons();
        },
        parallel() {
            const camera = cameras.value();
            const height = camera.height > 0 ? 0 : 2 * axesOf(camera).distance * Math.tan(camera.fov * Math.PI / 360);
            cameras.set({...camera, height});
            showButtons();
        },
    });
    const keys = event => {
        if (event.ctrlKey || event.metaKey || event.altKey || !cameras.key(event))
            return;
        event.preventDefault();
        event.stopPropagation();
    };
    canvas.addEventListener("keydown", keys);
    showButtons();

    return {
        value: cameras.value, three: cameras.three, prepare: cameras.prepare, frame, set: cameras.set,
        up: () => nearestAxis(cameras.value().up),
        /** Takes the camera of the state, where another scene or a link has set it. */
        follow() {
            const next = state.get("camera");
            const camera = unpackCamera(next);
            if (camera === null || JSON.stringify(packCamera(camera)) === packed)
                return;
            packed = JSON.stringify(packCamera(camera));
            cameras.set(camera);
            showButtons();
        },
        /** From the space of a three.js object to clip space, as 16 numbers. */
        matrixOf(object) {
            const three = cameras.three();
            object.updateWorldMatrix(true, false);
            return new Matrix4().multiplyMatrices(three.projectionMatrix, three.matrixWorldInverse).multiply(object.matrixWorld).elements;
        },
        destroy() {
            canvas.removeEventListener("keydown", keys);
            cameras.destroy();
            Object.keys(actions).forEach(name => delete actions[name]);
        },
    };
}
