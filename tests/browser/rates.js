/* Hit rates on the mesh: of the program's own accesses and of the model BVH, with its boxes; the legend says which; in the page and in
 * the single file. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

let path = null;
const recorded = bench => path ??= bench.record("rates", ["path_tracer", "--size", "32x32", "--samples", "1", "--scene", "open"],
    "ray_events,memory_trace");

const hashOf = scene => `#tab=scene&scene=${encodeURIComponent(JSON.stringify({style: "none", ground: false, panel: "geometry", ...scene}))}`;

/* How many pixels of the scene's canvas, as it is shown, are of a colour, and not grey like plain geometry. */
async function colouredPixels(window) {
    const shot = await (await window.page.$(".scene-canvas")).screenshot({encoding: "base64"});
    return window.page.evaluate(async text => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(atob(text), one => one.charCodeAt(0))], {type: "image/png"}));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const {data} = context.getImageData(0, 0, image.width, image.height);
        let count = 0;
        for (let i = 0; i < data.length; i += 4)
            count += Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60 ? 1 : 0;
        return count;
    }, shot);
}

/* Waits until more, or fewer, pixels are coloured than `count`. */
async function waitsFor(window, what, holds) {
    for (const end = Date.now() + 60000;;) {
        const count = await colouredPixels(window);
        if (holds(count))
            return count;
        assert.ok(Date.now() < end, `${what}: ${count} pixels`);
    }
}

async function shows(window, scene, title) {
    await window.page.evaluate(hash => {
        location.hash = hash;
    }, hashOf(scene));
    await window.until(words => document.querySelector(".scene-legend h3")?.textContent === words, "the legend", title);
}

async function check(window) {
    await window.until(() => document.querySelector(".scene-instances li"), "the geometry");
    const choices = await window.page.evaluate(() => [...document.querySelectorAll(".scene-form option")].map(one => one.textContent));
    for (const wanted of ["L1 hit rate, accesses of shaders", "L2 hit rate, accesses of shaders", "L1 hit rate, model BVH"])
        assert.ok(choices.includes(wanted), choices.join("; "));
    const plain = await colouredPixels(window); // of the axes
    await shows(window, {paint: "l1_accesses"}, "L1 hit rate, accesses of shaders");
    await waitsFor(window, "coloured triangles", count => count > plain + 1000);
    await shows(window, {paint: "l2_model"}, "L2 hit rate, model BVH");
    await shows(window, {mode: "none", boxes: [0, 5]}, "L1 hit rate, model BVH");
    await waitsFor(window, "boxes", count => count > plain + 100 && count < plain + 30000);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

async function servedPageHasThem(bench) {
    await check(await bench.open(`${await bench.view([recorded(bench)])}${hashOf({})}`));
}

async function singleFileHasThem(bench) {
    await check(await bench.open(`${bench.html([recorded(bench)])}${hashOf({})}`));
}

/* What `rates` gives of the accesses is what the report has: of the ground, whose two triangles share no index. */
async function ratesAreThoseOfTheReport(bench) {
    const window = await bench.open(`${await bench.view([recorded(bench)])}${hashOf({})}`);
    await window.until(() => document.querySelector(".scene-instances li"), "the geometry");
    const found = await window.page.evaluate(async () => {
        const scene = await (await fetch("data/scene.json?launch=0")).json();
        const answers = await Promise.all(scene.contents.map(({content}) => fetch(`data/rates?content=${content}&launch=0&of=accesses`)));
        const buffers = await Promise.all(answers.map(answer => answer.arrayBuffer()));
        return buffers.reduce((sum, buffer) => sum + new DataView(buffer).getUint32(8, true), 0);
    });
    const lines = bench.command("report", recorded(bench), "caches", "--csv", "--by", "face", "--fields", "structure,geometry,face").trim().split("\n");
    assert.ok(found >= lines.length - 1 && lines.length > 100, `${found} triangles have rates, and ${lines.length - 1} faces were read`);
    await window.close();
}

run([servedPageHasThem, singleFileHasThem, ratesAreThoseOfTheReport]);
