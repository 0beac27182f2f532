/* How the scene is shown: the key `scene` of the state. Members that are as usual are left out of it, so addresses stay
 * short. */

export const USUAL = {
    panel: "rays",    // of the side: rays, geometry, find, selected
    style: "lines",   // of rays: lines, density, none
    count: 0,         // rays that are drawn at most; 0: as many as can be told apart (countOf)
    behind: false,    // rays are drawn over geometry that hides them
    mode: "open",     // of faces: meshes.js
    paint: "plain",   // what geometry is coloured by
    boxes: [],        // depths of the model BVH whose boxes are drawn: [least, most]
    ground: true,
    points: [],       // clouds: points.js
    colours: {},      // of the user: {"end.hit": "#ff0000"}
    off: [],          // classes that are hidden: "end.miss"
    hidden: [],       // "3" an instance, "3.1" its geometry 1
    bisect: [],       // bounds of the sets: bisect.js
    halves: "both",   // of a bisected set: both, first
    list: "",         // that is stepped through: steps.js
    at: 0,
};

const READABLE = 400; // of all rays: of more, nobody sees where one goes
const CHOSEN = 3000; // of rays that were chosen by filters: they are what one looks for

/** How many rays are drawn at most. `filters` are those of the resource `rays`. */
export function countOf(options, filters) {
    return options.count > 0 ? options.count : Object.keys(filters).length > 0 ? CHOSEN : READABLE;
}

function isSame(a, b) {
    return JSON.stringify(a) === JSON.stringify(b);
}

/** The options now. Members of a hand-written address that have another type are as usual. */
export function optionsOf(state) {
    const kept = state.get("scene");
    const fits = name => Object.hasOwn(kept, name) && typeof kept[name] === typeof USUAL[name]
        && Array.isArray(kept[name]) === Array.isArray(USUAL[name]) && kept[name] !== null;
    return Object.fromEntries(Object.keys(USUAL).map(name => [name, fits(name) ? kept[name] : USUAL[name]]));
}

/** Changes options; `places` are other keys of the state that change with them, `how` the options of state.set(). */
export function setOptions(state, changes, places = {}, how = {}) {
    const next = {...optionsOf(state), ...changes};
    state.set({scene: Object.fromEntries(Object.entries(next).filter(([name, value]) => !isSame(value, USUAL[name]))), ...places}, how);
}
