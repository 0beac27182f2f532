/* Two captures on one page, served and as one file: the tab Compare shows what `warpscope diff` prints, and one camera for both
 * scenes. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

/** The opaque fault, and its repair. */
function pair(bench) {
    return [bench.record("before", ["faults", "opaque"]), bench.record("after", ["faults", "opaque", "--repaired"])];
}

async function comesFromDiff(bench, url, captures) {
    const diff = JSON.parse(bench.command("diff", ...captures, "--json"));
    const window = await bench.open(url);
    await window.press("Compare");
    await window.sees("Mark geometry opaque");
    const gone = diff.advice.find(one => one.state === "gone");
    await window.sees(`gone ${gone.title} ${gone.subject}`);
    const anyHits = diff.figures.find(one => one.figure === "ray_events.total.any_hits");
    await window.sees(`ray events: any hits ${anyHits.a} ${anyHits.b}`);
    const help = await window.page.evaluate(() => [...document.querySelectorAll("td span[title]")]
        .find(one => one.textContent === "ray events: any hits").title);
    assert.match(help, /^.+\nray_events\.total\.any_hits$/);
    const points = diff.figures.find(one => one.points && one.row === "" && one.main && Math.abs(one.change) > 0.001);
    await window.sees(`${(100 * Math.abs(points.change)).toFixed(1)} points`);
    assert.equal(diff.noise.times_known, false);
    await window.sees("are not compared: how much they change by noise is known from five frames of both");
    await window.until(() => document.querySelectorAll("canvas:not(.picture-canvas)").length >= 2, "two scenes");
    assert.deepEqual(window.wrong, []);
    await window.close();
}

async function servedPair(bench) {
    const captures = pair(bench);
    await comesFromDiff(bench, await bench.view(captures), captures);
}

async function pairInOneFile(bench) {
    const captures = pair(bench);
    await comesFromDiff(bench, bench.html(captures), captures);
}

/* A camera that is turned in one scene turns the other: what both draw changes. */
async function camerasAreLinked(bench) {
    const window = await bench.open(`${await bench.view(pair(bench))}#tab=compare`);
    await window.until(() => document.querySelectorAll(".compare-scene .scene-canvas").length === 2, "two scenes");
    await window.until(() => [...document.querySelectorAll(".compare-scene .scene-status")].every(one => /\d rays/.test(one.textContent)
        && !one.textContent.includes("reading")), "both scenes drawn");
    await window.settles(); // the launch's camera is found, and all is drawn
    const pictures = async () => {
        const shots = [];
        for (const canvas of await window.page.$$(".compare-scene .scene-canvas"))
            shots.push(await canvas.screenshot({encoding: "base64"}));
        return shots;
    };
    for (const [i, key] of [[0, "ArrowLeft"], [1, "ArrowUp"]]) {
        const before = await pictures();
        const camera = (await window.place()).camera;
        await (await window.page.$$(".compare-scene .scene-canvas"))[i].focus();
        for (let turns = 0; turns < 6; turns++)
            await window.page.keyboard.press(key);
        await window.until(old => new URLSearchParams(location.hash.slice(1)).get("camera") !== (old ?? null), "a camera that turned", camera);
        await window.settles();
        const after = await pictures();
        assert.notEqual(after[0], before[0], `A does not turn by ${key} in ${"AB"[i]}`);
        assert.notEqual(after[1], before[1], `B does not turn by ${key} in ${"AB"[i]}`);
    }
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* A page of 1280 pixels at 200 % has 640 of its own. */
async function roomAt200Percent(bench) {
    const window = await bench.open(`${await bench.view(pair(bench))}#tab=compare`, {width: 640, height: 400, deviceScaleFactor: 2});
    await window.sees("Mark geometry opaque");
    await window.until(() => document.querySelectorAll(".compare-scene .scene-canvas").length === 2, "two scenes");
    const [wide, seen] = await window.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= seen, `Compare is ${wide} pixels wide, of ${seen}`);
    const narrow = await window.page.evaluate(() => [...document.querySelectorAll(".compare-scene .scene-canvas")].map(one => one.getBoundingClientRect())
        .filter(box => box.width < 200 || box.height < 150).length);
    assert.equal(narrow, 0, "scenes too small to see anything");
    await window.close();
}

/* The modules of these examples hold no source: a line stands in for those of a shader that changed. */
async function changedLinesAreShown(bench) {
    const window = await bench.open(await bench.view(pair(bench)));
    const line = {
        state: "changed", shader: "path.rgen:main", file: "shaders/path.rgen", a_line: 12, b_line: 14, a_text: "depth < 4", b_text: "depth < 2",
        a_executions: 640, b_executions: 320, a_efficiency: 0.5, b_efficiency: 0.75,
    };
    await window.page.setRequestInterception(true);
    window.page.on("request", async request => {
        if (!request.url().includes("diff.json"))
            return request.continue();
        const diff = await (await fetch(request.url())).json();
        return request.respond({contentType: "application/json", body: JSON.stringify({...diff, lines: [...diff.lines, line]})});
    });
    await window.press("Compare");
    await window.sees("changed path.rgen:main path.rgen:12 → 14 depth < 4 depth < 2 640 320 50.0 % 75.0 %");
    assert.deepEqual(window.wrong, []);
    await window.close();
}

run([servedPair, pairInOneFile, changedLinesAreShown, camerasAreLinked, roomAt200Percent]);
