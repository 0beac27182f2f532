/* Stepping through lists in the side panel (steps.js): a list's items, each one click; the keys [ and ] go to the one before
 * and the next. */

import {button, fill, make} from "../dom.js";
import {listsOf} from "./steps.js";
import {optionsOf, setOptions} from "./scene_options.js";

/** Makes the panel in `element`. `frame(item)` moves the camera to an item once it is drawn. Returns {show(), step(by)}. */
export function createStepsPanel(element, {state, launch, report, ask, frame, fail}) {
    const items = new Map(); // name of a list -> its items
    let lists = [];

    async function start() {
        try {
            lists = listsOf(await report(), launch, ask);
        } catch (error) {
            fail(error);
        }
        for (const list of lists) {
            try {
                items.set(list.name, await list.load());
            } catch (error) {
                items.set(list.name, []);
                list.error = error.message; // such as an answer that a single file does not hold
            }
        }
        show();
    }

    function go(name, at) {
        const item = items.get(name)?.[at];
        if (!item)
            return;
        setOptions(state, {list: name, at, bisect: []}, {launch, ...item.places}); // what an item says of its launch counts
        frame(item);
    }

    function step(by) {
        const {list, at} = optionsOf(state);
        const name = items.has(list) ? list : lists.find(one => items.get(one.name)?.length > 0)?.name;
        const count = items.get(name)?.length ?? 0;
        if (count > 0)
            go(name, list === name ? (at + by + count) % count : 0);
    }

    function itemRow(list, item, at, isHere) {
        return make("li", {}, button([make("span", {}, item.label), make("span", {class: "quiet-text"}, item.note)],
            () => go(list.name, at), {class: "quiet scene-item", "aria-current": isHere ? "true" : null}));
    }

    function listRow(list) {
        const options = optionsOf(state);
        const all = items.get(list.name) ?? [];
        const isOpen = options.list === list.name;
        if (list.error)
            return make("p", {class: "quiet-text"}, `${list.title}: ${list.error}`);
        const summary = make("summary", {title: list.help}, list.title, make("span", {class: "scene-count"}, String(all.length)));
        const details = make("details", {class: "scene-list", open: isOpen || null}, summary,
            make("ol", {}, all.map((item, at) => itemRow(list, item, at, isOpen && at === options.at))));
        summary.addEventListener("click", event => {
            event.preventDefault();
            setOptions(state, {list: isOpen ? "" : list.name, at: 0});
            if (!isOpen)
                go(list.name, 0); // one click leads to the first
        });
        return details;
    }

    function show() {
        const shown = lists.filter(list => list.error || (items.get(list.name)?.length ?? 0) > 0);
        fill(element,
            make("div", {class: "scene-buttons"},
                button("Previous", () => step(-1), {title: "[", "aria-keyshortcuts": "["}),
                button("Next", () => step(1), {title: "]", "aria-keyshortcuts": "]"})),
            lists.length > 0 && shown.length === 0 && items.size === lists.length
                ? make("p", {class: "quiet-text"}, "The report has nothing to step through for this launch.") : null,
            shown.map(listRow));
    }

    start();
    return {show, step};
}
