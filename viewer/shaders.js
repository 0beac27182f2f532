/* Shaders: the source of each with its figures beside the lines, and its GLSL and SPIR-V side by side with it. A click on a line
 * marks what belongs to it in the other forms.
 *
 * The state has `shader`, `file` and `line` (of the source), `as` (the forms that are shown; "" = the one that is best read), and
 * `shaders`: {search, row and form (a line that is chosen in a form without line numbers), block and part (a block by its label)}. */

import {CAUSE_COLOURS} from "./colour.js";
import {legend} from "./chart.js";
import {button, check, fill, make, newId} from "./dom.js";
import {share} from "./format.js";
import {createCode} from "./shaders/code.js";
import {showDetails} from "./shaders/details.js";
import {orderShaders, showList} from "./shaders/list.js";
import {causesOf, hottest, nextHot, relatedRows, rowOfBlock, rowsOfPlace, searchRows, shownLine, withFiles, yieldText} from "./shaders/model.js";

const FORMS = [["source", "Source"], ["glsl", "GLSL"], ["spirv", "SPIR-V"]];

/** Makes the view (views.js). */
export function createShaders(element, context) {
    const {state} = context;
    const it = {context, state, shaders: [], best: null, forms: new Map(), codes: new Map(), calls: [], turn: 0, size: 0, shown: null};
    layOut(it, element);
    const ends = [
        state.subscribe(["shader"], () => open(it)),
        state.subscribe(["as"], () => openForms(it)),
        state.subscribe(["line", "file", "shaders"], () => it.codes.size > 0 && mark(it, chosenRow(it).row >= 0)),
    ];
    context.keys("Shaders", [
        {key: "n", help: "the next line by heat, the hottest first", action: () => goHot(it, 1)},
        {key: "p", help: "the line before it by heat", action: () => goHot(it, -1)},
        {key: "]", help: "the next line that the search found", action: () => goFound(it, 1)},
        {key: "[", help: "the one before", action: () => goFound(it, -1)},
        {key: "ArrowUp", help: "from line to line, where the lines have the focus"},
        {key: "ArrowDown", help: ""},
    ]);
    start(it).catch(error => {
        fill(it.panes, make("p", {class: "empty"}, error.message));
        context.fail(error);
    });
    return {
        destroy() {
            it.turn++;
            ends.forEach(end => end());
            closeForms(it);
        },
    };
}

function layOut(it, element) {
    it.list = make("nav", {class: "shaders-list", "aria-label": "Shaders"});
    it.head = make("div", {class: "toolbar shaders-head"});
    it.panes = make("div", {class: "shaders-forms"}, make("p", {class: "empty"}, "Reading the shaders …"));
    it.foot = make("div", {class: "shaders-foot"});
    it.details = make("aside", {class: "shaders-details", "aria-label": "The chosen line"});
    it.field = make("input", {type: "search", placeholder: "Search in the lines", id: newId("search"), size: 14,
        "aria-label": "Search in the lines"});
    it.field.value = it.state.get("shaders").search ?? "";
    it.field.addEventListener("input", () => {
        change(it, {search: it.field.value || undefined});
    });
    it.field.addEventListener("keydown", event => {
        if (event.key === "Enter") {
            event.preventDefault();
            goFound(it, event.shiftKey ? -1 : 1);
        }
    });
    it.found = make("span", {class: "quiet-text", role: "status"});
    fill(element, make("div", {class: "shaders-view"}, it.list,
        it.details, make("div", {class: "shaders-main"}, it.head, it.panes, it.foot)));
}

/* Changes members of the state's `shaders`; undefined takes one away. */
function change(it, changes, more = {}) {
    const next = {...it.state.get("shaders"), ...changes};
    it.state.set({shaders: Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)), ...more});
}

async function start(it) {
    const {context} = it;
    const [{shaders}, report] = await Promise.all([context.data.json("shaders.json", {}, context.key), context.report()]);
    it.shaders = orderShaders(shaders);
    it.size = Math.max(0, ...(report.capture.devices ?? []).map(device => device.subgroup_size ?? 0));
    it.report = report;
    await open(it);
}

function chosenShader(it) {
    return it.shaders.find(one => one.shader_id === it.state.get("shader")) ?? it.shaders[0];
}

/* Shows the shader that is chosen. */
async function open(it) {
    const shader = chosenShader(it);
    if (shader && it.best !== null && it.shown === shader.shader_id)
        return; // a line of the shader that is shown without being chosen was chosen
    const mine = ++it.turn;
    closeForms(it);
    it.shown = shader?.shader_id;
    if (!shader) {
        fill(it.panes, make("p", {class: "empty"}, "This capture has no shaders."));
        return;
    }
    showList(it.list, it.shaders, shader.shader_id, one => it.state.set({
        shader: one.shader_id, line: null, file: "", shaders: {}}));
    it.forms = new Map();
    it.best = null;
    it.calls = [];
    try {
        const best = await ask(it, shader, "best");
        if (mine !== it.turn)
            return;
        it.forms.set(best.form, withFiles(best));
        it.best = best.form;
        await openForms(it);
        await findCalls(it, shader, mine);
    } catch (error) {
        if (mine !== it.turn)
            return;
        closeForms(it);
        fill(it.head);
        fill(it.details);
        fill(it.panes, make("p", {class: "empty"}, error.message));
    }
}

function ask(it, shader, form) {
    return it.context.data.json("shader.json", {shader: shader.shader_id, as: form}, it.context.key);
}

/** The forms that the state asks for; the best one where it asks for none. */
function wantedForms(it) {
    const wanted = it.state.get("as").split(",").filter(name => FORMS.some(([form]) => form === name));
    return wanted.length > 0 ? FORMS.map(([name]) => name).filter(name => wanted.includes(name)) : [it.best];
}

function closeForms(it) {
    it.codes.forEach(code => code.destroy());
    it.codes = new Map();
}

/* Shows the forms that are asked for, side by side; one that cannot be had says why. */
async function openForms(it) {
    if (it.best === null)
        return;
    const mine = it.turn;
    const shader = chosenShader(it);
    const wanted = wantedForms(it);
    const answers = await Promise.all(wanted.map(async form => it.forms.get(form) ?? await ask(it, shader, form).then(withFiles, error => error)));
    if (mine !== it.turn || String(wanted) !== String(wantedForms(it)))
        return;
    closeForms(it);
    fill(it.panes);
    it.panes.classList.toggle("several", wanted.length > 1);
    wanted.forEach((form, index) => {
        const pane = make("section", {class: "shaders-form", "aria-label": FORMS.find(([name]) => name === form)[1]});
        it.panes.append(pane);
        if (answers[index] instanceof Error) {
            fill(pane, make("p", {class: "empty"}, answers[index].message));
            return;
        }
        it.forms.set(form, answers[index]);
        it.codes.set(form, createCode(pane, answers[index], {size: it.size, choose: row => chooseRow(it, form, row)}));
    });
    drawHead(it, shader, wanted);
    drawFoot(it);
    mark(it, true);
}

function drawHead(it, shader, wanted) {
    const first = it.forms.get(it.best);
    const toggle = form => {
        const next = wanted.includes(form) ? wanted.filter(one => one !== form) : [...wanted, form];
        it.state.set({as: next.length === 0 || String(next) === it.best ? "" : next.join(",")});
    };
    const facts = [shader.stage.replace("_", " "), first.efficiency === null ? first.doubt : `${share(first.efficiency)} full`,
        shader.share === null ? null : `${share(shader.share)} of all slots`, first.instrumented ? null : "not instrumented"];
    fill(it.head,
        make("h2", {title: `module ${first.module}`}, shownLine(first.shader)),
        make("span", {class: "quiet-text"}, facts.filter(Boolean).join(", ")),
        make("span", {class: "spring"}),
        FORMS.map(([form, title]) => check(title, wanted.includes(form), () => toggle(form))),
        it.field, it.found,
        button("Hottest line", () => goHot(it, 1), {title: "The next line by heat, the hottest first (n; back: p)"}));
}

function yieldsBeside(title, yields) {
    return yields ? make("div", {class: "shader-yields"}, title, yields.map(yieldText).join(", ")) : null;
}

function drawFoot(it) {
    const used = new Map();
    it.codes.forEach((_, form) => it.forms.get(form).lines.forEach(line => causesOf(line).forEach(cause => used.set(cause.name, cause.label))));
    const form = it.forms.get([...it.codes.keys()][0]);
    fill(it.foot, it.codes.has("glsl") ? make("div", {class: "quiet-text"},
        "SPIRV-Cross, a decompiler, made the GLSL of the module's SPIR-V: it is not the shader's own text.") : null,
    used.size > 0 ? legend([...used].map(([name, label]) => [label, CAUSE_COLOURS[name]])) : null,
        yieldsBeside("Probes, of the whole shader: ", form?.yields),
        yieldsBeside("Probes, at places without a line here: ", form?.yields_elsewhere));
}

/* The form and row that are chosen: {form, row}; row -1 = none. */
function chosenRow(it) {
    const {row, form, block, part} = it.state.get("shaders");
    const forms = [...it.codes.keys()];
    const line = it.state.get("line");
    const [first] = forms;
    if (line !== null) {
        const shown = forms.includes("source") ? "source" : first;
        return {form: shown, row: shown ? rowsOfPlace(it.forms.get(shown), it.state.get("file"), line)[0] ?? -1 : -1};
    }
    if (typeof block === "number" && first)
        return {form: first, row: rowOfBlock(it.forms.get(first), block, part ?? null)};
    return forms.includes(form) && typeof row === "number" ? {form, row} : {form: first, row: -1};
}

function chooseRow(it, form, row) {
    const answer = it.forms.get(form);
    const line = answer.lines[row];
    const none = {row: undefined, form: undefined, block: undefined, part: undefined};
    if (form === "source" && line.number !== undefined)
        change(it, none, {line: line.number, file: answer.files[line.file]?.name ?? "", shader: answer.shader_id});
    else
        change(it, {...none, row, form}, {line: null, file: "", shader: answer.shader_id});
}

/* Marks the chosen line in all forms, and what was found. */
function mark(it, reveal) {
    if (it.codes.size === 0)
        return;
    const {form, row} = chosenRow(it);
    const chosen = it.forms.get(form);
    const search = it.state.get("shaders").search ?? "";
    it.codes.forEach((code, name) => {
        const isForm = name === form;
        const related = row < 0 ? [] : isForm ? relatedHere(it, name) : relatedRows(chosen, row, it.forms.get(name));
        const wanted = row < 0 ? hottest(it.forms.get(name))[0] : isForm ? row : related[0];
        const revealed = reveal ? wanted ?? -1 : -1;
        code.show({chosen: isForm ? row : -1, related, search, revealed});
    });
    const found = search === "" ? [] : searchRows(it.forms.get(form), search);
    it.found.textContent = search === "" ? "" : found.length === 1 ? "1 line" : `${found.length} lines`;
    if (it.field.value !== search && document.activeElement !== it.field)
        it.field.value = search;
    showDetails(it.details, it.state, chosen, row, sitesOf(it, chosen, row));
}

/* Of a line that is looked for in a form without line numbers all rows belong to it. */
function relatedHere(it, form) {
    const line = it.state.get("line");
    return line !== null && form !== "source" ? rowsOfPlace(it.forms.get(form), it.state.get("file"), line) : [];
}

function goHot(it, by) {
    const {form, row} = chosenRow(it);
    if (!form)
        return;
    const next = nextHot(hottest(it.forms.get(form)), row, by);
    if (next >= 0)
        chooseRow(it, form, next);
}

function goFound(it, by) {
    const {form, row} = chosenRow(it);
    const found = form ? searchRows(it.forms.get(form), it.state.get("shaders").search ?? "") : [];
    if (found.length === 0)
        return;
    const next = by > 0 ? found.find(one => one > row) ?? found[0] : found.findLast(one => one < row) ?? found.at(-1);
    chooseRow(it, form, next);
}

/* The call sites of the shader whose rays were recorded, of the chosen launch, else of the first that has rays. */
async function findCalls(it, shader, mine) {
    const {context, state} = it;
    const {launches} = context.facts;
    const launch = launches.find(one => one.index === state.get("launch") && one.rays > 0) ?? launches.find(one => one.rays > 0);
    if (!launch || !context.data.has("rays.json", {launch: launch.index}, context.key))
        return;
    try {
        const answer = await context.data.json("rays.json", {launch: launch.index}, context.key);
        if (mine !== it.turn)
            return;
        it.calls = answer.sites.filter(site => site.shader_id === shader.shader_id && site.rays > 0)
            .map(site => ({...site, launch: launch.index}));
        mark(it, false);
    } catch {
        // Without the call sites a line has no way to its rays.
    }
}

/* Those of a line. Two files of one name are told apart by nothing else. */
function sitesOf(it, form, row) {
    const line = form?.lines[row];
    if (!line || line.number === undefined)
        return [];
    const file = name => (name ?? "").split("/").at(-1);
    const mine = call => call.line === line.number && file(call.file) === file(form.files[line.file]?.name);
    return it.calls.filter(mine).map(call => ({
        name: call.name,
        place: {tab: "scene", launch: call.launch, filters: {site: String(call.site)}, thread: null, ray: null},
    }));
}
