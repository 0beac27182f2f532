// Cameras of the scene as values: the launch's own, one that sees a box, and how they move.
import assert from "node:assert/strict";

import {
    axesOf, depthRange, frameBox, fromLaunch, halfSeen, look, lookAlong, move, nearestAxis, packCamera, turn, unpackCamera, upOf,
    zoomAt,
} from "../../viewer/scene/launch_camera.js";
import {run} from "./test.js";

const near = (a, b, most = 1e-9) => assert.ok([a].flat().every((part, i) => Math.abs(part - [b].flat()[i]) <= most), `${a} is not ${b}`);

// At 1, 2, 3, right is x, up is y, back is z; the picture is twice as wide as high.
const own = {
    transform: [1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3], orthographic: false, yfov: 2 * Math.atan(0.5), aspect: 2, magnify_x: 0, magnify_y: 0,
};
const camera = {place: [0, 0, 10], target: [0, 0, 0], up: [0, 1, 0], fov: 90, height: 0};

function theLaunchsCameraIsWhereItsRaysBegin() {
    const view = fromLaunch(own, 2, 10);
    assert.deepEqual(view.place, [1, 2, 3]);
    near(view.target, [1, 2, -7]);
    near(Math.tan(view.fov * Math.PI / 360), 0.5);
}

function aNarrowCanvasStillSeesTheWholePicture() {
    // Half of the width is 1 at distance 1; on a square canvas half of the height must be 1, too.
    near(Math.tan(fromLaunch(own, 1, 10).fov * Math.PI / 360), 1);
}

function orthographicCamerasKeepTheirSize() {
    const flat = {...own, orthographic: true, magnify_x: 4, magnify_y: 3};
    assert.equal(fromLaunch(flat, 2, 1).height, 6); // 12 wide by 6: all of 8 by 6 is seen
    assert.equal(fromLaunch(flat, 1, 1).height, 8);
}

function aBoxFillsTheCanvas() {
    // A flat square of side 2 at z = 0, from the front: half of it, with a tenth of room, at 45 degrees.
    const view = lookAlong([0, 0, -1], [0, 1, 0], [-1, -1, 0, 1, 1, 0], 1, 90);
    near(view.place, [0, 0, 1 / 0.9]);
    near(view.target, [0, 0, 0]);
    const far = lookAlong([0, 0, -1], [0, 1, 0], [9, -1, 0, 11, 1, 0], 1, 90);
    near(far.target, [10, 0, 0]);
}

function everyCornerIsSeenFromAnyDirection() {
    const box = [-3, 0, 2, 5, 1, 9];
    for (const direction of [[1, -1, 0.3], [0, -1, 0], [-0.2, 0.9, 0.1], [0, 0, 1]]) {
        const view = lookAlong(direction, [0, 1, 0], box, 1.6);
        const {right, up, ahead} = axesOf(view);
        for (let i = 0; i < 8; ++i) {
            const away = [0, 1, 2].map(axis => box[axis + 3 * (i >> axis & 1)] - view.place[axis]);
            const [x, y, z] = [right, up, ahead].map(one => one.reduce((sum, part, axis) => sum + part * away[axis], 0));
            const half = Math.tan(view.fov * Math.PI / 360) * z;
            assert.ok(z > 0 && Math.abs(y) <= half && Math.abs(x) <= half * 1.6, `corner ${i} from ${direction}`);
        }
    }
}

function turningKeepsTheDistance() {
    near(turn(camera, Math.PI / 2, 0).place, [10, 0, 0]);
    near(Math.hypot(...turn(camera, 0.3, 0.7).place), 10);
    const high = turn(camera, 0, 9).place; // it stops short of the pole
    assert.ok(high[1] < 10 && high[1] > 9.99);
}

function lookingTurnsTheTargetAround() {
    const turned = look(camera, Math.PI / 2, 0); // to the left
    near(turned.place, camera.place);
    near(turned.target, [-10, 0, 10]);
    assert.ok(look(camera, 0, 0.5).target[1] > 0);
}

function movingKeepsTheDirection() {
    const moved = move(camera, 0.1, 0.2, 0);
    near(moved.place, [1, 2, 10]);
    near(moved.target, [1, 2, 0]);
}

function zoomingKeepsThePointUnderThePointer() {
    near(halfSeen(camera, 2), [20, 10]);
    const closer = zoomAt(camera, 0.5, 1, 0, 2); // the right edge is at x = 20
    near(closer.target, [10, 0, 0]);
    near(closer.place, [10, 0, 5]);
    near(closer.target[0] + halfSeen(closer, 2)[0], 20);
}

function depthsHoldTheBox() {
    const [low, high] = depthRange(camera, [-1, -1, -1, 1, 1, 1]);
    assert.ok(low > 0 && low < 9 && high > 11);
    const [inside] = depthRange({...camera, place: [0, 0, 0.5]}, [-1, -1, -1, 1, 1, 1]);
    assert.ok(inside > 0);
}

function linksRestoreCameras() {
    const kept = JSON.parse(JSON.stringify(packCamera(camera)));
    assert.deepEqual(unpackCamera(kept), camera);
    assert.equal(unpackCamera({}), null);
    assert.equal(unpackCamera({...kept, place: [0, 0, null]}), null);
    assert.equal(unpackCamera({...kept, place: [0, 0, 0]}), null);
    assert.deepEqual(unpackCamera({...kept, fov: 500}).fov, 40);
}

function framesKeepTheDirection() {
    const framed = frameBox(camera, [99, -1, 0, 101, 1, 0], 1);
    near(axesOf(framed).ahead, [0, 0, -1]);
    near(framed.target, [100, 0, 0]);
}

function theNearestAxisIsUp() {
    assert.deepEqual(nearestAxis([0.1, -0.9, 0.2]).map(part => part + 0), [0, -1, 0]);
    assert.deepEqual(nearestAxis([0, 0, 0.5]), [0, 0, 1]);
}

function theSceneHasAnUp() {
    const plain = axis => axis.map(part => part + 0);
    assert.deepEqual(plain(upOf([0, 0, -1], [0, 1, 0])), [0, 1, 0]);
    assert.deepEqual(plain(upOf([0, -1, 0], [0, 0, -1])), [0, 1, 0]); // straight down on the ground
    assert.deepEqual(plain(upOf([0, 1, 0], [0, 0, 1])), [0, 0, 1]); // z is up, and the camera looks along y
    assert.deepEqual(plain(upOf([0, -1, 0], [0, 0, 1])), [0, 0, 1]);
    assert.deepEqual(plain(upOf([0, 0, 1], [0, -1, 0])), [0, -1, 0]); // Vulkan's own y
}

await run([theSceneHasAnUp, theLaunchsCameraIsWhereItsRaysBegin, aNarrowCanvasStillSeesTheWholePicture, orthographicCamerasKeepTheirSize,
    aBoxFillsTheCanvas, everyCornerIsSeenFromAnyDirection, turningKeepsTheDistance, lookingTurnsTheTargetAround, movingKeepsTheDirection,
    zoomingKeepsThePointUnderThePointer, depthsHoldTheBox, linksRestoreCameras, framesKeepTheDirection, theNearestAxisIsUp]);
