/* The one store of the page: where the user is, and how things are shown. A link restores it, because all of it is
 * written to the part of the address behind `#`:
 *
 *     #tab=scene&launch=2&thread=64,64,0&ray=118
 *
 * Keys whose value is the usual one are left out. A view reads keys with `get`, changes them with `set`, and hears of
 * changes by `subscribe`. Views know nothing of each other: one that shows a place of another sets the keys of that
 * place, such as set({tab: "scene", launch: 2, ray: 118}).
 *
 * Values are: text; number, or null for none; list of numbers, or null for none; object (anything JSON has, small).
 * A change of a key that is a PLACE makes an entry in the history, so that the browser's back button leads to where the
 * user was. Other keys only replace the address, and not more often than every 300 ms: a camera moves all the time.
 *
 * What stands in the address was perhaps written by hand: a value that does not fit its type is left out. */

export const KEYS = {
    // Where the user is.
    tab: {type: "text", usual: "overview", place: true, help: "overview, scene, shaders, memory, compare or tables"},
    capture: {type: "text", usual: "a", place: true, help: "a, or b where two captures are open"},
    launch: {type: "number", usual: null, place: true, help: "index of a launch"},
    thread: {type: "numbers", usual: null, place: true, help: "x, y, z of a thread of the launch, or the pixel"},
    ray: {type: "number", usual: null, place: true, help: "number of a ray in the launch"},
    instance: {type: "number", usual: null, place: true, help: "index of an instance in the top-level structure"},
    geometry: {type: "number", usual: null, place: true, help: "index of a geometry in its bottom-level structure"},
    primitive: {type: "number", usual: null, place: true, help: "index of a primitive in its geometry"},
    shader: {type: "number", usual: null, place: true, help: "id of a shader"},
    line: {type: "number", usual: null, place: true, help: "line of the shader's source, from 1"},
    file: {type: "text", usual: "", place: true, help: "source file that `line` is in, where a shader has several"},
    as: {type: "text", usual: "", place: true, help: "how the shader is shown: source, glsl, spirv; several with commas"},
    rule: {type: "text", usual: "", place: true, help: "rule of advice whose evidence is shown"},
    table: {type: "text", usual: "", place: true, help: "table in All tables: analysis.table"},
    section: {type: "text", usual: "", place: true, help: "section of Overview that is scrolled to"},

    // How it is shown.
    figure: {type: "text", usual: "", help: "figure over the picture, by its name in pictures.json"},
    filters: {type: "object", usual: {}, help: "filters of rays, by the names of the resource `rays`"},
    colour: {type: "text", usual: "", help: "what rays are coloured by"},
    camera: {type: "object", usual: {}, help: "camera of the scene, as the scene keeps it"},
    scene: {type: "object", usual: {}, help: "what of the scene is shown, as the scene keeps it"},
    picture: {type: "object", usual: {}, help: "zoom and map of the picture, as the picture keeps it"},
    memory: {type: "object", usual: {}, help: "figure, pages and map of the memory, as it keeps them"},
    compare: {type: "object", usual: {}, help: "what the comparison shows, as it keeps it"},
    shaders: {type: "object", usual: {}, help: "sorting and search of the shaders, as they keep it"},
    timeline: {type: "text", usual: "", help: "what the width of a launch on the timeline is: order or time"},
    sort: {type: "text", usual: "", help: "column of the table in All tables, - in front for descending"},
    search: {type: "text", usual: "", help: "text that rows of that table contain"},
    panes: {type: "object", usual: {}, help: "sizes of panes, and which are folded"},
    theme: {type: "text", usual: "", help: "dark or light; otherwise as the system has it"},
};

const SETTLE_MS = 300; // browsers refuse more than a hundred changes of the address in half a minute

function afterSettling(callback) {
    const timer = setTimeout(callback, SETTLE_MS);
    return () => clearTimeout(timer);
}

function isNumber(value) {
    return typeof value === "number" && Number.isFinite(value);
}

/** Whether `value` fits the type of a key. */
function fits(type, value) {
    if (type === "text")
        return typeof value === "string";
    if (type === "number")
        return value === null || isNumber(value);
    if (type === "numbers")
        return value === null || (Array.isArray(value) && value.length > 0 && value.every(isNumber));
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/* Of object keys the members are sorted: the same view has the same address. */
function canonical(value) {
    if (Array.isArray(value))
        return value.map(canonical);
    if (typeof value !== "object" || value === null)
        return value;
    return Object.fromEntries(Object.keys(value).sort().map(name => [name, canonical(value[name])]));
}

function toText(type, value) {
    if (type === "text")
        return value;
    if (type === "object")
        return JSON.stringify(canonical(value));
    return value === null ? "" : String(value);
}

function fromText(type, text) {
    if (type === "text")
        return text;
    try {
        if (type === "object")
            return JSON.parse(text);
    } catch {
        return undefined;
    }
    if (text === "")
        return undefined;
    return type === "number" ? Number(text) : text.split(",").map(part => part === "" ? NaN : Number(part));
}

function equal(type, one, other) {
    return one === other || toText(type, one) === toText(type, other);
}

/* Commas, slashes and colons may stand in a fragment as they are, and are easier to read so. */
function escapeValue(text) {
    return encodeURIComponent(text).replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
}

/** The values as the part of an address behind `#`, without it. */
export function writeHash(values) {
    const parts = [];
    for (const [name, key] of Object.entries(KEYS)) {
        if (!equal(key.type, values[name], key.usual))
            parts.push(`${name}=${escapeValue(toText(key.type, values[name]))}`);
    }
    return parts.join("&");
}

/** All values of a hash, with or without `#`: those that it lacks, or that do not fit, are the usual ones. */
export function readHash(hash) {
    const values = Object.fromEntries(Object.entries(KEYS).map(([name, key]) => [name, key.usual]));
    for (const part of hash.replace(/^#/, "").split("&")) {
        const at = part.indexOf("=");
        const name = at < 0 ? part : part.slice(0, at);
        if (at < 0 || !Object.hasOwn(KEYS, name))
            continue;
        let text;
        try {
            text = decodeURIComponent(part.slice(at + 1));
        } catch {
            continue; // a lone % of an address that was cut
        }
        const value = fromText(KEYS[name].type, text);
        if (value !== undefined && fits(KEYS[name].type, value))
            values[name] = value;
    }
    return values;
}

/**
 * Makes the store. `address` reads and writes the address: {hash(), push(hash), replace(hash), listen(callback)}.
 * `later(callback)` calls it after a while, and returns a function that stops it. Tests give their own.
 */
export function createState(address = windowAddress(), later = afterSettling) {
    let values = readHash(address.hash());
    const subscribers = new Set();
    let changed = new Set();
    let isPlace = false;
    let isPlanned = false;
    let stop = null; // of the address that is still to be written

    function writeAddress(push) {
        stop?.();
        stop = null;
        const hash = writeHash(values);
        if (hash === address.hash().replace(/^#/, ""))
            return;
        if (push)
            address.push(hash);
        else
            address.replace(hash);
    }

    /* Changes of one task are one: one entry in the history, one call of each subscriber. */
    function flush() {
        isPlanned = false;
        const names = changed;
        const push = isPlace;
        changed = new Set();
        isPlace = false;
        if (names.size === 0)
            return;
        if (push)
            writeAddress(true);
        else
            stop ??= later(() => writeAddress(false));
        for (const subscriber of [...subscribers]) {
            if (subscriber.names === null || subscriber.names.some(name => names.has(name))) {
                try {
                    subscriber.callback(store, names);
                } catch (error) {
                    console.error(error); // the other views still hear of it
                }
            }
        }
    }

    function plan() {
        if (!isPlanned) {
            isPlanned = true;
            queueMicrotask(flush);
        }
    }

    function take(name, value) {
        if (equal(KEYS[name].type, values[name], value))
            return false;
        values = {...values, [name]: value};
        changed.add(name);
        return true;
    }

    const store = {
        /** The value of a key. Objects and lists are not to be changed in place: set a new one. */
        get(name) {
            if (!Object.hasOwn(KEYS, name))
                throw new Error(`the state has no key '${name}'`);
            return values[name];
        },

        /** Changes keys. null and undefined set what is usual. `options.replace` makes no entry in the history. */
        set(changes, options = {}) {
            for (const [name, given] of Object.entries(changes)) {
                if (!Object.hasOwn(KEYS, name))
                    throw new Error(`the state has no key '${name}'`);
                const value = given ?? KEYS[name].usual;
                if (!fits(KEYS[name].type, value))
                    throw new Error(`'${name}' of the state is ${KEYS[name].type}, not ${JSON.stringify(value)}`);
                if (take(name, value) && KEYS[name].place && !options.replace)
                    isPlace = true;
            }
            if (changed.size > 0)
                plan();
        },

        /**
         * Calls `callback(state, names)` after changes of any of `names` (a list; null for all keys). `names` given to
         * it is the Set of keys that changed. Returns a function that ends it.
         */
        subscribe(names, callback) {
            for (const name of names ?? [])
                store.get(name);
            const subscriber = {names, callback};
            subscribers.add(subscriber);
            return () => subscribers.delete(subscriber);
        },

        /** The address that restores the present view with these changes, for a link. */
        link(changes = {}) {
            const usual = Object.fromEntries(Object.entries(changes).map(
                ([name, value]) => [name, value ?? KEYS[name].usual]));
            return `#${writeHash({...values, ...usual})}`;
        },
    };

    address.listen(() => {
        stop?.(); // what was not written yet belongs to the place that the user leaves
        stop = null;
        const read = readHash(address.hash());
        for (const name of Object.keys(KEYS))
            take(name, read[name]);
        isPlace = false;
        if (changed.size > 0)
            plan();
    });
    return store;
}

/* The address of the window. A page in a frame without an origin may not write the history; it goes on without. */
function windowAddress() {
    const write = (method, hash) => {
        try {
            history[method](null, "", hash === "" ? location.pathname + location.search : `#${hash}`);
        } catch {
            location.hash = hash;
        }
    };
    return {
        hash: () => location.hash,
        push: hash => write("pushState", hash),
        replace: hash => write("replaceState", hash),
        listen: callback => {
            window.addEventListener("popstate", callback);
        },
    };
}
