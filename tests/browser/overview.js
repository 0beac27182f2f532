/* Overview: each of its sections is there, each link leads to a place that the page shows, and each button, sorting and choice
 * changes what is seen. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

const SECTIONS = ["Most worth knowing", "Trust", "Launches", "Efficiency and divergence", "Recommendations", "Hotspots", "Pictures", "Rays",
    "Lifetimes", "Thread compaction"];

let url = null; // of one server for all tests
const served = async bench => url ??= await bench.view([bench.record("overview", ["faults", "leak", "--size", "32x32"])]);

async function openOverview(bench) {
    const window = await bench.open(await served(bench));
    await window.until(() => document.querySelectorAll(".overview-section").length > 6, "the sections");
    return window;
}

async function everyLinkLeads(bench) {
    const window = await openOverview(bench);
    const titles = await window.page.evaluate(() => [...document.querySelectorAll(".overview-section h2")].map(one => one.textContent));
    assert.deepEqual(titles, SECTIONS);
    const links = [...new Set(await window.page.evaluate(() => [...document.querySelectorAll(".overview a[href^='#']")].map(one => one.hash)))];
    assert.ok(links.length > 8, `${links.length} links`);
    for (const link of links) {
        await window.page.evaluate(hash => {
            location.hash = "tab=overview";
            location.hash = hash;
        }, link);
        const tab = new URLSearchParams(link.slice(1)).get("tab");
        await window.until(name => document.querySelector("[role=tab][aria-selected=true]")?.id === `tab-${name}`, `the tab of ${link}`, tab);
        await window.until(name => document.querySelector(`#panel-${name}`)?.innerText.length > 20, `what ${link} shows`, tab);
    }
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* A click on the first link of each section leaves Overview. */
async function everySectionLeads(bench) {
    const window = await openOverview(bench);
    const count = await window.page.evaluate(() => document.querySelectorAll(".overview-section:has(a[href^='#'])").length);
    assert.ok(count > 4);
    for (let i = 0; i < count; i++) {
        await window.settles(); // a picture that comes late moves links away from the mouse
        const link = (await window.page.$$(".overview-section:has(a[href^='#'])"))[i];
        await (await link.$("a[href^='#']")).click();
        await window.until(() => document.querySelector("#tab-overview").getAttribute("aria-selected") === "false", `the place of section ${i}`);
        await window.page.keyboard.press("1");
        await window.until(() => !document.querySelector("#panel-overview").hidden, "Overview again");
    }
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* Runs in the page. */
function looks() {
    return [location.hash, document.querySelector("#messages").innerText,
        document.querySelector(".overview").innerText,
        ...[...document.querySelectorAll(".overview [aria-pressed]")].map(one => one.getAttribute("aria-pressed"))].join("\n");
}

/* Buttons that copy say so in a message; those of a group that is chosen already have nothing to change. */
async function everyButtonDoes(bench) {
    const window = await openOverview(bench);
    const context = window.page.browserContext();
    await context.overridePermissions(new URL(await served(bench)).origin, ["clipboard-read", "clipboard-write"]);
    const count = await window.page.evaluate(() => document.querySelectorAll(".overview button").length);
    const idle = [];
    let used = 0;
    for (let i = 0; i < count; i++) {
        const element = (await window.page.$$(".overview button"))[i];
        if (element === undefined || !await element.evaluate(one => one.checkVisibility() && one.getAttribute("aria-pressed") !== "true"))
            continue;
        await element.evaluate(one => one.scrollIntoView({block: "center"})); // not below the header
        await window.settles(); // a picture above it that comes late moves it away from the mouse
        const before = await window.page.evaluate(looks);
        const name = await element.evaluate(one => `${one.closest("section")?.id}: ${one.textContent || one.title}`);
        used++;
        await element.click();
        await window.settles();
        if (await window.page.evaluate(looks) === before)
            idle.push(name);
        if (await window.page.evaluate(() => document.querySelector("#panel-overview").hidden))
            await window.page.keyboard.press("1");
    }
    console.log(`${used} buttons`);
    assert.ok(used > 10);
    assert.ok(await window.page.evaluate(() => document.querySelectorAll("#messages .message").length) <= 1, "notes cover the page");
    assert.deepEqual(idle, []);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* A click on a link that takes two lines leads to its place, also between the lines. */
async function aLinkOfTwoLinesIsWhole(bench) {
    const window = await bench.open(await served(bench), {width: 500, height: 800});
    await window.settles();
    const place = await window.until(() => {
        for (const link of document.querySelectorAll(".findings h3 a")) {
            link.scrollIntoView({block: "center"});
            const range = document.createRange();
            range.selectNodeContents(link);
            const [one, next] = range.getClientRects();
            if (next && next.top > one.top)
                return [next.x + 10, (one.bottom + next.top) / 2];
        }
        return null;
    }, "a link of two lines");
    await window.page.mouse.click(...place);
    await window.until(() => document.querySelector("#tab-overview").getAttribute("aria-selected") === "false", "the place of the link");
    await window.close();
}

run([everyLinkLeads, everySectionLeads, everyButtonDoes, aLinkOfTwoLinesIsWhole]);
