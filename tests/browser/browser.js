/* The page in headless Chromium: captures to look at, the server and the single file, and what a user does with mouse and
 * keyboard. A test names things as the page shows them: a tab, a button, a heading. */

import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {existsSync, mkdtempSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join, resolve} from "node:path";

const [command, examples] = process.argv.slice(2);
/** Where the built examples are. */
export const examplesFolder = examples;
const PATIENCE_MS = 300_000; // until something is there, on a busy machine without a GPU: only what hangs takes as long
const SLOW = Number(process.env.SLOW ?? 1); // SLOW=12: pages run at a 12th of the speed, and their answers come 1.2 s late
const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Ends the test as skipped, with the reason. */
function skip(reason) {
    console.log(`skipped: ${reason}`);
    process.exit(77);
}

/* The driver of Chromium is an npm package, which a machine that only builds may lack. */
async function findPuppeteer() {
    try {
        return (await import("puppeteer-core")).default;
    } catch (error) {
        if (error.code !== "ERR_MODULE_NOT_FOUND")
            throw error;
        return skip("there is no npm package puppeteer-core; scripts/setup test installs it");
    }
}

/** Runs the tests of one file, each a function of the bench; its name says what holds. Failures don't stop the others. */
export async function run(tests) {
    const bench = await createBench();
    let failed = 0;
    try {
        for (const test of tests) {
            try {
                await test(bench);
                console.log(`ok ${test.name}`);
            } catch (error) {
                failed++;
                console.log(`FAILED ${test.name}: ${error.stack}`);
            }
        }
    } finally {
        await bench.end();
    }
    process.exitCode = failed > 0 ? 1 : 0;
}

async function createBench() {
    const program = process.env.CHROMIUM ?? CHROMIUM.find(existsSync);
    if (program === undefined)
        skip("there is no Chromium; scripts/setup test installs it");
    const puppeteer = await findPuppeteer();
    const folder = mkdtempSync(join(tmpdir(), "warpscope-browser-"));
    const browser = await puppeteer.launch({
        executablePath: program,
        // Chromium's sandbox refuses root, and a machine without a GPU draws by SwiftShader.
        args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"],
        defaultViewport: {width: 1280, height: 800},
        timeout: PATIENCE_MS,
        protocolTimeout: PATIENCE_MS,
    });
    const servers = [];
    return {
        folder,
        command: (...parts) => execFileSync(command, parts, {encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"]}),
        record: (name, parts, passes = "all", options = []) => record(folder, name, parts, passes, options),
        html: (captures, ...options) => writeHtml(folder, captures, options),
        async view(captures, ...options) {
            servers.push(await serve(captures, options));
            return servers.at(-1).url;
        },
        open: (url, size) => open(browser, url, size),
        openBlank: async () => ({page: await browser.newPage()}),
        async end() {
            await browser.close();
            for (const server of servers)
                server.process.kill("SIGINT");
            rmSync(folder, {recursive: true});
        },
    };
}

/** Records an example, or a program by its whole path; `parts` is its name and arguments. Returns the path of the capture. */
function record(folder, name, parts, passes, options) {
    const path = join(folder, `${name}.wscope`);
    const [program, ...rest] = parts;
    execFileSync(command, ["record", "-q", "-p", passes, ...options, "-o", path, "--", resolve(examples, program), ...rest,
        "-o", join(folder, `${name}.png`)], {stdio: ["ignore", "ignore", "inherit"]});
    return path;
}

function writeHtml(folder, captures, options) {
    const path = join(folder, `page-${captures.length}-${options.join("").replaceAll(/\W/g, "")}-${Date.now()}.html`);
    execFileSync(command, ["html", ...captures, "-o", path, ...options], {stdio: ["ignore", "ignore", "pipe"]});
    return path;
}

/** Starts `warpscope view`, and waits for the address that it prints. */
function serve(captures, options) {
    const server = spawn(command, ["view", ...captures, "--no-browser", ...options], {stdio: ["ignore", "pipe", "pipe"]});
    return new Promise((resolve, reject) => {
        let text = "";
        const listen = chunk => {
            text += chunk;
            const url = text.match(/http:\/\/127\.0\.0\.1:\d+\/\S+/)?.[0];
            if (url !== undefined)
                resolve({process: server, url});
        };
        server.stdout.on("data", listen);
        server.stderr.on("data", listen);
        server.on("exit", status => reject(new Error(`warpscope view ended with status ${status}: ${text}`)));
    });
}

/** Opens an address in a window of its own. What goes wrong in it is kept: console errors, exceptions, and requests. */
async function open(browser, url, size) {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const wrong = [];
    const requests = [];
    if (size !== undefined)
        await page.setViewport(size);
    page.on("console", message => message.type() === "error" && wordsOf(message).then(text => wrong.push(text)));
    page.on("pageerror", error => wrong.push(error.stack ?? String(error)));
    page.on("request", request => requests.push(request.url()));
    if (SLOW > 1) {
        await page.emulateCPUThrottling(SLOW);
        await page.emulateNetworkConditions({latency: 100 * SLOW, download: -1, upload: -1});
    }
    await page.evaluateOnNewDocument(watchWork);
    await page.goto(url.startsWith("/") ? `file://${url}` : url);
    const window = {page, wrong, requests, ...actions(page)};
    await window.until(() => document.querySelector("#main .panel, main .panel") !== null, "the page");
    return window;
}

/* Runs in the page before its own code: counts what it has begun and not yet ended, which are requests, answers that are being
 * read, frames that are planned, and short timers. What the page does follows from one of these, or from the user: while there
 * is none of them, nothing changes by itself. */
function watchWork() {
    const LONGEST_MS = 1000; // a note that goes after 6 s is no work
    const frames = new Set();
    const timers = new Set();
    const work = globalThis.watchedWork = {
        begun: 0, answers: 0, count: () => work.answers + frames.size + timers.size, frame: globalThis.requestAnimationFrame.bind(globalThis),
    };
    const begin = (set, id) => {
        work.begun++;
        set.add(id);
        return id;
    };
    const countsAnswers = (object, name) => {
        const own = object?.[name];
        if (own === undefined) // the clipboard of an address that is not safe
            return;
        object[name] = function counted(...parameters) {
            work.begun++;
            work.answers++;
            return own.apply(this, parameters).finally(() => work.answers--);
        };
    };
    const {setTimeout: startTimer, clearTimeout: stopTimer, cancelAnimationFrame: stopFrame} = globalThis;
    countsAnswers(globalThis, "fetch");
    countsAnswers(globalThis.Clipboard?.prototype, "writeText");
    ["arrayBuffer", "blob", "json", "text"].forEach(name => countsAnswers(Response.prototype, name));
    globalThis.requestAnimationFrame = callback => {
        const id = work.frame(now => {
            frames.delete(id);
            callback(now);
        });
        return begin(frames, id);
    };
    globalThis.cancelAnimationFrame = id => {
        frames.delete(id);
        stopFrame(id);
    };
    globalThis.setTimeout = (callback, delay, ...parameters) => {
        const id = startTimer(() => {
            timers.delete(id);
            callback(...parameters);
        }, delay);
        return (delay ?? 0) <= LONGEST_MS ? begin(timers, id) : id;
    };
    globalThis.clearTimeout = id => {
        timers.delete(id);
        stopTimer(id);
    };
}

/* Runs in the page: whether it has no work, and gets none in two frames, in which it hears of sizes, and of an address that was set. */
async function isSettled() {
    const work = globalThis.watchedWork;
    const {begun} = work;
    for (let i = 0; i < 2; i++)
        await new Promise(resolve => work.frame(resolve));
    return work.count() === 0 && work.begun === begun;
}

/* An error that was printed is a handle: its words are in the page. */
async function wordsOf(message) {
    const parts = message.args().map(part => part.evaluate(value => value?.stack ?? String(value)).catch(() => "?"));
    return parts.length > 0 ? (await Promise.all(parts)).join(" ") : message.text();
}

const pause = () => new Promise(resolve => setTimeout(resolve, 100));

/** What a user does. Each waits until the thing is there, and fails with its name. */
function actions(page) {
    async function until(holds, what, ...parameters) {
        const end = Date.now() + PATIENCE_MS;
        for (;;) {
            const value = await page.evaluate(holds, ...parameters).catch(error => {
                if (!/Execution context|detached/.test(error.message))
                    throw error;
            });
            if (value)
                return value;
            assert.ok(Date.now() < end, `not there: ${what}`);
            await pause();
        }
    }
    /* Until the page has done all that it has begun: its answers are there and drawn, the address says where it is. */
    const settles = () => until(isSettled, "a page at rest");
    /* What is above the thing moves it once it is loaded. */
    async function press(name, begins) {
        await until(middleOf, `'${name}'`, name, begins);
        await settles();
        return page.mouse.click(...await until(middleOf, `'${name}'`, name, begins));
    }
    return {
        until, settles,
        /** Waits for what holds here, not in the page. */
        async untilHere(holds, what) {
            for (const end = Date.now() + PATIENCE_MS; !await holds(); await pause())
                assert.ok(Date.now() < end, `not there: ${what}`);
        },
        /** Clicks the button, link, tab or label of that name. */
        press: name => press(name, false),
        /** The same of the first whose name begins so. */
        pressBeginning: name => press(name, true),
        /** Waits for a text anywhere on the shown page. */
        sees: text => until(sought => document.body.innerText.replaceAll(/\s+/g, " ").includes(sought), `the text '${text}'`, text),
        /** A key of the state, which the address has. */
        async place() {
            return Object.fromEntries(new URLSearchParams(new URL(await page.evaluate(() => location.href)).hash.slice(1)));
        },
        text: () => page.evaluate(() => document.body.innerText.replaceAll(/\s+/g, " ")),
        picture: path => page.screenshot({path}),
        close: () => page.close(),
    };
}

/* Runs in the page: the middle of the element of that name, once it can be clicked; null = there is none yet. The name is all that
 * the element shows, or its label, or with `begins` how that begins. */
function middleOf(name, begins) {
    const named = text => text !== null && (text.trim() === name || (begins && text.trim().startsWith(name)));
    const elements = document.querySelectorAll("button, a, summary, label, [role=tab], [role=button], td, li, option");
    const element = [...elements].find(one => one.getClientRects().length > 0
        && (named(one.textContent) || named(one.getAttribute("aria-label"))));
    element?.scrollIntoView({block: "center"});
    const box = element?.getClientRects()[0]; // of its first line
    if (box === undefined)
        return null;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    return element.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
}
