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
    await window.sees(`ray_events.total.any_hits ${anyHits.a} ${anyHits.b}`);
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

run([servedPair, pairInOneFile]);
