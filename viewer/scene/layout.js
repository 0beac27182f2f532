/* The elements of the scene: the canvas with what lies over it, the toolbar, and the side with its panels. No three.js here. */

import {button, fill, make, newId, select} from "../dom.js";
import {optionsOf, setOptions} from "./scene_options.js";

const PANELS = [["rays", "Rays"], ["geometry", "Geometry"], ["find", "Find"], ["selected", "Selected"]];

/* Keys that count while the scene's tab is shown; those of the canvas count while it has the focus. */
const KEYS = [
    {key: "c", name: "camera", help: "look from the launch's own camera"},
    {key: "h", name: "all", help: "see everything"},
    {key: "f", name: "selection", help: "go to what is selected"},
    {key: "[", name: "previous", help: "previous of the list"},
    {key: "]", name: "next", help: "next of the list"},
    {key: "y", name: "yes", help: "bisect: it is among the highlighted rays"},
    {key: "n", name: "no", help: "bisect: it is not"},
    {key: "v", name: "fly", help: "fly, or orbit again"},
    {key: ",", name: "ray-before", help: "ray before the selected one, of its thread"},
    {key: ".", name: "ray-next", help: "next ray of the thread"},
    {key: "Arrow keys", help: "on the scene: turn; with Shift move"},
    {key: "+ -", help: "on the scene: zoom, as the wheel does"},
    {key: "Enter", help: "on the scene: pick what is in the middle"},
    {key: "w a s d q e", help: "on the scene: fly"},
];
const CANVAS_KEYS = "Arrow keys turn, with Shift they move; plus and minus zoom; Enter picks what is in the middle. "
    + "Flying, W A S D Q E move.";

const VIEWS = [
    ["", "View …"], ["front", "From the front"], ["back", "From behind"], ["left", "From the left"], ["right", "From the right"],
    ["top", "From above"], ["bottom", "From below"],
    ["y", "Y is up"], ["z", "Z is up"], ["x", "X is up"], ["-y", "−Y is up"], ["-z", "−Z is up"],
];

function createSide(state, prefix) {
    const bodies = Object.fromEntries(PANELS.map(([name]) => [name, make("div", {
        class: "scene-panel", "data-panel": name, role: "tabpanel", id: `${prefix}-panel-${name}`, "aria-labelledby": `${prefix}-tab-${name}`,
    })]));
    const buttons = PANELS.map(([name, title]) => button(title, () => setOptions(state, {panel: name}), {
        role: "tab", id: `${prefix}-tab-${name}`, "aria-controls": `${prefix}-panel-${name}`,
    }));
    const tabs = make("div", {class: "scene-tabs", role: "tablist", "aria-label": "About the scene"}, buttons);
    tabs.addEventListener("keydown", event => {
        const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
        const at = buttons.indexOf(document.activeElement);
        if (by !== undefined && at >= 0) {
            event.preventDefault();
            const next = buttons[(at + by + buttons.length) % buttons.length];
            next.focus();
            next.click();
        }
    });
    const element = make("aside", {class: "scene-side", "aria-label": "About the scene"}, tabs, Object.values(bodies));
    return {
        element, bodies,
        show() {
            const shown = optionsOf(state).panel;
            for (const [index, [name]] of PANELS.entries()) {
                buttons[index].setAttribute("aria-selected", String(name === shown));
                buttons[index].tabIndex = name === shown ? 0 : -1;
                bodies[name].hidden = name !== shown;
            }
        },
    };
}

/** Makes the elements in `element`. `chosen()` is the launch that is shown. */
export function createLayout(element, {state, launches, chosen}) {
    const canvas = make("canvas", {class: "scene-canvas", tabindex: "0", role: "img", title: ""});
    const density = make("canvas", {class: "scene-density", "aria-hidden": "true", hidden: true});
    const over = make("div", {class: "scene-over"});
    const status = make("p", {class: "scene-status", role: "status"});
    const actions = {};
    const act = name => () => actions[name]?.();
    const launchSelect = launches.length > 1 ? select(launches.map(launch => [String(launch.index),
        `launch ${launch.index}${launch.label ? `: ${launch.label}` : ""}`]), String(chosen()?.index),
    value => state.set({launch: Number(value), thread: null, ray: null, instance: null, geometry: null, primitive: null}),
    {"aria-label": "Launch", class: "scene-launch"}) : null;
    const fly = button("Fly", act("fly"), {title: "Fly with W A S D Q E (v)", "aria-pressed": "false"});
    const parallel = button("Parallel", act("parallel"), {title: "Parallel projection", "aria-pressed": "false"});
    const chooseOnce = (choices, name, label) => {
        const made = select(choices, "", value => {
            actions[name]?.(value);
            made.value = "";
        }, {"aria-label": label, class: "scene-views"});
        return made;
    };
    const fromCamera = button("Camera", act("camera"), {title: "Look from the launch's own camera, found from its primary rays (c)"});
    const toolbar = make("div", {class: "toolbar scene-tools", role: "toolbar", "aria-label": "Camera"},
        launchSelect, fromCamera,
        button("All", act("all"), {title: "See everything (h)"}),
        button("Selection", act("selection"), {title: "Go to what is selected (f)"}),
        chooseOnce(VIEWS, "view", "Standard views, and which axis is up"), fly, parallel);
    const side = createSide(state, newId("scene"));
    const stageElement = make("div", {class: "scene-stage"}, canvas, density, over, status);
    const root = make("div", {class: "scene"}, make("div", {class: "scene-main"}, toolbar, stageElement), side.element);
    element.append(root);
    side.show();
    const end = state.subscribe(["scene"], side.show);
    return {
        canvas, density, over, status, panels: side.bodies, actions, keys: KEYS, fly, parallel, fromCamera,
        say(text) {
            status.textContent = text;
        },
        /** The canvas in words. */
        describe(text) {
            canvas.setAttribute("aria-label", `${text} ${CANVAS_KEYS}`);
        },
        showLaunch(launch) {
            if (launchSelect)
                launchSelect.value = String(launch.index);
            Object.values(side.bodies).forEach(body => fill(body, make("p", {class: "quiet-text"}, "Reading …")));
            status.textContent = "Reading the scene …";
        },
        destroy() {
            end();
            canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext(); // browsers keep few of them
            root.remove();
        },
    };
}
