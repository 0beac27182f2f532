/* Overview: what the capture is, what is most worth knowing in it, and where that is. */

import {fill, make} from "./dom.js";

export function createOverview(element, context) {
    fill(element, make("div", {class: "overview"}, make("h1", {}, context.facts.capture.file)));
}
