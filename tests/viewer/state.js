// The store: what is set is in the address, and comes back from it.
import assert from "node:assert/strict";

import {createState, KEYS, readHash, writeHash} from "../../viewer/state.js";
import {run} from "./test.js";

// An address with a history, such as a window has.
function fakeAddress(hash = "") {
    const entries = [hash];
    let at = 0;
    let listener = null;
    return {
        entries,
        hash: () => entries[at],
        push: text => {
            entries.splice(at + 1, Infinity, `#${text}`);
            at++;
        },
        replace: text => {
            entries[at] = `#${text}`;
        },
        listen: callback => {
            listener = callback;
        },
        go: by => {
            at += by;
            listener();
        },
    };
}

const settled = () => new Promise(resolve => setTimeout(resolve, 0));

function usualValuesAreNotInTheAddress() {
    assert.equal(writeHash(readHash("")), "");
    assert.equal(writeHash(readHash("#tab=overview&capture=a")), "");
}

function everyTypeComesBack() {
    const values = {
        ...readHash(""), tab: "scene", launch: 0, thread: [64, 64, 0], ray: 118, shader: 3, file: "a b/c&d=e#f%.glsl",
        filters: {end: ["hit", "miss"], depth: "1-3"}, camera: {position: [0.5, -1e-9, 3]}, theme: "light",
    };
    const hash = writeHash(values);
    assert.deepEqual(readHash(`#${hash}`), values);
    assert.match(hash, /^tab=scene&launch=0&thread=64,64,0&ray=118/);
}

function theOrderOfMembersDoesNotMatter() {
    const one = {...readHash(""), filters: {a: 1, b: {c: 2, d: 3}}};
    const other = {...readHash(""), filters: {b: {d: 3, c: 2}, a: 1}};
    assert.equal(writeHash(one), writeHash(other));
}

function whatDoesNotFitIsLeftOut() {
    const usual = readHash("");
    for (const bad of ["launch=x", "launch=", "launch=1e999", "thread=1,,2", "thread=", "filters=[1]", "filters={", "camera=null",
        "file=%E0%A4", "unknown=1", "__proto__=1", "toString=1", "&&&", "="])
        assert.deepEqual(readHash(`#${bad}`), usual, bad);
}

function keysSayWhatTheyAre() {
    for (const [name, key] of Object.entries(KEYS)) {
        assert.ok(key.help.length > 5, name);
        assert.ok(["text", "number", "numbers", "object"].includes(key.type), name);
    }
}

function wrongKeysAndTypesAreErrors() {
    const state = createState(fakeAddress());
    assert.throws(() => state.get("nothing"), /no key 'nothing'/);
    assert.throws(() => state.set({nothing: 1}), /no key 'nothing'/);
    assert.throws(() => state.set({launch: "3"}), /'launch' of the state is number/);
    assert.throws(() => state.set({thread: [1, NaN]}), /thread/);
}

async function placesMakeHistory() {
    const address = fakeAddress();
    const state = createState(address);
    const heard = [];
    state.subscribe(["launch", "theme"], (store, names) => heard.push([store.get("launch"), [...names]]));
    state.set({tab: "scene"});
    state.set({launch: 2});
    assert.equal(state.get("launch"), 2, "known at once");
    assert.deepEqual(heard, [], "told later, once");
    await settled();
    assert.deepEqual(heard, [[2, ["tab", "launch"]]]);
    assert.deepEqual(address.entries, ["", "#tab=scene&launch=2"]);

    state.set({launch: 5});
    await settled();
    address.go(-1);
    await settled();
    assert.equal(state.get("launch"), 2);
    assert.equal(heard.length, 3);
    address.go(1);
    await settled();
    assert.equal(state.get("launch"), 5);
    assert.equal(address.entries.length, 3, "going back makes no entries");
}

async function looksReplaceTheEntry() {
    const address = fakeAddress();
    const waiting = [];
    const state = createState(address, callback => {
        waiting.push(callback);
        return () => waiting.splice(waiting.indexOf(callback), 1);
    });
    state.set({camera: {fov: 40}});
    await settled();
    state.set({camera: {fov: 50}});
    await settled();
    assert.deepEqual(address.entries, [""], "not at once: a camera moves all the time");
    assert.equal(waiting.length, 1);
    waiting.pop()();
    assert.deepEqual(address.entries, ["#camera=%7B%22fov%22:50%7D"]);
    state.set({camera: {fov: 60}, ray: 4});
    await settled();
    assert.equal(address.entries.length, 2, "with a place it is an entry");
}

async function sameValueIsNoChange() {
    const state = createState(fakeAddress("#thread=1,2,3"));
    let heard = 0;
    state.subscribe(null, () => heard++);
    state.set({thread: [1, 2, 3], filters: {}});
    await settled();
    assert.equal(heard, 0);
    state.set({thread: null});
    await settled();
    assert.equal(heard, 1);
}

function linksHaveTheChanges() {
    const state = createState(fakeAddress("#tab=scene&ray=3"));
    assert.equal(state.link({ray: 9}), "#tab=scene&ray=9");
    assert.equal(state.link({ray: null, tab: "overview"}), "#");
    assert.equal(state.get("ray"), 3);
}

await run([usualValuesAreNotInTheAddress, everyTypeComesBack, theOrderOfMembersDoesNotMatter, whatDoesNotFitIsLeftOut,
    keysSayWhatTheyAre, wrongKeysAndTypesAreErrors, linksHaveTheChanges, placesMakeHistory, looksReplaceTheEntry,
    sameValueIsNoChange]);
