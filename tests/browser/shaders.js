/* Shaders: search and its keys, a jump from a hotspot, three forms side by side, and a file that a shader includes. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

let url = null; // of one server for all tests
let path = null;
const served = async bench => {
    path ??= bench.record("shaders", ["path_tracer", "--size", "32x32", "--samples", "1"]);
    return url ??= await bench.view([path]);
};

async function openShaders(bench) {
    const window = await bench.open(`${await served(bench)}#tab=shaders`);
    await window.until(() => document.querySelectorAll(".code-row[role=option]").length > 10, "lines");
    return window;
}

const chosen = () => document.querySelector(".code-row.chosen")?.innerText.replaceAll(/\s+/g, " ");

async function searchFinds(bench) {
    const window = await openShaders(bench);
    const {keyboard} = window.page;
    await window.pressBeginning("raygen.rgen");
    await window.sees("traceRayEXT");
    await keyboard.press("/");
    await window.until(() => document.activeElement?.type === "search", "the search");
    await keyboard.type("bounce");
    const count = await window.until(() => Number(document.querySelector(".shaders-head [role=status]")?.textContent.match(/^(\d+) lines/)?.[1]), "lines found");
    assert.ok(count > 1);
    await window.until(() => document.querySelectorAll(".code mark").length > 0, "marks");
    await keyboard.press("Enter");
    const first = await window.until(chosen, "a chosen line");
    assert.ok(first.toLowerCase().includes("bounce"), first);
    await keyboard.press("Escape");
    await window.until(() => document.activeElement?.type !== "search", "no focus in the search");
    const next = async (key, before) => {
        await keyboard.press(key);
        return window.until(old => {
            const text = document.querySelector(".code-row.chosen")?.innerText.replaceAll(/\s+/g, " ");
            return text && text !== old && text;
        }, `another line by ${key}`, before);
    };
    const second = await next("]", first);
    assert.ok(second.toLowerCase().includes("bounce"), second);
    assert.equal(await next("[", second), first);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* The hottest line of the report is where a click on it leads. */
async function hotspotLeadsToItsLine(bench) {
    await served(bench);
    const report = JSON.parse(bench.command("report", path, "hotspots", "--json"));
    const hottest = [...report.analyses.hotspots.lines].sort((one, other) => other.thread_executions - one.thread_executions)[0];
    const window = await bench.open(url);
    await window.press(hottest.source);
    await window.until(() => location.hash.includes("tab=shaders"), "the tab Shaders");
    const place = await window.place();
    assert.equal(Number(place.shader), hottest.shader_id);
    assert.equal(Number(place.line), hottest.line);
    const text = await window.until(() => {
        const row = document.querySelector(".code-row.chosen");
        return row && row.querySelector(".number").textContent;
    }, "the chosen line");
    assert.equal(Number(text), hottest.line);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* A line that is chosen in the source is marked in the forms beside it. */
async function threeForms(bench) {
    const window = await openShaders(bench);
    await window.pressBeginning("raygen.rgen");
    for (const form of ["GLSL", "SPIR-V"])
        await window.press(form);
    await window.until(() => document.querySelectorAll(".shaders-form").length === 3, "three forms");
    await window.sees("SPIRV-Cross, a decompiler, made the GLSL");
    const boxes = await window.page.evaluate(() => [...document.querySelectorAll(".shaders-form")].map(one => one.getBoundingClientRect().toJSON()));
    for (const [i, box] of boxes.entries())
        assert.ok(box.width > 100 && (i === 0 || box.x >= boxes[i - 1].x + boxes[i - 1].width - 1), `form ${i} is not beside the other`);
    await window.until(() => document.querySelectorAll(".shaders-form")[2].innerText.includes("OpTraceRayKHR")
        || document.querySelectorAll(".shaders-form")[2].querySelectorAll("[role=option]").length > 20, "SPIR-V");
    await window.page.evaluate(() => [...document.querySelectorAll(".shaders-form")[0].querySelectorAll(".code-row")]
        .find(one => one.textContent.includes("traceRayEXT")).click());
    await window.until(() => document.querySelectorAll(".shaders-form")[2].querySelectorAll(".related").length > 0, "marked SPIR-V");
    const marked = await window.page.evaluate(() => [...document.querySelectorAll(".shaders-form")[2].querySelectorAll(".related")].map(one => one.textContent).join(" "));
    assert.ok(marked.includes("OpTraceRayKHR"), marked);
    await window.press("GLSL");
    await window.until(() => document.querySelectorAll(".shaders-form").length === 2, "two forms");
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* mesh.rchit includes common.glsl: a place in that file is chosen there, not at the same number of the shader's own file. */
async function includedFile(bench) {
    await served(bench);
    const report = JSON.parse(bench.command("report", path, "hotspots", "--json"));
    const line = report.analyses.hotspots.lines.find(one => one.shader === "mesh.rchit:main" && one.source.startsWith("common.glsl:"));
    const window = await bench.open(`${url}#tab=shaders&shader=${line.shader_id}&file=${encodeURIComponent(line.file)}&line=${line.line}`);
    const found = await window.until(() => {
        const row = document.querySelector(".code-row.chosen");
        return row && {number: row.querySelector(".number").textContent, executions: row.querySelector(".executions").textContent.replaceAll(/\D/g, "")};
    }, "the chosen line");
    assert.deepEqual(found, {number: String(line.line), executions: String(line.executions)});
    await window.sees("common.glsl");
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* While its heading is out of sight, the name of the file of the topmost line stands above the lines. */
async function fileStaysNamed(bench) {
    const window = await openShaders(bench);
    await window.pressBeginning("raygen.rgen");
    await window.sees("traceRayEXT");
    const named = () => {
        const file = document.querySelector(".code-file");
        const top = Math.round(file.getBoundingClientRect().top - document.querySelector(".code-body").getBoundingClientRect().top);
        return file.hidden ? "none" : `${file.textContent.split("/").at(-1)} at ${top}`;
    };
    const headings = await window.page.evaluate(() => {
        const body = document.querySelector(".code-body");
        const places = [];
        for (body.scrollTop = 0; ; body.scrollTop += body.clientHeight) {
            places.push(body.scrollTop);
            if (body.scrollTop + body.clientHeight >= body.scrollHeight)
                return places;
        }
    });
    const seen = [];
    for (const place of headings) {
        await window.page.evaluate(to => {
            document.querySelector(".code-body").scrollTop = to;
        }, place);
        await window.settles();
        seen.push(await window.page.evaluate(named));
    }
    assert.ok(seen.length > 2);
    assert.equal(seen[0], "none"); // its heading is in sight
    assert.ok(seen.slice(1).every(text => /^[a-z_]+\.[a-z]+ at 0$/.test(text)), seen.join(", "));
    assert.ok(new Set(seen.slice(1)).size > 1, seen.join(", ")); // an included file, too
    await window.close();
}

/* What probes yielded stands behind the line, in what is said of the line, and below the shader. */
async function probesBesideLines(bench) {
    const probe = "output whole: count per shader; output runs: count; entry begin { count(whole); count(runs); }";
    const capture = bench.record("probed", ["path_tracer", "--size", "32x16", "--samples", "1"], "simt_efficiency", ["-e", probe]);
    const window = await bench.open(await bench.view([capture]));
    const place = `#tab=shaders&shader=${JSON.parse(bench.command("annotate", capture, "--shader", "raygen*", "--json")).shaders[0].shader_id}`;
    await window.page.evaluate(hash => {
        location.hash = hash;
    }, place);
    const said = await window.until(() => document.querySelector(".code-row .line-yields")?.textContent, "yields beside a line");
    assert.match(said, /e\.runs 512\b/);
    await window.page.evaluate(() => document.querySelector(".code-row .line-yields").closest(".code-row").click());
    await window.until(() => document.querySelector(".shaders-details")?.innerText.includes("e.runs 512"), "yields of the line");
    assert.match(await window.until(() => document.querySelector(".shader-yields")?.textContent, "yields of the shader"), /whole shader: e\.whole 512\b/);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

/* What caches make of accesses stands beside their line, and in what is said of it: the figures of annotate. */
async function memoryBesideLines(bench) {
    const capture = bench.record("traced", ["path_tracer", "--size", "32x16", "--samples", "1"], "simt_efficiency,memory_trace");
    const {shaders} = JSON.parse(bench.command("annotate", capture, "--json"));
    const shader = shaders.find(one => one.lines.some(line => line.memory));
    const line = shader.lines.find(one => one.memory);
    const sum = name => line.memory.reduce((all, access) => all + access[name], 0);
    const window = await bench.open(`${await bench.view([capture])}#tab=shaders&shader=${shader.shader_id}&line=${line.number}`);
    const cells = await window.until(() => {
        const row = document.querySelector(".code-row.chosen");
        return row && [".requests", ".sectors", ".hits"].map(name => row.querySelector(name).innerText.replaceAll(/\s/g, ""));
    }, "the line");
    assert.deepEqual(cells.slice(0, 2), [String(sum("requests")), (sum("sectors") / sum("requests")).toFixed(2)]);
    assert.ok(Math.abs(Number.parseFloat(cells[2]) - 100 * sum("l1_hits") / sum("l1_sectors")) < 0.06, cells[2]);
    const said = await window.until(() => document.querySelector(".shaders-details")?.innerText, "what is said of the line");
    assert.ok(said.includes(`${line.memory[0].access} ${line.memory[0].buffer}: `), said);
    assert.deepEqual(window.wrong, []);
    await window.close();
}

run([memoryBesideLines, probesBesideLines, fileStaysNamed, searchFinds, hotspotLeadsToItsLine, threeForms, includedFile]);
