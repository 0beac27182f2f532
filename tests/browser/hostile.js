/* A program whose names are markup: what its capture says stays text, served and in the single file. The program is an example
 * in whose file the names of shaders, their source files and the application are replaced, at the same length, by markup. */
import assert from "node:assert/strict";
import {chmodSync, readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {examplesFolder, run} from "./browser.js";

const NAMES = [
    ["../examples/faults/path.rgen", "<img src=x onerror=alert(1)>"],
    ["../examples/faults/common.glsl", '<img src=x onerror="alert(1)">'],
    ["../examples/faults/surface.rchit", `<svg/onload=alert(1)></script>"'`],
    ["Warpscope examples", "<img src=x id=own>"],
    ["surface.rchit", `'"></script>&`],
    ["path.rgen", `<u>\u202e"'&`], // what follows runs from right to left
];
const ARGUMENT = "<img src=x onerror=alert(2)>.png";
const TABS = ["Overview", "Scene", "Shaders", "All tables"];

function hostileProgram(bench) {
    let bytes = readFileSync(join(examplesFolder, "faults")).toString("latin1");
    for (const [name, markup] of NAMES) {
        const text = Buffer.from(markup).toString("latin1");
        assert.equal(text.length, name.length, markup);
        assert.ok(bytes.includes(name), name);
        bytes = bytes.replaceAll(name, () => text);
    }
    const path = join(bench.folder, "<b>faults");
    writeFileSync(path, Buffer.from(bytes, "latin1"));
    chmodSync(path, 0o755);
    return path;
}

/* Every tab, and every table: all names come to the page. Policies that were broken, dialogs and elements are counted. */
async function staysText(bench, url, isOwn) {
    const window = await bench.open(url);
    const dialogs = [];
    window.page.on("dialog", dialog => {
        dialogs.push(dialog.message());
        dialog.dismiss();
    });
    let text = "";
    for (const tab of TABS) {
        await window.press(tab);
        await window.until(name => document.querySelector(`#panel-${name}:not([hidden])`)?.innerText.length > 100, tab,
            {"All tables": "tables"}[tab] ?? tab.toLowerCase());
        text += await window.text();
    }
    await window.page.evaluate(() => {
        location.hash = "tab=tables&table=hotspots.lines";
    });
    await window.sees("hotspots: lines");
    text += await window.page.evaluate(() => document.body.textContent);
    for (const markup of [NAMES[4][1], "<b>faults", ARGUMENT])
        assert.ok(text.includes(markup), `the page does not show ${markup}`);
    const made = await window.page.evaluate(() => document.querySelectorAll("img, u, #own, svg[onload], [onerror]").length);
    assert.equal(made, 0, "elements were made of names");
    assert.deepEqual(dialogs, []);
    assert.deepEqual(window.wrong, []); // with what broke the policy
    assert.deepEqual(window.requests.filter(one => !isOwn(one) && !/^(data|blob):/.test(one)), []);
    await window.close();
}

async function servedNamesStayText(bench) {
    const path = bench.record("hostile", [hostileProgram(bench), "leak", "--size", "32x32", "--output", join(bench.folder, ARGUMENT)]);
    const url = await bench.view([path]);
    await staysText(bench, url, one => one.startsWith(new URL(url).origin));
}

async function namesInTheFileStayText(bench) {
    const file = bench.html([join(bench.folder, "hostile.wscope")]);
    await staysText(bench, file, one => one === `file://${file}`);
}

run([servedNamesStayText, namesInTheFileStayText]);
