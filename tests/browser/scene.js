/* Each control of the Scene does something, by mouse: what the page says (address, words, pressed and checked controls) or how the
 * scene looks is another thing afterwards. Steps by the keys [ and ] go through a list. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

let url = null; // of one server for all tests
const served = async bench => url ??= await bench.view([bench.record("scene", ["faults", "leak", "--size", "32x32"])]);

/* Runs in the page: all that a control may change, as one text. */
function looks() {
    const controls = [...document.querySelectorAll(".scene button")] // the others change by themselves
        .map(one => one.getAttribute("aria-pressed") ?? one.getAttribute("aria-selected") ?? "");
    return [decodeURIComponent(location.hash), document.querySelector(".scene").innerText, controls.join("|")].join("\n");
}

/* Runs in the page: the controls that can be seen, of the toolbar or of the open panel, as {kind, name, index}. */
function controlsOf(selector) {
    return [...document.querySelectorAll(`${selector} :is(button, select, input)`)].map((one, index) => ({
        index, kind: one.tagName === "INPUT" ? one.type : one.tagName.toLowerCase(),
        name: one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.title ?? one.textContent,
        text: one.textContent.trim(), isThere: one.checkVisibility() && !one.disabled,
    })).filter(one => one.isThere && one.kind !== "color"
        && !one.name.startsWith("Pixels, ")); // four numbers say one thing
}

/* Acts on a control by mouse; a choice is made by its list, which the browser draws outside of the page. */
async function use(window, selector, {index, kind}) {
    const element = (await window.page.$$(`${selector} :is(button, select, input)`))[index];
    if (kind === "select") {
        const other = await element.evaluate(one => [...one.options].find(option => option.value !== one.value && !option.disabled)?.value);
        if (other === undefined)
            return false;
        await element.select(other);
    } else if (kind === "search" || kind === "number" || kind === "text") {
        await element.click({clickCount: 3});
        await window.page.keyboard.type("1");
        await window.page.keyboard.press("Tab");
    } else if (kind === "range") {
        const box = await element.boundingBox();
        const middle = await element.evaluate(one => (one.value - one.min) / (one.max - one.min) < 0.5);
        await window.page.mouse.click(box.x + box.width * (middle ? 0.8 : 0.2), box.y + box.height / 2);
    } else {
        await element.click();
    }
    return true;
}

/* A place where nothing is as at first: each control has something to change. Returns how it looks. */
async function startOf(window, panel) {
    await window.page.evaluate(name => {
        location.hash = `tab=scene&thread=9,11,0&ray=3&scene=${encodeURIComponent(JSON.stringify({panel: name}))}`;
    }, panel);
    await window.until(() => / of [\d\s]+ rays/.test(document.querySelector(".scene-status")?.textContent ?? ""), "the rays");
    await window.settles();
    return window.page.evaluate(looks);
}

/* Tries each control of a part of the Scene, from the same start, to which the address leads back. */
async function everyControlOf(bench, selector, panel) {
    const window = await bench.open(await served(bench));
    await startOf(window, panel);
    await window.page.evaluate(() => document.querySelectorAll(".scene-side details:has(.scene-values)").forEach(one => {
        one.open = true;
    }));
    await window.settles();
    const controls = await window.page.evaluate(controlsOf, selector);
    const idle = [];
    for (const control of controls) {
        let before = await startOf(window, panel);
        if (selector === ".scene-tools") {
            await window.page.focus(".scene-canvas");
            await window.page.keyboard.press("ArrowLeft"); // away from every camera that a control may go to
            await window.settles();
            before = await window.page.evaluate(looks);
        }
        const isUsed = await use(window, selector, control);
        await window.settles();
        if (isUsed && await window.page.evaluate(looks) === before)
            idle.push(control.name || control.text);
    }
    console.log(`${panel}: ${controls.length} controls`);
    assert.ok(controls.length > 0);
    assert.deepEqual(idle, []);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

const cameraControls = bench => everyControlOf(bench, ".scene-tools", "rays");
const rayControls = bench => everyControlOf(bench, "[data-panel=rays]", "rays");
const geometryControls = bench => everyControlOf(bench, "[data-panel=geometry]", "geometry");
const legendControls = bench => everyControlOf(bench, ".scene-legend", "rays");

const listOf = () => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("scene") ?? "{}");

/* ] begins the first list, goes to the next and, behind the last, to the first; [ goes back. Each leads to another thread. */
async function stepsByKeys(bench) {
    const window = await bench.open(await served(bench));
    await startOf(window, "find");
    await window.until(() => document.querySelectorAll(".scene-list").length > 0, "lists");
    const {keyboard} = window.page;
    const at = async (key, wanted) => {
        await keyboard.press(key);
        await window.until(sought => {
            const {list, at: place} = JSON.parse(new URLSearchParams(location.hash.slice(1)).get("scene") ?? "{}");
            return list && (place ?? 0) === sought;
        }, `step ${wanted} by ${key}`, wanted);
        return (await window.place()).thread;
    };
    const first = await at("]", 0);
    const {list} = await window.page.evaluate(listOf);
    const second = await at("]", 1);
    assert.notEqual(first, second, list);
    assert.equal(await at("[", 0), first);
    const count = await window.page.evaluate(() => document.querySelectorAll(".scene-list[open] li").length);
    assert.ok(count > 1);
    const last = await at("[", count - 1);
    assert.equal(await at("]", 0), first);
    assert.ok(last);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* A hidden instance is drawn no more; its name in the list selects it, and the search leaves it alone in the list. */
async function geometryHidesAndSelects(bench) {
    const window = await bench.open(await served(bench));
    await startOf(window, "geometry");
    const names = await window.until(() => {
        const found = [...document.querySelectorAll(".scene-instance button:not([title])")].map(one => one.textContent);
        return found.length > 0 && found;
    }, "instances");
    const status = isHidden => window.until(wanted => document.querySelector(".scene-status").textContent.includes(", 1 hidden") === wanted,
        `a status that says ${isHidden}`, isHidden);
    const picture = async () => (await window.page.$(".scene-canvas")).screenshot({encoding: "base64"});
    const settled = async () => {
        await window.settles();
        return picture();
    };
    const before = await settled();
    await (await window.page.$(".scene-instance input")).click();
    await window.until(() => decodeURIComponent(location.hash).includes('"hidden":["0"]'), "a hidden instance");
    await status(true);
    assert.notEqual(await settled(), before);
    await window.press("Show all");
    await status(false);
    assert.equal(await settled(), before);
    await window.press(names.at(-1));
    await window.until(() => document.querySelector(".scene-instance button[aria-pressed=true]"), "a selected instance");
    assert.equal(await window.page.evaluate(() => document.querySelector(".scene-instance button[aria-pressed=true]").textContent), names.at(-1));
    assert.deepEqual(window.wrong, []);
    await window.close();
}

run([cameraControls, rayControls, geometryControls, legendControls, stepsByKeys, geometryHidesAndSelects]);
