/* The keyboard alone suffices, an address restores the view, both themes can be read, and a page at 200 % needs no scrolling
 * sideways. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

let url = null; // of one server for all tests
const captureOf = bench => bench.record("controls", ["faults", "leak", "--size", "32x32"]);
const served = async bench => url ??= await bench.view([captureOf(bench)]);
const isTab = name => document.querySelector("[role=tab][aria-selected=true]")?.textContent === name;
const hasSteps = count => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("scene") ?? "{}").bisect?.length === count;
const hasKey = part => decodeURIComponent(location.hash).includes(part);

/** Goes on by Tab until an element of that name has the focus. */
async function tabTo(window, name) {
    for (let i = 0; i < 150; i++) {
        await window.page.keyboard.press("Tab");
        const found = await window.page.evaluate(() => {
            const {activeElement: one} = document;
            return [one.getAttribute("aria-label"), one.labels?.[0]?.textContent, one.textContent].map(text => text?.trim());
        });
        if (found.includes(name))
            return;
    }
    assert.fail(`Tab does not come to '${name}'`);
}

async function keysAlone(bench) {
    const window = await bench.open(await served(bench));
    const {keyboard} = window.page;
    const tabs = await window.page.evaluate(() => [...document.querySelectorAll("header [role=tab]")].map(one => one.textContent));
    for (const [i, name] of tabs.entries()) {
        await keyboard.press(String(i + 1));
        await window.until(isTab, name, name);
    }
    await keyboard.press("?");
    await window.until(() => document.querySelector("dialog[open]")?.innerText.includes("Everywhere"), "the help");
    await keyboard.press("Escape");
    await window.until(() => document.querySelector("dialog") === null, "the page without the help");
    await keyboard.press("/");
    await window.until(() => document.activeElement?.type === "search", "the search of the tables");
    await keyboard.press("Escape");
    await window.until(() => document.activeElement === document.body, "no focus in a field");
    await keyboard.press("1");
    await tabTo(window, "Overview");
    await keyboard.press("ArrowRight");
    await window.until(isTab, "Scene by the arrow key", "Scene");
    assert.deepEqual(window.wrong, []);
    await window.close();
}

async function sceneByKeysAlone(bench) {
    const window = await bench.open(`${await served(bench)}#tab=scene`);
    const {keyboard} = window.page;
    await window.until(() => / of [\d\s]+ rays/.test(document.body.innerText), "the rays");
    await tabTo(window, "Drawn");
    await keyboard.press("ArrowDown");
    await window.until(hasKey, "another number of rays", '"count":');
    await tabTo(window, "Colour by");
    await keyboard.press("ArrowDown");
    await window.until(hasKey, "another colouring", "colour=");
    await keyboard.press("Escape");
    await keyboard.press("v");
    await window.until(() => document.activeElement?.tagName === "CANVAS", "the focus on the scene, to fly");
    await keyboard.press("w");
    await window.until(hasKey, "a camera", "camera=");
    await keyboard.press("v");
    const before = (await window.place()).camera;
    await keyboard.press("ArrowLeft");
    await window.until(old => new URLSearchParams(location.hash.slice(1)).get("camera") !== old, "a camera that turned", before);
    await keyboard.press("c");
    await window.page.evaluate(() => document.activeElement.blur());
    await keyboard.press("Escape");
    await tabTo(window, "Rays");
    await keyboard.press("ArrowRight");
    await keyboard.press("ArrowRight");
    await window.until(hasKey, "the panel Find", '"panel":"find"');
    await tabTo(window, "Start");
    await keyboard.press("Enter");
    await window.until(hasKey, "a bisection", '"bisect"');
    await keyboard.press("y");
    await window.until(hasSteps, "a step", 2);
    await window.until(() => !document.body.innerText.includes("reading rays"), "the next question");
    await keyboard.press("n");
    await window.until(hasSteps, "two steps", 3);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* The picture by keys: the cursor goes from pixel to pixel, Enter chooses a thread, B twice makes a box, + and 0 zoom. */
async function pictureByKeysAlone(bench) {
    const window = await bench.open(`${await served(bench)}#tab=scene&thread=9,11,0`);
    const {keyboard} = window.page;
    await window.until(() => document.querySelector(".picture-canvas")?.width > 0 && / of [\d\s]+ rays/.test(document.body.innerText), "the picture");
    await window.page.evaluate(() => document.querySelector(".picture-view .toolbar").querySelector("button, select, input").focus());
    for (let i = 0; i < 20 && !await window.page.evaluate(() => document.activeElement.classList.contains("picture-canvas")); i++)
        await keyboard.press("Tab");
    const value = () => window.page.evaluate(() => document.querySelector(".picture-value").textContent);
    const values = [];
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown"]) { // the first one shows where the cursor is: at the chosen thread
        await keyboard.press(key);
        await window.settles();
        values.push(await value());
    }
    assert.equal(new Set(values).size, 3, String(values));
    await keyboard.press("Enter");
    await window.until(hasKey, "the pixel right of and below the first", "thread=10,12,0");
    await keyboard.press("b");
    await keyboard.press("ArrowRight");
    await keyboard.press("ArrowDown");
    await keyboard.press("b");
    await window.until(hasKey, "a box of four pixels", '"pixels":"10,12-11,13"');
    await keyboard.press("+");
    await window.until(hasKey, "a picture that is zoomed", '"view"');
    const [x] = JSON.parse((await window.place()).picture).view.slice(1);
    await keyboard.down("Shift");
    await keyboard.press("ArrowRight");
    await keyboard.up("Shift");
    await window.until(old => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("picture")).view[1] !== old, "a picture that moved", x);
    await keyboard.press("0");
    await window.until(() => !decodeURIComponent(location.hash).includes('"view"'), "the whole picture");
    assert.deepEqual(window.wrong, []);
    await window.close();
}

async function addressRestoresTheView(bench) {
    const window = await bench.open(`${await served(bench)}#tab=scene&thread=9,11,0&ray=3&filters={"end":"miss"}&colour=depth`);
    await window.sees("that fit");
    await window.until(hasKey, "the first camera", "camera=");
    const {camera} = await window.place();
    await window.page.focus(".scene-canvas");
    await window.page.keyboard.press("ArrowLeft");
    await window.until(old => new URLSearchParams(location.hash.slice(1)).get("camera") !== old, "a camera that turned", camera);
    const address = await window.page.evaluate(() => location.href);
    const status = await window.page.evaluate(() => document.querySelector(".scene-status").textContent);
    const other = await bench.open(address);
    await other.until(text => document.querySelector(".scene-status")?.textContent === text, status, status);
    assert.deepEqual(await other.place(), await window.place());
    const canvas = one => one.page.evaluate(() => document.querySelector(".scene-canvas").getAttribute("aria-label"));
    assert.equal(await canvas(other), await canvas(window));
    assert.deepEqual([...window.wrong, ...other.wrong], []);
    await window.close();
    await other.close();
}

/* A page of 1280 pixels at 200 % has 640 of its own. */
async function roomAt200Percent(bench) {
    const window = await bench.open(await served(bench), {width: 640, height: 400, deviceScaleFactor: 2});
    for (const tab of ["Overview", "Scene", "Shaders", "All tables"]) {
        await window.press(tab);
        await window.until(isTab, tab, tab);
        const [wide, seen] = await window.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(wide <= seen, `${tab} is ${wide} pixels wide, of ${seen}`);
    }
    await window.close();
}

async function bothThemesAreRead(bench) {
    const window = await bench.open(await served(bench));
    const colours = () => window.page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]
        .map(text => text.match(/[\d.]+/g).slice(0, 3).map(Number)));
    const light = ([r, g, b]) => [r, g, b].map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    const contrast = ([one, other]) => (Math.max(light(one), light(other)) + 0.05) / (Math.min(light(one), light(other)) + 0.05);
    const themes = [];
    for (let i = 0; i < 2; i++) {
        const shown = await colours();
        themes.push(light(shown[1]) > 0.5 ? "light" : "dark");
        assert.ok(contrast(shown) > 7, `${shown.join(" on ")}`);
        if (i === 0)
            await window.press(themes[0] === "dark" ? "Light" : "Dark");
    }
    assert.notEqual(themes[0], themes[1]);
    await window.close();
}

run([keysAlone, sceneByKeysAlone, pictureByKeysAlone, addressRestoresTheView, roomAt200Percent, bothThemesAreRead]);
