/* The main views look as they did: a screenshot of each is reduced to the mean colours of a coarse grid, and compared with
 * pictures.json with room for other fonts. With WRITE=1 in the environment it writes pictures.json anew: look at the page
 * before that is committed. */
import assert from "node:assert/strict";
import {readFileSync, writeFileSync} from "node:fs";
import {run} from "./browser.js";

const FILE = new URL("pictures.json", import.meta.url);
const GRID = [16, 10];
const CELL_MOST = 40; // of 255: how much a cell's channel may differ
const MEAN_MOST = 6;  // and all of them on average
const READY = {
    Overview: () => /Most worth knowing/.test(document.body.innerText) && /efficiency/.test(document.body.innerText),
    Scene: () => /\d of [\d\s]+ rays/.test(document.body.innerText),
    Shaders: () => /executions/.test(document.body.innerText),
};

/* The mean colours of a picture: a blank page draws it as small as the grid. */
async function gridOf(blank, base64) {
    return blank.page.evaluate(async (text, [width, height]) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
        let [across, down] = [image.width, image.height];
        let from = image;
        // Halves, so that each pixel counts.
        while (across > width || down > height) {
            [across, down] = [Math.max(width, across >> 1), Math.max(height, down >> 1)];
            const to = new OffscreenCanvas(across, down);
            to.getContext("2d").drawImage(from, 0, 0, across, down);
            from = to;
        }
        const {data} = from.getContext("2d").getImageData(0, 0, width, height);
        return [...data].filter((_, i) => i % 4 < 3);
    }, base64, GRID);
}

async function viewsLookAsTheyDid(bench) {
    const path = bench.record("opaque", ["faults", "opaque"]);
    const window = await bench.open(await bench.view([path]));
    const screens = {};
    for (const [tab, isReady] of Object.entries(READY)) {
        await window.press(tab);
        await window.until(isReady, `what ${tab} shows`);
        await window.settles(); // pictures and meshes come after the words
        screens[tab] = await window.page.screenshot({encoding: "base64"});
    }
    const blank = await bench.openBlank(); // in front of the page, which is drawn no more
    const grids = {};
    for (const [tab, screen] of Object.entries(screens))
        grids[tab] = await gridOf(blank, screen);
    if (process.env.WRITE === "1")
        writeFileSync(FILE, `${JSON.stringify(grids)}\n`);
    const wanted = JSON.parse(readFileSync(FILE, "utf8"));
    for (const tab of Object.keys(READY)) {
        const away = grids[tab].map((value, i) => Math.abs(value - wanted[tab][i]));
        const mean = away.reduce((sum, one) => sum + one, 0) / away.length;
        assert.ok(Math.max(...away) <= CELL_MOST && mean <= MEAN_MOST,
            `${tab} looks otherwise: a cell differs by ${Math.max(...away)}, all of them by ${mean.toFixed(2)}`);
        console.log(`${tab}: cells differ by ${Math.max(...away)} at most, by ${mean.toFixed(2)} on average`);
    }
}

run([viewsLookAsTheyDid]);
