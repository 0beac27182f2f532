/* Panes side by side, or one above the other, whose borders can be moved (by mouse, or with the arrow keys when they have
 * the focus) and which can be folded to their title. Sizes and folds are kept in the state (key `panes`), so a link
 * restores them:
 *
 *     {"scene": [0.65, 0.35], "scene.folded": ["thread"]}
 *
 * Panes are made by their own content: `pane.body` is the element that a view fills, `pane.tools` a place in the title for
 * its controls. */

import {button, fill, make} from "./dom.js";

const STEP = 0.02;
const LEAST = 0.1; // no pane becomes smaller than this part of all

function sharesOf(state, name, panes) {
    const kept = state.get("panes")[name];
    const fits = Array.isArray(kept) && kept.length === panes.length && kept.every(share => share >= LEAST / 2);
    return fits ? kept : panes.map(pane => pane.size);
}

function foldedOf(state, name, panes) {
    const kept = state.get("panes")[`${name}.folded`];
    if (Array.isArray(kept))
        return new Set(kept);
    return new Set(panes.filter(pane => pane.folded).map(pane => pane.name));
}

function makePane(pane, toggle) {
    const fold = button("", () => toggle(pane.name), {class: "fold"});
    const tools = make("div", {class: "pane-tools"});
    const body = make("div", {class: "pane-body"});
    const element = pane.title
        ? make("section", {class: "pane", "aria-label": pane.title},
            make("header", {class: "pane-title"}, fold, make("h2", {}, pane.title), tools), body)
        : make("div", {class: "pane"}, body);
    return {...pane, element, body, tools, fold};
}

/**
 * Splits `element` into panes. `options`: {state, name (of this split in the state), direction ("row" or "column"), panes:
 * [{name, title, size (its part of 1), folded}]}. A pane without a title cannot be folded. Returns {panes: {NAME: {body,
 * tools, element}}, destroy()}.
 */
export function createSplit(element, {state, name, direction, panes}) {
    const made = panes.map(pane => makePane(pane, toggle));
    const bars = made.slice(1).map((pane, index) => makeBar(index));
    element.classList.add("split", direction);
    fill(element, made.map((pane, index) => [index > 0 ? bars[index - 1] : null, pane.element]));

    function toggle(which) {
        const folded = foldedOf(state, name, panes);
        if (!folded.delete(which))
            folded.add(which);
        state.set({panes: {...state.get("panes"), [`${name}.folded`]: [...folded]}});
    }

    /* Moves the border behind pane `index` by a part of all. */
    function move(index, by) {
        const shares = [...sharesOf(state, name, panes)];
        const both = shares[index] + shares[index + 1];
        shares[index] = Math.min(Math.max(shares[index] + by, LEAST), both - LEAST);
        shares[index + 1] = both - shares[index];
        const rounded = shares.map(share => Math.round(share * 1000) / 1000);
        state.set({panes: {...state.get("panes"), [name]: rounded}});
    }

    function makeBar(index) {
        const row = direction === "row";
        const bar = make("div", {
            class: "split-bar", role: "separator", tabindex: "0", "aria-orientation": row ? "vertical" : "horizontal",
            "aria-label": `Border between ${panes[index].name} and ${panes[index + 1].name}`,
            title: "Drag, or move with the arrow keys",
        });
        bar.addEventListener("keydown", event => {
            const by = {ArrowLeft: -STEP, ArrowUp: -STEP, ArrowRight: STEP, ArrowDown: STEP}[event.key];
            if (by !== undefined) {
                event.preventDefault();
                event.stopPropagation();
                move(index, by);
            }
        });
        bar.addEventListener("pointerdown", event => {
            event.preventDefault();
            bar.setPointerCapture(event.pointerId);
            const whole = row ? element.clientWidth : element.clientHeight;
            let last = row ? event.clientX : event.clientY;
            const drag = moved => {
                const at = row ? moved.clientX : moved.clientY;
                move(index, (at - last) / whole);
                last = at;
            };
            bar.addEventListener("pointermove", drag);
            bar.addEventListener("pointerup", () => bar.removeEventListener("pointermove", drag), {once: true});
        });
        return bar;
    }

    function show() {
        const shares = sharesOf(state, name, panes);
        const folded = foldedOf(state, name, panes);
        for (const [index, pane] of made.entries()) {
            const isFolded = Boolean(pane.title) && folded.has(pane.name);
            pane.element.classList.toggle("folded", isFolded);
            // A sum of less than 1, as when others are folded, would leave room.
            pane.element.style.setProperty("flex-grow", isFolded ? "0" : String(100 * shares[index]));
            pane.body.hidden = isFolded;
            pane.fold.setAttribute("aria-expanded", String(!isFolded));
            pane.fold.setAttribute("aria-label", `${isFolded ? "Unfold" : "Fold"} ${pane.title ?? ""}`);
            pane.fold.title = isFolded ? "Unfold" : "Fold";
        }
        for (const [index, bar] of bars.entries()) {
            bar.hidden = folded.has(made[index].name) || folded.has(made[index + 1].name);
            bar.setAttribute("aria-valuenow", String(Math.round(100 * shares[index])));
        }
    }

    show();
    const end = state.subscribe(["panes"], show);
    return {panes: Object.fromEntries(made.map(pane => [pane.name, pane])), destroy: end};
}
