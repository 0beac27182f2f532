/* Bisecting ends at the ray in question, and a pixel leads to its rays. The scene `leak` has rays that leave a room: one of
 * them is the one in question. */
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {run} from "./browser.js";

/** The rays of the capture as `warpscope export` writes them: objects, in the order of their numbers in the launch. */
function exported(bench, path) {
    const file = join(bench.folder, "rays.jsonl");
    bench.command("export", path, "--rays", file);
    return readFileSync(file, "utf8").trim().split("\n").map(line => JSON.parse(line));
}

/** The bounds of the sets since the start, as the address has them once it has as many as that. */
async function steps(window, count) {
    const text = await window.until(wanted => {
        const scene = new URLSearchParams(location.hash.slice(1)).get("scene");
        return JSON.parse(scene ?? "{}").bisect?.length === wanted && scene;
    }, `${count} steps of the bisection`, count);
    return JSON.parse(text).bisect;
}

/* Answers by keys until one ray is left. Every first answer is "yes", and a wrong one is taken back. */
async function bisect(window, number) {
    for (let count = 1;; count++) {
        await window.until(() => /Is the ray in question|It is ray/.test(document.body.innerText), "a question or the ray");
        const found = (await window.text()).match(/It is ray (\d+) of thread ([\d, ]+)\./);
        if (found !== null)
            return {ray: Number(found[1]), thread: found[2].split(", ").map(Number)};
        await window.press("Yes");
        const [low, high] = (await steps(window, count + 1)).at(-1);
        if (number >= low && number <= high)
            continue;
        await window.press("Back");
        await steps(window, count);
        await window.press("No");
        await steps(window, count + 1);
    }
}

async function bisectEndsAtThePlantedRay(bench) {
    const path = bench.record("leak", ["faults", "leak"]);
    const rays = exported(bench, path);
    const number = rays.findIndex(ray => ray.end === "miss" && ray.ray > 2);
    const window = await bench.open(await bench.view([path]));
    await window.press("Scene");
    await window.press("Find");
    await window.press("Start");
    const found = await bisect(window, number);
    const {thread_x: x, thread_y: y, thread_z: z} = rays[number];
    assert.deepEqual(found, {ray: number, thread: [x, y, z]});
    await window.press("Show it");
    await window.until(() => location.hash.includes("ray="), "the ray in the address");
    assert.equal((await window.place()).ray, String(number));
    assert.deepEqual(window.wrong, []);
    await window.close();
}

const SIZE = 64; // of the picture of `faults`, in pixels on each side
const PIXEL = [20, 40];

/* The canvas shows the whole picture in its middle, as large as it can. */
function placeOfPixel({x, y, width, height}, pixel) {
    const scale = Math.min(width, height) / SIZE;
    return [x + width / 2 + (pixel[0] + 0.5 - SIZE / 2) * scale, y + height / 2 + (pixel[1] + 0.5 - SIZE / 2) * scale];
}

async function pixelLeadsToItsRays(bench) {
    const path = bench.record("leak", ["faults", "leak"]);
    const count = exported(bench, path).filter(ray => ray.thread_x === PIXEL[0] && ray.thread_y === PIXEL[1]).length;
    const window = await bench.open(await bench.view([path]));
    await window.press("Scene");
    await window.until(() => / of [\d\s]+ rays/.test(document.body.innerText), "the rays");
    const box = await window.until(() => document.querySelector(".picture-canvas")?.getBoundingClientRect().toJSON(), "the picture");
    await window.page.mouse.click(...placeOfPixel(box, PIXEL));
    await window.until(() => location.hash.includes("thread="), "the pixel in the address");
    assert.equal((await window.place()).thread, `${PIXEL},0`);
    await window.press("Selected");
    await window.sees(`Thread ${PIXEL.join(", ")}, 0`);
    await window.sees(`${count} rays`);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

run([bisectEndsAtThePlantedRay, pixelLeadsToItsRays]);
