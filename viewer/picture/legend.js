/* The legend of a picture: what the colours of its figure mean. */

import {CATEGORIES, colourText, mapGradient, ZERO} from "../colour.js";
import {make, fill} from "../dom.js";
import {number, share} from "../format.js";
import {valueAt} from "./model.js";

/** A value of a figure as text. */
export function valueText(figure, value) {
    return figure.kind === "share" ? share(value) : number(value);
}

/** The ends and the middle of a range, as texts: a logarithmic one is told by its middle. */
export function legendTexts(figure, range) {
    if (!(range.high > range.low))
        return [valueText(figure, range.low)];
    const middle = Number(valueAt(.5, range).toPrecision(2));
    return [valueText(figure, range.low), valueText(figure, middle), valueText(figure, range.high)];
}

/** Makes the legend. show(figure, range, map): figure null = there is none; `zero` in it: 0 has a colour of its own (colour.js). */
export function createLegend() {
    const element = make("div", {class: "picture-legend"});
    return {
        element,
        show(figure, range, map) {
            element.hidden = figure === null || figure.kind === "colour";
            if (element.hidden)
                return;
            const unit = figure.unit === figure.title.toLowerCase() ? "" : figure.unit;
            const title = make("span", {title: figure.help}, figure.title,
                unit ? make("span", {class: "quiet-text"}, `, ${unit}`) : null);
            if (figure.kind === "id") {
                fill(element, title, make("span", {class: "picture-categories", "aria-hidden": "true"},
                    CATEGORIES.map(colour => make("i", {style: {background: colour}}))),
                make("span", {class: "quiet-text"}, `${number(figure.smallest)} to ${number(figure.largest)}, in turn`));
                return;
            }
            fill(element, title,
                figure.zero ? make("span", {class: "picture-scale picture-zero"},
                    make("i", {style: {background: colourText(ZERO)}}),
                    make("span", {class: "picture-ticks"}, make("span", {}, number(0)))) : null,
                make("span", {class: "picture-scale"},
                    make("i", {style: {background: mapGradient(map)}}),
                    make("span", {class: "picture-ticks"}, legendTexts(figure, range).map(text => make("span", {}, text)))),
                range.logarithmic ? make("span", {class: "quiet-text"}, "logarithmic") : null);
        },
    };
}
