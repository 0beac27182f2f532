/* Memory: pages over time as the report has them, of one capture and of two side by side, in the page and in the single file. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

const captures = new Map();

/* A path tracer whose accesses were recorded, in a size. */
function recorded(bench, size) {
    if (!captures.has(size))
        captures.set(size, bench.record(`memory-${size}`, ["path_tracer", "--size", size, "--samples", "1"], "memory_trace"));
    return captures.get(size);
}

function rowsOf(bench, path, ...options) {
    const [head, ...lines] = bench.command("report", path, "caches", "--csv", "--launch", "0", ...options).trim().split("\n");
    const names = head.split(",");
    return lines.map(line => Object.fromEntries(line.split(",").map((value, index) => [names[index], value])));
}

/* What the page says of the first page's first part, by keyboard. */
async function firstCell(window, side = 0) {
    await window.until(index => {
        const canvas = document.querySelectorAll(".memory-canvas")[index];
        canvas?.focus();
        return canvas && document.activeElement === canvas;
    }, "the pages", side);
    await window.page.keyboard.press("ArrowUp");
    const said = await window.until(() => document.querySelector("#panel-memory [role=status]")?.textContent, "a cell");
    return said.replaceAll(/(?<=\d)\s(?=\d)/g, "");
}

const FIELDS = "page,time,page_begin,requests,lanes,bytes,sectors,l1_sectors,l1_hits,l2_sectors,l2_hits";

function wanted(row) {
    return `${row.requests} requests · ${row.lanes} lanes · ${row.bytes} bytes · ${row.sectors} sectors · `
        + `${row.l1_sectors - row.l1_hits} L1 misses · ${row.l2_sectors - row.l2_hits} L2 misses`;
}

function cellOf(bench, path, ...options) {
    return rowsOf(bench, path, "--by", "page,time", "--fields", FIELDS, ...options).find(row => row.page === "0" && row.time === "0");
}

async function cellsAreThoseOfTheReport(bench) {
    const path = recorded(bench, "64x48");
    const window = await bench.open(`${await bench.view([path])}#tab=memory`);
    const pages = new Set(rowsOf(bench, path, "--by", "page", "--fields", "page").map(row => row.page)).size;
    await window.sees(`${pages} pages of 4096 bytes`);
    let row = cellOf(bench, path);
    let said = await firstCell(window);
    assert.ok(said.includes(wanted(row)), `${said}, and not ${wanted(row)}`);
    // Larger pages.
    await window.page.evaluate(() => {
        location.hash = "#tab=memory&memory=" + encodeURIComponent(JSON.stringify({page: 65536}));
    });
    await window.sees("of 65536 bytes");
    row = cellOf(bench, path, "--page", "64K");
    said = await firstCell(window);
    assert.ok(said.includes(wanted(row)), `${said}, and not ${wanted(row)}`);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* The legend's end is the largest value of both. */
async function twoCapturesShareAScale(bench) {
    const paths = [recorded(bench, "64x48"), recorded(bench, "32x16")];
    const window = await bench.open(`${await bench.view(paths)}#tab=memory`);
    await window.until(() => document.querySelectorAll(".memory-canvas").length === 2, "two maps");
    const most = Math.max(...paths.flatMap(path => rowsOf(bench, path, "--by", "page,time", "--fields", "requests").map(row => Number(row.requests))));
    const end = await window.until(() => document.querySelector("#panel-memory .picture-scale:not(.picture-zero) .picture-ticks")?.lastChild?.textContent, "the legend");
    assert.equal(end.replaceAll(/\s/g, ""), String(most));
    const row = cellOf(bench, paths[1]);
    const said = await firstCell(window, 1);
    assert.ok(said.includes(wanted(row)), `${said}, and not ${wanted(row)}`);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

async function singleFileHasThem(bench) {
    const path = recorded(bench, "32x16");
    const window = await bench.open(`${bench.html([path])}#tab=memory`);
    const said = await firstCell(window);
    assert.ok(said.includes(wanted(cellOf(bench, path))), said);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

async function withoutAccessesItSaysHow(bench) {
    const path = bench.record("plain", ["path_tracer", "--size", "16x16", "--samples", "1"], "simt_efficiency");
    const window = await bench.open(`${await bench.view([path])}#tab=memory`);
    await window.sees("record them with: warpscope record -p memory_trace");
    assert.deepEqual(window.wrong, []);
    await window.close();
}

run([cellsAreThoseOfTheReport, twoCapturesShareAScale, singleFileHasThem, withoutAccessesItSaysHow]);
