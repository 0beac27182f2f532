/* Filters of rays in the side panel: for each kind of value a list with how many rays of the launch have it (rays.json), and ranges.
 * A ray is drawn where it fits every filter; of one list it needs to fit one value. Filters are the keys of the resource
 * `rays` (analysis/viewer/ray_filter.h). */

import {button, check, fill, make} from "../dom.js";
import {number} from "../format.js";
import {rangeEnds, rangeText, rectangleText, toggleValue, valuesOf} from "./ray_ranges.js";
import {indexName} from "./scene_model.js";

const RANGES = [
    {key: "any_hits", title: "Any-hit runs", most: 65535},
    {key: "intersections", title: "Intersection runs", most: 65535},
    {key: "t", title: "Distance t", most: Infinity, step: "any"},
];
const GEOMETRIES_MOST = 200; // listed
const CORNERS = ["left", "top", "right", "bottom"];

const ENDS = {hit: "hit", miss: "miss", implicit_hit: "implicit hit", no_shader: "no shader", unknown: "unknown"};
const KINDS = {trace: "traceRay", skip_closest_hit: "traceRay without closest hit", query: "ray query"};

/**
 * The lists of values: [{key, title, values: [{value, label, count}]}]. `counts` is rays.json of the launch without filters,
 * `model` of scene_model.js, `rules` those of capture.json.
 */
export function listsOfFilters(counts, model, rules) {
    const named = (names, of) => Object.entries(names).map(([value, label]) => ({value, label, count: of[value]}));
    const shaders = new Map(counts.sites.map(site => [site.shader_id, site.shader]));
    const geometries = new Set([...model.contents.values()].flatMap(content => content.geometries.map((_, geometry) => geometry)));
    const instances = counts.instances.map(({instance, rays}) => {
        return {value: String(instance), label: indexName(model, instance), count: rays};
    });
    const advised = counts.rules.map(({rule, rays}) => (
        {value: rule, label: rules.find(one => one.name === rule)?.title ?? rule, count: rays}));
    return [
        {key: "end", title: "Outcome", values: named(ENDS, counts.ends).filter(one => one.count > 0)},
        {key: "kind", title: "Kind", values: named(KINDS, counts.kinds).filter(one => one.count > 0)},
        {key: "depth", title: "Depth", values: counts.depths.map((count, depth) => (
            {value: String(depth), label: String(depth), count})).filter(one => one.count > 0)},
        {key: "site", title: "Call site", values: counts.sites.map(site => (
            {value: String(site.site), label: site.name, count: site.rays}))},
        {key: "shader", title: "Shader that traced", values: [...shaders].map(([id, name]) => ({value: String(id), label: name}))},
        {key: "instance", title: "Instance that was hit", values: instances},
        {key: "geometry", title: "Geometry that was hit", values: [...geometries].slice(0, GEOMETRIES_MOST).map(index => (
            {value: String(index), label: String(index)}))},
        {key: "rule", title: "Advice", values: advised},
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
