/* Rays of a launch with three top-level structures, which a shader reaches by descriptors, by device addresses and by an index into an
 * array of descriptors: the page tells them apart, and says where it cannot. And what rays.json leaves out is told. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

let path = null;
const recorded = bench => path ??= bench.record("structures", ["../tests/device/structures"], "ray_events");

/* Rays of thread 1, from 8 on: near and far by descriptor, far by address, two that are not known, far, far by an index that the thread
 * chooses, farthest by a constant one (tests/device/structures). */
const STORIES = [
    [8, "It flies through structure 1 'near'.", "instance 0 of near"], [9, "It flies through structure 2 'far'.", "instance 0 of far"],
    [10, "It flies through structure 2 'far'.", "instance 0 of far"],
    [11, "Through which of the launch's 3 structures it flies is not known.", "instance 0 of near"],
    [13, "It flies through structure 2 'far'.", "instance 0 of far"], [14, "It flies through structure 2 'far'.", "instance 0 of far"],
    [15, "It flies through structure 3 'farthest'.", "instance 0 of farthest"],
];

async function raysSayTheirStructure(bench) {
    const window = await bench.open(await bench.view([recorded(bench)]));
    for (const [ray, says, instance] of STORIES) {
        await window.page.evaluate(number => {
            const scene = encodeURIComponent(JSON.stringify({panel: "selected"}));
            location.hash = `#tab=scene&launch=0&thread=1,0,0&ray=${number}&instance=0&scene=${scene}`;
        }, ray);
        await window.sees(`Ray ${ray} of thread 1, 0, 0`);
        await window.sees(says);
        await window.sees(instance);
    }
    /* Of a ray that may be of both, both instances are told. */
    await window.page.evaluate(() => {
        location.hash = location.hash.replace("ray=15", "ray=12");
    });
    await window.sees("Ray 12 of thread");
    await window.sees("instance 0 of far");
    await window.sees("instance 0 of near");
    const sites = await window.page.evaluate(async () => (await (await fetch("data/rays.json?launch=0")).json()).sites);
    const byLine = line => sites.filter(site => site.line === line).map(site => [site.name.match(/ through (.*)/)?.[1] ?? null, site.rays]);
    assert.deepEqual(byLine(40), [["structure 1 'near'", 64]]);
    assert.deepEqual(byLine(45).sort(), [["structure 1 'near'", 32], ["structure 2 'far'", 32]]);
    assert.deepEqual(byLine(50).sort(), [["structure 1 'near'", 22], ["structure 2 'far'", 21], ["structure 3 'farthest'", 21]]);
    assert.deepEqual(byLine(25), [[null, 128]]);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* Events that contradict others are counted on the page: here the answer says that there are three. */
async function malformedEventsAreTold(bench) {
    const url = await bench.view([recorded(bench)]);
    const window = await bench.open(url);
    await window.sees("512 rays");
    assert.ok(!(await window.text()).includes("contradict"));
    await window.page.setRequestInterception(true);
    window.page.on("request", async request => {
        if (!request.url().includes("data/report.json"))
            return request.continue();
        const report = await (await fetch(request.url())).json();
        report.analyses.ray_events.malformed = 3;
        return request.respond({contentType: "application/json", body: JSON.stringify(report)});
    });
    await window.page.reload();
    await window.sees("3 ray events contradict others and were left out.");
    await window.close();
}

run([raysSayTheirStructure, malformedEventsAreTold]);
