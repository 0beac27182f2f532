/* The legend over the scene: the classes that rays are in, with how many are drawn, and the scale that geometry is coloured by.
 * A class can be hidden by its checkbox, and given another colour by its swatch. */

import {mapGradient} from "../colour.js";
import {fill, make} from "../dom.js";
import {number, share} from "../format.js";

function classRow(one, {change, toggle}) {
    const swatch = make("input", {
        type: "color", value: one.colour, "aria-label": `Colour of ${one.label}`, title: "Change the colour",
        on: {change: event => change(one.name, event.target.value)},
    });
    const isShown = make("input", {type: "checkbox", checked: !one.isOff, on: {change: () => toggle(one.name)}});
    return make("li", {}, swatch, make("label", {class: "check"}, isShown, make("span", {}, one.label)),
        make("span", {class: "scene-count"}, number(one.count)));
}

/* The part of a set that can be seen: of many classes those without a drawn ray are left out. */
function listed(classes) {
    return classes.filter(one => one.count > 0 || one.isOff);
}

function scaleRows(scale) {
    const text = value => scale.kind === "share" ? share(value, 0) : number(Number(value.toPrecision(3)));
    return [
        make("h3", {title: scale.help}, scale.title),
        make("div", {class: "scene-gradient", style: {background: mapGradient(scale.map)}}),
        make("div", {class: "scene-ends"}, make("span", {}, text(scale.low)),
            make("span", {}, scale.isLogarithmic ? "logarithmic; grey: none" : "grey: none"), make("span", {}, text(scale.high))),
    ];
}

/** Makes the legend in `element`. `show({title, classes, scale, note})` fills it; `change(name, colour)` and `toggle(name)` are called. */
export function createLegend(element, actions) {
    const box = make("section", {class: "scene-legend", "aria-label": "Legend"});
    element.append(box);
    return {
        show({title, classes, scale, note}) {
            const rows = classes ? listed(classes) : [];
            box.hidden = rows.length === 0 && !scale;
            fill(box,
                rows.length > 0 ? [make("h3", {class: "scene-legend-head"}, title, make("span", {class: "scene-count"}, "drawn")),
                    make("ul", {}, rows.map(one => classRow(one, actions)))] : null,
                note && rows.length > 0 ? make("p", {class: "quiet-text"}, note) : null,
                scale ? scaleRows(scale) : null);
        },
    };
}
