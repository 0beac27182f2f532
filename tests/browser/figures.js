/* The page and the terminal agree: each table of All tables, copied as CSV, is the file that `report all --csv-folder` writes,
 * cell by cell, and the facts above Overview are those of the text report. */
import assert from "node:assert/strict";
import {readdirSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {run} from "./browser.js";

/** CSV as rows of cells (RFC 4180). */
function parseCsv(text) {
    const rows = [[]];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
        if (quoted === undefined && plain === "" && end === "")
            continue; // behind the last line
        rows.at(-1).push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
        if (end !== ",")
            rows.push([]);
    }
    return rows.filter(row => row.length > 0);
}

/** Rows of CSV as objects by the head's names. */
function records(text) {
    const [head, ...rows] = parseCsv(text);
    return rows.map(row => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

/* Texts of one value may differ: 0.50 and 0.5. */
function same(one, other) {
    return one === other || (one !== "" && other !== "" && Number(one) === Number(other));
}

/* Shows a table by its address, and copies it; what would come to the clipboard is the answer. */
async function copied(window, analysis, table) {
    await window.page.evaluate(place => {
        globalThis.copied = null;
        navigator.clipboard.writeText = async text => {
            globalThis.copied = text;
        };
        location.hash = place;
    }, `tab=tables&table=${analysis}.${table}`);
    const title = `${analysis}: ${table.replaceAll("_", " ")}`;
    await window.until(wanted => document.querySelector(".tables-content h2")?.textContent === wanted, title, title);
    return window.until(() => {
        const button = [...document.querySelectorAll(".tables-content button")].find(one => one.textContent === "Copy as CSV");
        button?.click();
        return globalThis.copied ?? (button ? false : document.querySelector(".tables-content .empty")?.textContent);
    }, `${title} as CSV`);
}

function assertSame(name, shown, written) {
    assert.equal(shown.length, written.length, `rows of ${name}`);
    let cells = 0;
    for (const [i, row] of written.entries()) {
        for (const [column, value] of Object.entries(row).filter(([column]) => Object.hasOwn(shown[i], column))) {
            assert.ok(same(shown[i][column], value), `${name}, row ${i}, ${column}: ${shown[i][column]} in the page, ${value} in the file`);
            cells++;
        }
    }
    return cells;
}

async function tablesAreThoseOfReport(bench) {
    const path = bench.record("leak", ["faults", "leak"]);
    const folder = join(bench.folder, "tables");
    bench.command("report", path, "all", "--csv-folder", folder);
    const {analyses} = JSON.parse(bench.command("report", path, "all", "--json"));
    const window = await bench.open(await bench.view([path]));
    let [tables, cells] = [0, 0];
    for (const file of readdirSync(folder)) {
        const [analysis, table] = file.replace(".csv", "").split("-");
        if (!Array.isArray(analyses[analysis]?.[table]) || analyses[analysis][table].length === 0)
            continue; // single values stand in a list of their own
        const count = assertSame(file, records(await copied(window, analysis, table)), records(readFileSync(join(folder, file), "utf8")));
        assert.ok(count > 0, `${file} shares no column with the page`);
        cells += count;
        tables++;
    }
    assert.ok(tables > 30 && cells > 1000, `only ${cells} cells of ${tables} tables`);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

async function factsAreThoseOfReport(bench) {
    const path = bench.record("path", ["path_tracer", "--size", "32x32", "--samples", "1"]);
    const text = bench.command("report", path).replaceAll(/\s+/g, " ");
    const [, slots, active, threads, rays, part] = text.match(
        /(\d+) instruction slots, ([\d.]+ %) of them active; (\d+) threads .*?; (\d+) rays, taken for (\d+) % of the work/);
    const window = await bench.open(await bench.view([path]));
    const facts = await window.until(() => {
        const list = document.querySelector("dl.facts");
        return list && Object.fromEntries([...list.children].map(one => [one.children[0].textContent, one.children[1].textContent]));
    }, "the facts");
    const [, traced, share] = facts.Rays.replaceAll(/\s/g, " ").match(/^([\d ]+), ([\d.]+) % of the work$/);
    assert.deepEqual([facts["Instruction slots"], facts.Active.replaceAll(/\s/g, " "), facts.Threads, traced, String(Math.round(share))],
        [slots, active, threads, rays, part]);
    assert.ok(text.includes(facts.Program), `no '${facts.Program}' in ${text}`);
    await window.close();
}

run([tablesAreThoseOfReport, factsAreThoseOfReport]);
