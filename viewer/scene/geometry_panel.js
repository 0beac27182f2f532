/* The geometry of the scene in the side panel: how it is drawn and coloured, and each instance with its geometries, to show,
 * hide and select. Of many instances a part is listed; the search finds the others. */

import {button, check, fill, labelled, make, select} from "../dom.js";
import {number, share} from "../format.js";
import {paintsOf} from "./geometry_colours.js";
import {MODES} from "./meshes.js";
import {optionsOf, setOptions} from "./scene_options.js";
import {instanceName} from "./scene_model.js";

const ROWS_MOST = 200;
const DEPTH_MOST = 64;
const USUAL_BOXES = [0, 3];

/** Whether a geometry of an instance is shown. */
export function isGeometryShown(hidden, instance, geometry) {
    return !hidden.has(String(instance)) && !hidden.has(`${instance}.${geometry}`);
}

function figureText(field, value) {
    if (value === null || value === undefined)
        return "";
    return field.kind === "share" ? share(value) : number(value);
}

/* Boxes of the model BVH, of some depths: the root's is 0. */
function boxesOf(boxes, change) {
    const [least, most] = boxes.length === 2 ? boxes : USUAL_BOXES;
    const depth = (label, value, changed) => make("input", {
        type: "number", min: 0, max: DEPTH_MOST, value, "aria-label": label, title: `${label}, from 0, which is the root`,
        on: {change: event => changed(Math.min(Math.max(Math.round(Number(event.target.value)) || 0, 0), DEPTH_MOST))},
    });
    return make("div", {class: "scene-boxes"},
        check("Boxes of the model BVH", boxes.length === 2, isShown => change(isShown ? USUAL_BOXES : [])),
        boxes.length === 2 ? [
            depth("Least depth", least, value => change([value, Math.max(value, most)])), make("span", {}, " to "),
            depth("Largest depth", most, value => change([Math.min(value, least), value])),
        ] : null);
}

const hasBoxes = model => model.rates.some(rate => rate.of === "model");

/** Makes the panel in `element`. `frame(box)` moves the camera. Returns {show()}. */
export function createGeometryPanel(element, {state, model, frame}) {
    let sought = "";
    const list = make("ul", {class: "scene-instances"});
    const search = make("input", {
        type: "search", placeholder: "name or number", "aria-label": "Search instances",
        on: {input: () => {
            sought = search.value.trim().toLowerCase();
            showList();
        }},
    });
    const controls = make("div", {class: "scene-form"});

    function toggle(key, isShown) {
        const hidden = optionsOf(state).hidden.filter(one => one !== key);
        setOptions(state, {hidden: isShown ? hidden : [...hidden, key]});
    }

    function choose(instance, geometry) {
        setOptions(state, {}, {instance, geometry, primitive: null});
    }

    function geometryRow(number_, geometry, options) {
        const {index} = model.instances[number_];
        const facts = model.contents.get(model.instances[number_].content).geometries[geometry];
        const isHere = state.get("instance") === index && state.get("geometry") === geometry;
        const field = model.fields.find(one => one.name === options.paint);
        const figure = field ? figureText(field, model.figureOf(number_, geometry)?.[field.name]) : "";
        return make("li", {},
            check("", !options.hidden.includes(`${index}.${geometry}`), isShown => toggle(`${index}.${geometry}`, isShown),
                {title: "Show"}),
            button(`geometry ${geometry}: ${number(facts.primitives)} ${facts.type === "aabbs" ? "boxes" : "triangles"}`,
                () => choose(index, geometry), {class: "quiet", "aria-pressed": String(isHere)}),
            make("span", {class: "scene-count"}, figure));
    }

    function instanceRow(number_, options) {
        const instance = model.instances[number_];
        const geometries = model.contents.get(instance.content)?.geometries ?? [];
        const isHere = state.get("instance") === instance.index;
        return make("li", {},
            make("div", {class: "scene-instance"},
                check("", !options.hidden.includes(String(instance.index)), isShown => toggle(String(instance.index), isShown),
                    {title: "Show"}),
                button(instanceName(model, number_), () => choose(instance.index, null),
                    {class: "quiet", "aria-pressed": String(isHere && state.get("geometry") === null)}),
                make("span", {class: "spring"}),
                button("Go to", () => frame(model.boxOf(number_)), {class: "quiet", title: `Look at ${instanceName(model, number_)}`})),
            geometries.length > 1 || isHere || options.paint !== "plain"
                ? make("ul", {}, geometries.map((_, geometry) => geometryRow(number_, geometry, options))) : null);
    }

    function showList() {
        const options = optionsOf(state);
        const fits = number_ => sought === "" || instanceName(model, number_).toLowerCase().includes(sought);
        const numbers = model.instances.map((_, number_) => number_).filter(fits);
        fill(list, numbers.slice(0, ROWS_MOST).map(number_ => instanceRow(number_, options)),
            numbers.length > ROWS_MOST
                ? make("li", {class: "quiet-text"}, `and ${number(numbers.length - ROWS_MOST)} more: search for them`) : null);
    }

    function show() {
        const options = optionsOf(state);
        const set = name => value => setOptions(state, {[name]: value});
        fill(controls,
            labelled("Faces", select(MODES, options.mode, set("mode"))),
            labelled("Colour by", select(paintsOf(model), options.paint, set("paint"))),
            hasBoxes(model) ? boxesOf(options.boxes, set("boxes")) : null,
            check("Box, ground and axes", options.ground, set("ground")),
            options.hidden.length > 0 ? button("Show all", () => setOptions(state, {hidden: []})) : null);
        showList();
    }

    fill(element, controls, model.instances.length > 8 ? search : null, list,
        model.leftOut.instances > 0 ? make("p", {class: "quiet-text"}, `${number(model.leftOut.instances)} instances are not drawn: `
            + "their structure is not known, their transform is not finite, or there are too many.") : null);
    return {show};
}
