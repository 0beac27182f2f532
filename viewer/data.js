// Data: answers to queries on the capture (analysis/viewer/viewer.h), from the server or out of the single file.
//
//     const report = await data.json("report.json");
//     const rays = await data.binary("rays", {launch: 3, end: ["hit", "miss"]}, "b");    // an ArrayBuffer
//
// A value may be a text, a number or a list; keys without a value (null, undefined) are left out. An error is an Error
// with the server's own words. An answer that the single file does not hold is an Error whose `leftOut` is true.

const unencoded = /[^A-Za-z0-9\-._~,:*]/gu;

function encode(text) {
    return String(text).replace(unencoded, (character) =>
        Array.from(new TextEncoder().encode(character),
            (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""));
}

// The canonical text of a query: keys in order, as analysis/viewer/query.h says.
function queryText(name, query = {}, capture = "a") {
    const all = capture === "a" ? {...query} : {...query, capture};
    const keys = Object.keys(all).filter((key) => all[key] !== null && all[key] !== undefined).sort();
    const text = keys.map((key) =>
        `${encode(key)}=${encode(Array.isArray(all[key]) ? all[key].join(",") : all[key])}`).join("&");
    return text === "" ? name : `${name}?${text}`;
}

async function fetched(text) {
    let response;
    try {
        response = await fetch(`data/${text}`, {cache: "no-store"});
    } catch {
        throw new Error("warpscope view no longer answers; start it again");
    }
    if (response.ok) {
        return response;
    }
    let words = `${response.status} ${response.statusText}`;
    try {
        words = (await response.json()).error;
    } catch {
        // The answer is none of ours; its status tells what there is to tell.
    }
    throw new Error(words);
}

function bytesOf(base64) {
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) {
        bytes[i] = binary.charCodeAt(i);
    }
    return bytes;
}

let elements = null;

// The single file has each answer in an element of its own: gzip in base64.
function elementOf(text) {
    elements ??= new Map(Array.from(document.querySelectorAll("script[data-answer]"),
        (script) => [script.dataset.answer, script]));
    return elements.get(text);
}

async function unpacked(text) {
    const element = elementOf(text);
    if (element === undefined) {
        const error = new Error("This was left out of this file; warpscope view shows all of the capture.");
        error.query = text;
        error.leftOut = true;
        throw error;
    }
    const stream = new Blob([bytesOf(element.textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream);
}

/* The queries of a resource that the single file has answers to, decoded: [{launch: "3", first: "0"}, ...]. */
function heldQueries(name, capture = "a") {
    elementOf(name);
    return Array.from(elements.keys()).filter((text) => text === name || text.startsWith(`${name}?`)).map((text) =>
        Object.fromEntries(text.slice(name.length + 1).split("&").filter(Boolean).map((pair) => pair.split("=").map(decodeURIComponent))))
        .filter((query) => (query.capture ?? "a") === capture).map(({capture: ignored, ...query}) => query);
}

const isSingleFile = () => document.documentElement.dataset.source === "file";
const answerOf = (text) => (isSingleFile() ? unpacked(text) : fetched(text));

export const data = {
    isSingleFile,
    async json(name, query, capture) {
        return (await answerOf(queryText(name, query, capture))).json();
    },
    async binary(name, query, capture) {
        return (await answerOf(queryText(name, query, capture))).arrayBuffer();
    },
    // What the single file holds of a resource: its queries.
    held: heldQueries,
    // Whether an answer can be had: always of the server.
    has(name, query, capture) {
        return !isSingleFile() || elementOf(queryText(name, query, capture)) !== undefined;
    },
};
