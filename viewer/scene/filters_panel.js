/* Filters of rays in the side panel: for each kind of value a list with how many rays have it, as the report says, and ranges.
 * A ray is drawn where it fits every filter; of one list it needs to fit one value. Filters are the keys of the resource
 * `rays` (analysis/viewer/ray_filter.h). */

import {button, check, fill, make} from "../dom.js";
import {number} from "../format.js";
import {rangeEnds, rangeText, rectangleText, toggleValue, valuesOf} from "./ray_ranges.js";

const RANGES = [
    {key: "any_hits", title: "Any-hit runs", most: 65535},
    {key: "intersections", title: "Intersection runs", most: 65535},
    {key: "t", title: "Distance t", most: Infinity, step: "any"},
];
const CORNERS = ["left", "top", "right", "bottom"];

/** The lists of values: [{key, title, values: [{value, label, count}]}]. `calls` are those of rays.json. */
export function listsOfFilters(report, calls, capture) {
    const events = report?.analyses?.ray_events ?? {};
    const total = events.total ?? {};
    const used = new Set((report?.analyses?.advice?.advice ?? []).map(row => row.rule));
    const kinds = {pipeline: "trace", "pipeline SkipClosestHitShader": "skip_closest_hit", query: "query", "ray query": "query"};
    const shaders = new Map(calls.map(call => [call.shader_id, call.shader]));
    const instances = new Map((events.geometries ?? []).map(row => [row.instance, row.custom_index]));
    const geometries = new Set((events.geometries ?? []).map(row => row.geometry));
    return [
        {key: "end", title: "Outcome", values: ["hit", "miss", "implicit_hit", "no_shader", "unknown"].map(end => (
            {value: end, label: end.replace("_", " "), count: total[end]})).filter(one => one.count > 0)},
        {key: "kind", title: "Kind", values: (events.kinds ?? []).map(row => (
            {value: kinds[row.kind], label: row.kind, count: row.rays})).filter(one => one.value)},
        {key: "depth", title: "Depth", values: (events.depths ?? []).map(row => (
            {value: String(row.depth), label: String(row.depth), count: row.rays}))},
        {key: "site", title: "Call site", values: calls.map(call => (
            {value: String(call.site), label: call.name, count: call.rays}))},
        {key: "shader", title: "Shader that traced", values: [...shaders].map(([id, name]) => ({value: String(id), label: name}))},
        {key: "instance", title: "Instance that was hit", values: [...instances].sort((a, b) => a[0] - b[0]).map(([index, custom]) => (
            {value: String(index), label: `${index} (custom index ${custom})`}))},
        {key: "geometry", title: "Geometry of it", values: [...geometries].sort((a, b) => a - b).map(index => (
            {value: String(index), label: String(index)}))},
        {key: "rule", title: "Advice", values: (capture.rules ?? []).filter(rule => used.has(rule.name)).map(rule => (
            {value: rule.name, label: rule.title}))},
    ].filter(list => list.values.length > 1 || list.key === "rule" && list.values.length > 0);
}

/** Makes the panel in `element`. `lists` is a promise of listsOfFilters(). Returns {show()}. */
export function createFiltersPanel(element, {state, lists, fail}) {
    let known = [];
    const open = new Set();

    function set(key, value) {
        const next = {...state.get("filters"), [key]: value};
        if (value === undefined)
            delete next[key];
        state.set({filters: next, ...(key === "rule" && {rule: ""})});
    }

    function chosenOf(key) {
        const rule = key === "rule" ? state.get("rule") : "";
        return valuesOf(rule || state.get("filters")[key]);
    }

    function listRow(list) {
        const chosen = chosenOf(list.key);
        const text = chosen.join(",");
        const details = make("details", {open: open.has(list.key) || null},
            make("summary", {}, list.title, chosen.length > 0 ? make("span", {class: "scene-chosen"}, String(chosen.length)) : null),
            make("ul", {class: "scene-values"}, list.values.map(one => make("li", {},
                check(one.label, chosen.includes(one.value), isOn => set(list.key, toggleValue(text, one.value, isOn))),
                one.count === undefined ? null : make("span", {class: "scene-count"}, number(one.count))))));
        details.addEventListener("toggle", () => details.open ? open.add(list.key) : open.delete(list.key));
        return details;
    }

    function rangeRow({key, title, step}) {
        const ends = rangeEnds(state.get("filters")[key]);
        const inputs = ends.map((value, i) => make("input", {
            type: "number", min: 0, step: step ?? 1, value, placeholder: ["from", "to"][i], "aria-label": `${title}, ${["from", "to"][i]}`,
        }));
        inputs.forEach(input => input.addEventListener("change", () => set(key, rangeText(inputs[0].value, inputs[1].value))));
        return make("div", {class: "scene-range"}, make("span", {}, title), inputs);
    }

    function rectangleRow() {
        const kept = /^(\d+),(\d+)-(\d+),(\d+)$/.exec(state.get("filters").pixels ?? "")?.slice(1) ?? ["", "", "", ""];
        const inputs = kept.map((value, i) => make("input", {
            type: "number", min: 0, value, placeholder: CORNERS[i], "aria-label": `Pixels, ${CORNERS[i]}`,
        }));
        inputs.forEach(input => input.addEventListener("change", () => {
            const text = rectangleText(inputs.map(one => one.value));
            if (text !== undefined || inputs.every(one => one.value === ""))
                set("pixels", text);
        }));
        return make("div", {class: "scene-range four"}, make("span", {}, "Pixels"), inputs);
    }

    function show() {
        const chosen = Object.keys(state.get("filters")).length + (state.get("rule") ? 1 : 0);
        const focus = document.activeElement?.getAttribute("aria-label");
        fill(element,
            make("div", {class: "scene-head"}, make("h3", {}, "Filters"),
                chosen > 0 ? button("Clear all", () => state.set({filters: {}, rule: ""}), {class: "quiet"}) : null),
            known.map(listRow), RANGES.map(rangeRow), rectangleRow(),
            check("With the rays that led to them", state.get("filters").parents === "1", isOn => set("parents", isOn ? "1" : undefined)));
        if (focus)
            element.querySelector(`[aria-label="${CSS.escape(focus)}"]`)?.focus();
    }

    lists.then(found => {
        known = found;
        found.filter(list => chosenOf(list.key).length > 0).forEach(list => open.add(list.key));
        show();
    }, fail);
    return {show};
}
