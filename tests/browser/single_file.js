/* The single file holds what its own lists lead to: each piece of advice has its evidence in it, down to the rays of its thread
 * in words. A file that is too small for all rays says so, and what shows them. */
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {join} from "node:path";
import {run} from "./browser.js";

const LEFT_OUT = /left out of this file/;

/* How many rays each thread has: what the export says, line by line. */
function raysOfThreads(bench, path, scene) {
    const file = join(bench.folder, `${scene}.jsonl`);
    bench.command("export", path, "--rays", file);
    const counts = new Map();
    for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
        const {thread_x: x, thread_y: y, thread_z: z} = JSON.parse(line);
        const key = [x, y, z].join(",");
        counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
}

/* Clicks the recommendation of that place in the list. */
async function openAdvice(window, number, title) {
    await window.press("Overview");
    await window.until((at, name) => {
        const found = [...document.querySelectorAll("table")].find(table => table.getAttribute("aria-label") === "Recommendations"
            || table.textContent.includes(name));
        const row = found?.querySelectorAll("tbody tr")[at];
        const link = row?.querySelector("a, button");
        link?.click();
        return link !== null && link !== undefined;
    }, `recommendation ${number}`, number, title);
    await window.until(() => !location.hash.includes("tab=overview") && location.hash.includes("tab="), "the evidence");
}

async function checkRays(window, advice) {
    await window.until(() => / rays? that fit/.test(document.body.innerText), "rays that fit");
    const text = await window.text();
    const fitting = Number(text.match(/(\d{1,3}(?: \d{3})*) rays? that fit/)[1].replaceAll(" ", ""));
    if (advice.rule === "leaks") // others count runs
        assert.equal(fitting, Number(advice.evidence.match(/\d+/)[0]), advice.evidence);
    assert.ok(fitting > 0, advice.title);
}

async function checkThread(window, thread, count) {
    await window.press("Story");
    await window.until(() => /\bblocks?\b/.test(document.querySelector(".thread-story")?.innerText ?? ""), `the story of thread ${thread}`);
    if (count === 0)
        return;
    await window.press(`Rays (${count})`);
    await window.until(() => {
        const link = document.querySelector(".thread-rays li a, .thread-rays li button");
        link?.click();
        return Boolean(link);
    }, "a ray of the thread");
    await window.press("Selected");
    await window.sees(`ray 1 of ${count}`);
    await window.sees("It leaves");
}

function adviceOf(scene) {
    const test = async bench => {
        const path = bench.record(scene, ["faults", scene]);
        const list = JSON.parse(bench.command("report", path, "advice", "--json")).analyses.advice.advice;
        const counts = raysOfThreads(bench, path, scene);
        const window = await bench.open(bench.html([path]));
        assert.ok(list.length > 0);
        for (const [number, advice] of list.entries()) {
            await openAdvice(window, number, advice.title);
            const place = await window.place();
            if (place.tab === "scene" && place.rule === advice.rule)
                await checkRays(window, advice);
            if (place.tab === "scene" && place.thread !== undefined)
                await checkThread(window, place.thread, counts.get(place.thread) ?? 0);
            if (place.tab === "shaders")
                await window.until(() => document.querySelector("main")?.innerText.length > 500, "the shader");
            assert.doesNotMatch(await window.text(), LEFT_OUT, `${advice.title} (${advice.subject})`);
        }
        assert.deepEqual(window.wrong, []);
        await window.close();
    };
    Object.defineProperty(test, "name", {value: `eachAdviceOf_${scene}`});
    return test;
}

/* The page alone takes most of it: some of 50 000 rays fit. */
async function aSmallFileSaysWhatItLacks(bench) {
    const path = bench.record("small", ["faults", "leak"]);
    const window = await bench.open(bench.html([path], "--budget", "1800K"));
    await window.sees("Not in this file");
    await window.sees("The file holds the answers to what clicks ask for");
    await window.sees("warpscope view shows all");
    await window.press("Scene");
    await window.until(() => / rays/.test(document.body.innerText), "rays");
    await window.page.evaluate(() => { location.hash += "&filters=" + encodeURIComponent(JSON.stringify({end: "miss"})); });
    await window.sees("that this file holds (warpscope view has all)");
    assert.deepEqual(window.wrong, []);
    await window.close();
}

run([adviceOf("leak"), adviceOf("opaque"), aSmallFileSaysWhatItLacks]);
