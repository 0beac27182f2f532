// The page opens, served and as one file: every tab, with nothing wrong and no request to anywhere else.
import assert from "node:assert/strict";
import {run} from "./browser.js";

const TABS = ["Overview", "Scene", "All tables"];

async function visit(bench, url) {
    const window = await bench.open(url);
    for (const tab of TABS) {
        await window.press(tab);
        await window.until(name => document.querySelector("[role=tab][aria-selected=true], [aria-current]")?.textContent.trim() === name,
            `tab ${tab}`, tab);
    }
    await window.press("Scene");
    await window.until(() => document.querySelector("canvas")?.width > 0, "a canvas");
    assert.deepEqual(window.wrong, []);
    return window;
}

async function served(bench) {
    const url = await bench.view([bench.record("served", ["path_tracer", "--size", "32x32", "--samples", "1"])]);
    const window = await visit(bench, url);
    const origin = new URL(url).origin;
    assert.deepEqual(window.requests.filter(one => !one.startsWith(origin) && !/^(data|blob):/.test(one)), []);
    await window.close();
}

async function oneFile(bench) {
    const path = bench.html([bench.record("file", ["path_tracer", "--size", "32x32", "--samples", "1"])]);
    const window = await visit(bench, path);
    assert.deepEqual(window.requests.filter(one => one !== `file://${path}` && !/^(data|blob):/.test(one)), []);
    await window.close();
}

run([served, oneFile]);
