/* The views of the page, and the tabs that show them.
 *
 * A view is a function create(element, context), which fills the element and returns nothing or {destroy()}; shell.js says
 * what `context` has. To add a view, import it and name it in VIEWS. A tab lays its views out in panes: a pane has a view,
 * or panes of its own. Panes whose view is not in VIEWS are left out, and so are tabs without any. */

import {createCompare} from "./compare.js";
import {createMemory} from "./memory.js";
import {createOverview} from "./overview.js";
import {createPicture} from "./picture/picture.js";
import {createScene} from "./scene/scene.js";
import {createShaders} from "./shaders.js";
import {createTables} from "./tables.js";
import {createThread} from "./thread.js";

export const VIEWS = {
    compare: createCompare,
    memory: createMemory,
    overview: createOverview,
    picture: createPicture,
    scene: createScene,
    shaders: createShaders,
    tables: createTables,
    thread: createThread,
};

export const TABS = [
    {name: "overview", title: "Overview", panes: [{view: "overview"}]},
    {
        name: "scene", title: "Scene", panes: [
            {view: "scene", title: "Scene", size: 0.64},
            {name: "side", size: 0.36, panes: [
                {view: "picture", title: "Picture", size: 0.5},
                {view: "thread", title: "Thread", size: 0.5},
            ]},
        ],
    },
    {name: "shaders", title: "Shaders", panes: [{view: "shaders"}]},
    {name: "memory", title: "Memory", panes: [{view: "memory"}]},
    {name: "compare", title: "Compare", panes: [{view: "compare"}]},
    {name: "tables", title: "All tables", panes: [{view: "tables"}]},
];

/** The panes of a tab that can be shown, each with the panes in it. */
export function panesOf(panes, views = VIEWS) {
    return panes
        .map(pane => pane.panes ? {...pane, panes: panesOf(pane.panes, views)} : pane)
        .filter(pane => pane.panes ? pane.panes.length > 0 : Object.hasOwn(views, pane.view));
}
