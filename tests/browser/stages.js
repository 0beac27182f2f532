/* What the scene survives: another launch, a device that takes the context away, and fingers. What is drawn is read from the
 * canvas's picture on the page. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

/* How many colours a part of the canvas has on the page: 1 where nothing is drawn. */
async function coloursOf(window) {
    const box = await window.page.evaluate(() => document.querySelector(".scene-canvas").getBoundingClientRect().toJSON());
    const clip = {x: box.x + box.width * 0.2, y: box.y + box.height * 0.2, width: box.width * 0.6, height: box.height * 0.5};
    const text = await window.page.screenshot({clip, encoding: "base64"});
    return window.page.evaluate(async base64 => {
        const bytes = Uint8Array.from(atob(base64), one => one.charCodeAt(0));
        const bitmap = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const ground = canvas.getContext("2d");
        ground.drawImage(bitmap, 0, 0);
        return new Set(new Uint32Array(ground.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
    }, text);
}

const drawsSomething = (window, what) => window.untilHere(async () => await coloursOf(window) > 20, `what is drawn ${what}`);

const hasRays = () => /of [\d ]+ rays/.test(document.querySelector(".scene-status")?.textContent ?? "");

async function anotherLaunchIsDrawn(bench) {
    const path = bench.record("frames", ["path_tracer", "--size", "32x32", "-n", "1", "-b", "1", "-f", "3"]);
    const window = await bench.open(`${await bench.view([path])}#tab=scene`);
    await window.until(hasRays, "rays");
    for (const launch of ["1", "2", "0"]) {
        await window.page.select(".scene-launch", launch);
        await window.until(number => location.hash.includes(`launch=${number}`), "the launch in the address", launch);
        await window.until(hasRays, "rays of another launch");
        await drawsSomething(window, `launch ${launch}`);
    }
    assert.deepEqual(window.wrong, []);
    await window.close();
}

async function theSceneComesBack(bench) {
    const path = bench.record("room", ["faults", "leak"]);
    const window = await bench.open(`${await bench.view([path])}#tab=scene`);
    await window.until(hasRays, "rays");
    await drawsSomething(window, "at first");
    await window.page.evaluate(() => {
        globalThis.lost = document.querySelector(".scene-canvas").getContext("webgl2").getExtension("WEBGL_lose_context");
        globalThis.lost.loseContext();
    });
    await window.sees("The graphics device took the scene away");
    await window.page.evaluate(() => globalThis.lost.restoreContext());
    await window.until(hasRays, "the words");
    await drawsSomething(window, "after the context came back");
    await window.close();
}

const cameraOf = () => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("camera") ?? "null");

/* One finger turns, two of them zoom. */
async function fingersMoveTheCamera(bench) {
    const path = bench.record("room", ["faults", "leak"]);
    const window = await bench.open(`${await bench.view([path])}#tab=scene`);
    await window.until(hasRays, "rays");
    const {x, y, width, height} = await window.page.evaluate(() => document.querySelector(".scene-canvas").getBoundingClientRect().toJSON());
    const middle = [x + width / 2, y + height / 2];
    const touch = await window.page.createCDPSession();
    const send = (type, points) => touch.send("Input.dispatchTouchEvent", {type, touchPoints: points.map(([at, up], id) => ({
        x: middle[0] + at, y: middle[1] + up, id,
    }))});
    await send("touchStart", [[0, 0]]);
    for (const at of [20, 40, 60])
        await send("touchMove", [[at, 0]]);
    await send("touchEnd", []);
    const turned = await window.until(cameraOf, "a turned camera");
    const away = camera => Math.hypot(...camera.place.map((part, axis) => part - camera.target[axis]));
    await send("touchStart", [[-40, 0], [40, 0]]);
    for (const at of [50, 60, 80])
        await send("touchMove", [[-at, 0], [at, 0]]);
    await send("touchEnd", []);
    // The fingers went twice as far apart: the camera is half as far away.
    await window.until(least => {
        const camera = JSON.parse(new URLSearchParams(location.hash.slice(1)).get("camera"));
        return Math.hypot(...camera.place.map((part, axis) => part - camera.target[axis])) < least;
    }, "a camera that is nearer", 0.6 * away(turned));
    assert.deepEqual(window.wrong, []);
    await window.close();
}

run([anotherLaunchIsDrawn, theSceneComesBack, fingersMoveTheCamera]);
