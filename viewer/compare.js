/* Compare: what changed from the first capture (A) to the second (B), as `warpscope diff` finds it: advice that is gone or new,
 * the figures that changed, most important first, shaders, and the two scenes side by side, seen by one camera. */

import {fill, make} from "./dom.js";
import {fieldHelp, titleOf} from "./fields.js";
import {counted, number, ratio, share, time} from "./format.js";
import {createScene, launchesWithScene} from "./scene/scene.js";
import {createTable} from "./table.js";

const isTime = figure => figure.figure.endsWith("_ns");

/* A value as the text report shows it. */
function shownValue(figure, value) {
    if (figure.points)
        return share(value);
    if (isTime(figure))
        return time(value);
    return Number.isInteger(value) ? number(value) : ratio(value);
}

/* "+5.3 %", of shares "+5.3 points", "from 0" */
function changeText(figure) {
    if (figure.change === null)
        return "from 0";
    const percent = 100 * figure.change;
    return `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(Math.abs(percent) < 0.1 ? 2 : 1)} ${figure.points ? "points" : "%"}`;
}

/* "ray events: any hits"; what it is, and its whole name, which options want, when the pointer rests on it. */
function figureName({figure}, schema) {
    const [analysis, table, ...field] = figure.split(".");
    if (field.length === 0)
        return figure;
    const help = fieldHelp(schema, analysis, table, field.join("."));
    return make("span", {title: [help, figure].filter(Boolean).join("\n")}, `${titleOf(analysis)}: ${titleOf(field.join(".").replaceAll(".", " "))}`);
}

function effectMark(figure) {
    return figure.effect ? make("span", {class: `effect-${figure.effect}`}, figure.effect) : "";
}

const figureColumns = schema => [
    {name: "place", title: "place", kind: "text", long: true, value: figure => figure.row || "the whole capture"},
    {name: "figure", kind: "text", show: figure => figureName(figure, schema),
        help: "what it is, and its name ANALYSIS.TABLE.FIELD for --fail-if, stand in its tooltip"},
    {name: "a", title: "A", kind: "number", show: figure => shownValue(figure, figure.a)},
    {name: "b", title: "B", kind: "number", show: figure => shownValue(figure, figure.b)},
    {name: "change", kind: "number", show: changeText, help: "of shares in points, of others in percent of A"},
    {name: "effect", title: "", kind: "text", show: effectMark},
    {name: "importance", kind: "share", help: "the row's share of the work, times the change"},
];

/* "path.rgen:12", or "path.rgen:12 → 14" where the line moved. */
function lineName({file, a_line: a, b_line: b}) {
    const numbers = a === null || b === null || a === b ? String(a ?? b) : `${a} → ${b}`;
    return `${file.split("/").at(-1)}:${numbers}`;
}

/* The text of a line; both where it changed. */
function lineText({a_text: a, b_text: b}) {
    return make("code", {}, a !== null && b !== null && a !== b ? [make("del", {}, a), make("br"), make("ins", {}, b)] : a ?? b ?? "");
}

const LINE_COLUMNS = [
    {name: "state", title: "text", kind: "text", show: line => make("span", {class: `state-${line.state}`}, line.state)},
    {name: "shader", kind: "text"},
    {name: "line", kind: "text", value: lineName, help: "its number in A; in B where that is another"},
    {name: "source", kind: "text", value: line => line.b_text ?? line.a_text ?? "", show: lineText, wrap: true},
    {name: "a_executions", title: "executions in A", kind: "count", help: "by threads"},
    {name: "b_executions", title: "in B", kind: "count"},
    {name: "a_efficiency", title: "efficiency in A", kind: "share", help: "active lanes / lanes"},
    {name: "b_efficiency", title: "in B", kind: "share"},
];

const ADVICE_COLUMNS = [
    {name: "state", title: "", kind: "text", show: piece => make("span", {class: `state-${piece.state}`}, piece.state)},
    {name: "title", title: "recommendation", kind: "text"},
    {name: "subject", kind: "text", wrap: true},
    {name: "saves", kind: "text", value: piece => titleOf(piece.saves)},
    {name: "a_saving", title: "in A", kind: "count"},
    {name: "b_saving", title: "in B", kind: "count"},
    {name: "a_share", title: "of A's work", kind: "share"},
    {name: "b_share", title: "of B's work", kind: "share"},
];

const SHADER_COLUMNS = [
    {name: "state", title: "", kind: "text"},
    {name: "a", title: "A", kind: "text"},
    {name: "b", title: "B", kind: "text"},
    {name: "stage", kind: "text"},
    {name: "same_code", title: "same code", kind: "flag", help: "module and entry point are the same"},
];

function section(title, help, content) {
    const id = `compare-${title.toLowerCase().replaceAll(" ", "-")}`;
    return make("section", {class: "overview-section", "aria-labelledby": id},
        make("header", {}, make("h2", {id}, title), make("p", {class: "quiet-text"}, help)), content);
}

/* What the two are, and how far to trust the comparison. */
function headOf(diff) {
    const rows = [["A", `${diff.a.file}: ${diff.a.command_line}`], ["B", `${diff.b.file}: ${diff.b.command_line}`]];
    rows.push(["settings", diff.settings.map(one => `${one.what}: ${one.a || "(none)"} → ${one.b || "(none)"}`).join("; ")
        || "the same passes, settings, device, frames and launches"]);
    if (diff.scale.per !== "capture")
        rows.push(["counts", `are per ${diff.scale.per}: A has ${diff.scale.a}, B has ${diff.scale.b}`]);
    if (diff.noise.times !== null)
        rows.push(["times", `change by noise up to ${share(diff.noise.times)}`]);
    else if (!diff.noise.times_known)
        rows.push(["times", "are not compared: how much they change by noise is known from five frames of both"]);
    if (diff.noise.sampled)
        rows.push(["samples", diff.noise.sampled_alike ? "records are of some threads, the same in A and B"
            : "records are of other threads in A than in B: only shares are compared"]);
    return make("dl", {class: "facts"}, rows.map(([name, text]) => make("div", {}, make("dt", {}, name), make("dd", {}, text))));
}

function countsOf(diff) {
    const sum = name => diff.tables.reduce((all, table) => all + table[name], 0);
    return `${counted(sum("changed"), "figure")} changed, ${sum("small")} by less than ${share(diff.least)}, `
        + `${sum("noise")} within the noise, ${sum("equal")} did not; `
        + `${sum("only_a_count")} rows are only in A, ${sum("only_b_count")} only in B`;
}

/* The state as the scene of B sees it: launches have other numbers there. All else, the camera too, is shared. */
function stateOfB(state, launches) {
    const toB = new Map(launches.map(pair => [pair.a, pair.b]));
    const toA = new Map(launches.map(pair => [pair.b, pair.a]));
    const turned = (changes, numbers) => Object.hasOwn(changes, "launch")
        ? {...changes, launch: numbers.get(changes.launch) ?? null} : changes;
    return {
        ...state,
        get: name => name === "launch" ? toB.get(state.get("launch")) ?? null : state.get(name),
        set: (changes, ...rest) => state.set(turned(changes, toA), ...rest),
    };
}

/* Both scenes, where both captures have one. Returns null otherwise. */
function createScenes(context, diff) {
    const factsOf = key => context.capture.captures.find(one => one.key === key);
    if (["a", "b"].some(key => launchesWithScene(factsOf(key)).length === 0))
        return null;
    const places = ["a", "b"].map(key => make("div", {class: "compare-scene", "aria-label": `Scene of ${key.toUpperCase()}`}));
    const views = ["a", "b"].map((key, i) => createScene(places[i], {
        ...context, key, facts: factsOf(key),
        report: () => context.data.json("report.json", {}, key),
        summary: () => context.data.json("summary.json", {}, key),
        state: key === "a" ? context.state : stateOfB(context.state, diff.launches),
        keys: key === "a" ? context.keys : () => {},
    }));
    return {
        content: make("div", {class: "compare-scenes"}, places),
        destroy: () => views.forEach(view => view.destroy?.()),
    };
}

function tableOf(context, label, columns, rows, options = {}) {
    return createTable({label, columns, rows, most: 12, lead: columns[0].name, say: context.say, tools: rows.length > 12, ...options});
}

/* Makes all sections; what is to be destroyed goes to `ends`. */
function sectionsOf(context, diff, schema, ends) {
    const sections = [headOf(diff)];
    const add = (title, help, label, columns, rows, options) => {
        if (rows.length === 0)
            return;
        const table = tableOf(context, label, columns, rows, options);
        ends.push(table.destroy);
        sections.push(section(title, help, table.element));
    };
    const main = diff.figures.filter(figure => figure.row === "" && figure.main);
    const order = ["gone", "new", "changed", "same"];
    const advice = [...diff.advice].sort((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
    add("Advice", "gone, new, changed, and the same", "Advice", ADVICE_COLUMNS, advice);
    add("The whole capture", "the main figures that changed", "Main figures", figureColumns(schema).slice(1, -1), main);
    const scenes = createScenes(context, diff);
    if (scenes) {
        ends.push(scenes.destroy);
        sections.push(section("Scenes",
            "A at the left, B at the right; one camera moves both, and the tab Scene says what is drawn", scenes.content));
    }
    add("Shaders", "by their content, then by name", "Shaders", SHADER_COLUMNS, diff.shaders.filter(one => one.state !== "same"));
    add("Lines", "whose text or figures changed, those first whose executions changed most", "Changed lines", LINE_COLUMNS, diff.lines);
    add("All changes", countsOf(diff), "All changes", figureColumns(schema), diff.figures, {most: 50, tools: true});
    if (diff.figures.length === 0)
        sections.push(make("p", {class: "empty"}, "Nothing changed: ", countsOf(diff)));
    return sections;
}

/** Makes the view (views.js). */
export function createCompare(element, context) {
    const ends = [];
    let isGone = false;
    if (context.capture.captures.length < 2) {
        fill(element, make("p", {class: "empty"}, "There is one capture. Two are compared by: warpscope view BEFORE AFTER"));
        return {};
    }
    const place = make("div", {class: "overview compare"}, make("p", {class: "empty"}, "Comparing …"));
    fill(element, place);

    async function show() {
        try {
            const [diff, schema] = await Promise.all([context.data.json("diff.json"), context.schema()]);
            if (!isGone)
                fill(place, sectionsOf(context, diff, schema, ends));
        } catch (error) {
            fill(place, make("p", {class: "empty"}, `The captures cannot be compared: ${error.message}`));
            context.fail(error);
        }
    }

    show();
    return {
        destroy() {
            isGone = true;
            ends.forEach(end => end());
        },
    };
}
