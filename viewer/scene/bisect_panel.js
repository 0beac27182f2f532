/* Bisecting rays in the side panel: "is the ray in question among the highlighted ones?" (bisect.js). It works on all rays
 * that fit the filters, and ends at one ray. */

import {button, check, fill, make} from "../dom.js";
import {number} from "../format.js";
import {answerBisect, answersLeft, backBisect, startBisect} from "./bisect.js";
import {threadOf} from "./ray_rows.js";
import {optionsOf, setOptions} from "./scene_options.js";

/** Makes the panel in `element`. `rays` is of rays_view.js. Returns {show(), answer(isYes), back(), start()}. */
export function createBisectPanel(element, {state, rays, say}) {
    const isRunning = () => optionsOf(state).bisect.length > 0;
    const isReady = () => isRunning() && !rays.shown.isLoading && rays.shown.answer !== null && rays.shown.middle !== null;

    function start() {
        const {answer} = rays.shown;
        if (answer === null || answer.matches === 0)
            return say("no rays fit the filters: there is nothing to bisect");
        setOptions(state, {bisect: startBisect(answer.total), panel: "find"}, {thread: null, ray: null});
    }

    function answer(isYes) {
        if (isReady() && rays.shown.answer.matches > 1)
            setOptions(state, {bisect: answerBisect(optionsOf(state).bisect, rays.shown.middle, isYes)});
    }

    function end() {
        setOptions(state, {bisect: []});
    }

    function found() {
        const {columns} = rays.shown.answer;
        const ray = columns.ray[0];
        return [
            make("p", {}, `It is ray ${ray} of thread ${threadOf(rays.shown.answer, 0).join(", ")}.`),
            make("div", {class: "scene-buttons"},
                button("Show it", () => setOptions(state, {bisect: [], panel: "selected"},
                    {ray, thread: threadOf(rays.shown.answer, 0)}), {class: "primary"}),
                button("Back", back), button("Restart", start)),
        ];
    }

    function back() {
        if (isRunning())
            setOptions(state, {bisect: backBisect(optionsOf(state).bisect)});
    }

    function question(matches) {
        const options = optionsOf(state);
        const left = answersLeft(matches);
        return [
            make("p", {}, `${number(matches)} rays are left: ${left} ${left === 1 ? "question" : "questions"} more. `
                + "Is the ray in question in the highlighted half?"),
            make("div", {class: "scene-buttons"},
                button("Yes", () => answer(true), {class: "primary", title: "y", "aria-keyshortcuts": "y"}),
                button("No", () => answer(false), {title: "n", "aria-keyshortcuts": "n"}),
                button("Back", back, {disabled: options.bisect.length < 2 || null}),
                button("Restart", start), button("End", end)),
            check("Hide the other half", options.halves === "first",
                isHidden => setOptions(state, {halves: isHidden ? "first" : "both"})),
        ];
    }

    return {
        start, answer, back, isRunning,
        show() {
            const {answer: drawn} = rays.shown;
            if (!isRunning())
                return fill(element,
                    make("p", {class: "quiet-text"}, "Finds one ray among all that fit the filters: half of them are highlighted,"
                        + " and you say whether the one that you mean is among them."),
                    button("Start", start));
            if (drawn === null)
                return fill(element, make("p", {class: "quiet-text"}, "Reading …"), button("End", end));
            if (drawn.matches === 0)
                return fill(element, make("p", {}, "No ray is left: an answer was wrong."),
                    make("div", {class: "scene-buttons"}, button("Back", back), button("Restart", start), button("End", end)));
            return fill(element, drawn.matches === 1 ? found() : question(drawn.matches));
        },
    };
}
