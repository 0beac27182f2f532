/* How rays are drawn, in the side panel: as lines or density, how many, by what coloured; and the clouds of points. */

import {check, fill, labelled, make, select} from "../dom.js";
import {POINT_KINDS} from "./points.js";
import {COLOURINGS} from "./ray_colours.js";
import {optionsOf, setOptions} from "./scene_options.js";

const STYLES = [["lines", "Lines"], ["density", "Density of all"], ["none", "None"]];
const COUNTS = [["0", "automatic"], ...[100, 1000, 3000, 10000, 30000, 100000].map(count => [
    String(count), `up to ${count.toLocaleString("en").replaceAll(",", " ")}`])];

/** Makes the panel in `element`. Returns {show()}. */
export function createRaysPanel(element, {state}) {
    function show() {
        const options = optionsOf(state);
        const set = (name, value) => setOptions(state, {[name]: value});
        const counts = COUNTS.some(([count]) => count === String(options.count)) ? COUNTS
            : [...COUNTS, [String(options.count), `up to ${options.count}`]];
        const focus = document.activeElement?.getAttribute("data-name");
        fill(element,
            labelled("Rays", select(STYLES, options.style, value => set("style", value), {"data-name": "style"})),
            options.style === "lines"
                ? labelled("Drawn", select(counts, String(options.count), value => set("count", Number(value)), {"data-name": "count"})) : null,
            labelled("Colour by", select(COLOURINGS, state.get("colour") || (state.get("rule") ? "rule" : "end"),
                value => state.set({colour: value}), {"data-name": "colour"})),
            check("Over the geometry that hides them", options.behind, value => set("behind", value)),
            make("fieldset", {class: "scene-points"}, make("legend", {}, "Points"), POINT_KINDS.map(({name, label, colour}) => (
                make("span", {class: "scene-point"},
                    make("i", {class: "swatch", style: {background: options.colours[`point.${name}`] ?? colour}}),
                    check(label, options.points.includes(name), isOn => set("points",
                        isOn ? [...options.points, name] : options.points.filter(one => one !== name))))))));
        if (focus)
            element.querySelector(`[data-name="${CSS.escape(focus)}"]`)?.focus();
    }
    return {show};
}
