/* "Go to": finds a shader, a launch, a pipeline, a finding, a line or a table by its name, and leads there. It opens on `g`,
 * and on `/` where the view has no search of its own. Arrow keys choose, Enter goes. */

import {fill, make, newId} from "./dom.js";
import {titleOf} from "./fields.js";
import {placeOfFinding, placeOfRow} from "./places.js";

const MOST = 40;

/** All that can be gone to: [{kind, text, place}]. */
export function entriesOf(facts, report, summary, rules) {
    const {analyses} = report;
    const shaders = analyses.simt_efficiency?.shaders ?? analyses.divergence?.shaders ?? analyses.hotspots?.shaders ?? [];
    const findings = summary.analyses.summary.findings.map(finding => ({
        kind: "finding", text: [finding.title, finding.place].filter(Boolean).join(": "), place: placeOfFinding(finding, report, rules),
    }));
    const tables = Object.entries(analyses).flatMap(([analysis, results]) => Object.keys(results)
        .filter(name => Array.isArray(results[name]))
        .map(name => ({kind: "table", text: `${titleOf(analysis)}: ${titleOf(name)}`,
            place: {tab: "tables", table: `${analysis}.${name}`, sort: "", search: ""}})));
    return [
        ...shaders.map(row => ({kind: "shader", text: row.shader, place: {tab: "shaders", shader: row.shader_id, line: null}})),
        ...facts.launches.map(launch => ({
            kind: "launch", text: `${launch.index} ${[launch.label, launch.pipeline, launch.kind].filter(Boolean).join(", ")}`,
            place: {tab: launch.scene || launch.rays > 0 ? "scene" : "overview", launch: launch.index, thread: null, ray: null},
        })),
        ...findings,
        ...(analyses.hotspots?.lines ?? []).filter(row => row.line !== null).map(row => ({
            kind: "line", text: `${row.source} ${row.shader}`, place: placeOfRow("hotspots", row),
        })),
        ...tables,
    ].filter(entry => entry.place !== null);
}

/** Entries that have all words of a text, those that begin with it first. */
export function findEntries(entries, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.filter(entry => {
        const whole = `${entry.kind} ${entry.text}`.toLowerCase();
        return words.every(word => whole.includes(word));
    });
    const begins = entry => words.length > 0 && entry.text.toLowerCase().startsWith(words[0]);
    return [...found.filter(begins), ...found.filter(entry => !begins(entry))];
}

/** Opens the dialog. `entries` is a promise of what entriesOf gives. */
export async function openGoto(state, entries) {
    const list = make("ul", {role: "listbox", id: newId("goto"), "aria-label": "Places"});
    const field = make("input", {
        type: "search", placeholder: "Shader, launch, line, table …", role: "combobox", "aria-expanded": "true",
        "aria-controls": list.id, "aria-label": "Go to",
    });
    const dialog = make("dialog", {class: "goto", "aria-label": "Go to"}, field, list);
    let all = [];
    let found = [];
    let at = 0;

    function go(entry) {
        dialog.close();
        state.set(entry.place);
    }

    function draw() {
        fill(list, found.map((entry, index) => make("li", {
            role: "option", id: `${list.id}-${index}`, "aria-selected": String(index === at), on: {click: () => go(entry)},
        }, make("span", {class: "quiet-text"}, entry.kind), entry.text)));
        if (found.length === 0)
            fill(list, make("li", {class: "quiet-text"}, "Nothing has these words."));
        field.setAttribute("aria-activedescendant", found.length > 0 ? `${list.id}-${at}` : "");
        list.children[at]?.scrollIntoView({block: "nearest"});
    }

    function search() {
        found = findEntries(all, field.value).slice(0, MOST);
        at = 0;
        draw();
    }

    field.addEventListener("input", search);
    field.addEventListener("keydown", event => {
        const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (by !== undefined && found.length > 0) {
            event.preventDefault();
            at = (at + by + found.length) % found.length;
            draw();
        } else if (event.key === "Enter" && found[at]) {
            event.preventDefault();
            go(found[at]);
        }
    });
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", event => event.target === dialog && dialog.close());
    document.body.append(dialog);
    dialog.showModal();
    all = await entries;
    search();
}
