// The picture: which thread a pixel is of, what colours mean, what is outlined and zoomed to.
import assert from "node:assert/strict";

import {mapTable} from "../../viewer/colour.js";
import {
    boxOf, coloursOf, fitView, indicesOf, outlineOf, partOf, pixelsText, placeOf, placeUnder, rangeOf, revealView, threadAt,
    valueAt, zoomView,
} from "../../viewer/picture/model.js";
import {legendTexts, valueText} from "../../viewer/picture/legend.js";
import {run} from "./test.js";

const flat = {size: [4, 3], grid: {first: [0, 0, 0], extent: [4, 3, 1], columns: 1}};
// 2 x 2 x 3: three slices side by side with a pixel between; work ids from 10,20,30 on.
const slices = {size: [8, 2], grid: {first: [10, 20, 30], extent: [2, 2, 3], columns: 3}};
// 600 threads in rows of 256, from thread 5 on.
const folded = {size: [256, 3], grid: {first: [5, 0, 0], extent: [600, 1, 1], columns: 0}};

function pixelsAreOfThreads() {
    assert.deepEqual(threadAt(flat, [3, 2]), [3, 2, 0]);
    assert.deepEqual(placeOf(flat, [3, 2, 0]), [3, 2]);
    assert.deepEqual(placeOf(flat, [3, 2]), [3, 2], "a thread of two numbers has z 0");
    assert.deepEqual(threadAt(slices, [6, 1]), [10, 21, 32]);
    assert.deepEqual(placeOf(slices, [10, 21, 32]), [6, 1]);
    assert.equal(threadAt(slices, [2, 0]), null, "between slices");
    assert.deepEqual(threadAt(folded, [0, 1]), [261, 0, 0]);
    assert.deepEqual(placeOf(folded, [261, 0, 0]), [0, 1]);
    assert.equal(threadAt(folded, [89, 2]), null, "behind the last");
    for (const place of [[-1, 0], [4, 0], [0, 3]])
        assert.equal(threadAt(flat, place), null, "beside the picture");
    for (const thread of [null, [4, 0, 0], [0, 0, 1], [-1, 0, 0]])
        assert.equal(placeOf(flat, thread), null);
    for (const picture of [flat, slices, folded]) {
        const [width, height] = picture.size;
        for (let y = 0; y < height; y++) {
            for (let x = 0; x < width; x++) {
                const thread = threadAt(picture, [x, y]);
                assert.ok(thread === null || String(placeOf(picture, thread)) === `${x},${y}`);
            }
        }
    }
}

function rangesAreThoseOfTheFigure() {
    const rays = {kind: "measure", smallest: 0, largest: 100};
    const values = new Float32Array([0, 1, 10, 100, NaN]);
    const linear = rangeOf(rays, values, false);
    assert.deepEqual(linear, {low: 0, high: 100, logarithmic: false});
    assert.deepEqual([0, 25, 100, 200].map(value => partOf(value, linear)), [0, 0.25, 1, 1]);
    const logarithmic = rangeOf(rays, values, true);
    assert.deepEqual(logarithmic, {low: 1, high: 100, logarithmic: true}, "from the smallest above 0");
    assert.deepEqual([0, 1, 10, 100].map(value => partOf(value, logarithmic)), [NaN, 0, 0.5, 1], "0 has no place");
    assert.equal(valueAt(0.5, logarithmic), 10);
    assert.ok(Number.isNaN(partOf(NaN, linear)));
    assert.deepEqual(rangeOf({kind: "share", smallest: 0.2, largest: 0.3}, values, true), {low: 0, high: 1, logarithmic: false});
    assert.equal(partOf(7, {low: 7, high: 7, logarithmic: false}), 0, "one value has the lowest colour");
    assert.deepEqual(rangeOf({kind: "measure", smallest: 0, largest: 0}, values, true), {low: 0, high: 0, logarithmic: false});
}

function legendsSayWhatColoursMean() {
    const figure = {kind: "measure"};
    assert.deepEqual(legendTexts(figure, {low: 1, high: 100, logarithmic: true}), ["1", "10", "100"]);
    assert.deepEqual(legendTexts(figure, {low: 4, high: 4, logarithmic: false}), ["4"]);
    assert.deepEqual(legendTexts({kind: "share"}, {low: 0, high: 1, logarithmic: false}), ["0.0 %", "50.0 %", "100.0 %"]);
    assert.equal(valueText({kind: "share"}, 0.255), "25.5 %");
}

function valuesBecomeColours() {
    const table = mapTable("viridis", 256);
    const categories = new Uint8Array([1, 1, 1, 255, 2, 2, 2, 255]);
    const values = new Float32Array([0, NaN, 10]);
    const colours = coloursOf({kind: "measure"}, values, {low: 0, high: 10, logarithmic: false}, table, categories);
    assert.deepEqual([...colours.slice(0, 4)], [68, 1, 84, 255]);
    assert.deepEqual([...colours.slice(4, 8)], [0, 0, 0, 0], "what has no value is transparent");
    assert.deepEqual([...colours.slice(8, 12)], [253, 231, 37, 255]);
    const ids = coloursOf({kind: "id"}, new Float32Array([0, 1, 2]), null, table, categories);
    assert.deepEqual([ids[0], ids[4], ids[8]], [1, 2, 2], "the next round begins elsewhere");
}

function warpsAreOutlined() {
    const values = new Float32Array([7, 7, 1, 7, 2, 2]); // 3 x 2
    assert.deepEqual(indicesOf(values, 7), [0, 1, 3]);
    const sides = outlineOf([0, 1, 3], 3).map(String).sort();
    assert.equal(sides.length, 8, "three pixels have twelve sides, and share two, which are no outline");
    assert.ok(sides.includes("1,1,1,2") && sides.includes("2,0,2,1") && !sides.includes("1,0,1,1"));
    assert.equal(outlineOf([2, 3], 3).length, 8, "the end of a row is no neighbour of the next one's begin");
}

function viewsZoomAboutAPoint() {
    assert.deepEqual(fitView([4, 2], [400, 400]), {scale: 100, x: 0, y: 100});
    const view = {scale: 10, x: 5, y: 5};
    const zoomed = zoomView(view, 2, [25, 45]);
    assert.deepEqual(placeUnder(view, [25, 45]), [2, 4]);
    assert.deepEqual(placeUnder(zoomed, [25, 45]), [2, 4]);
    assert.equal(zoomed.scale, 20);
    assert.equal(zoomView(view, 1e9, [0, 0]).scale, 64, "as far as it goes");
    const seen = revealView(view, [100, 4], [200, 200]);
    assert.deepEqual([seen.x + 100.5 * 10, seen.y], [184, 5], "only as far as it must");
}

function boxesAreFiltersOfRays() {
    assert.equal(pixelsText(flat, [3, 2], [1, 0]), "1,0-3,2");
    assert.deepEqual(boxOf(flat, "1,0-3,2"), [1, 0, 3, 3]);
    assert.deepEqual(boxOf(flat, "2,1"), [2, 1, 1, 1]);
    assert.equal(pixelsText(slices, [0, 0], [1, 1]), "10,20-11,21");
    assert.equal(pixelsText(slices, [0, 0], [3, 1]), null, "in two slices");
    assert.equal(pixelsText(slices, [2, 0], [3, 1]), null, "between slices");
    assert.equal(pixelsText(folded, [0, 0], [9, 0]), "5,0-14,0");
    assert.equal(pixelsText(folded, [0, 0], [9, 1]), null, "rows of a folded launch are no box");
    for (const text of [undefined, "", "1,2-", "a", "0,0-9,9"])
        assert.equal(boxOf(flat, text), null);
}

run([pixelsAreOfThreads, rangesAreThoseOfTheFigure, legendsSayWhatColoursMean, valuesBecomeColours, warpsAreOutlined,
    viewsZoomAboutAPoint, boxesAreFiltersOfRays]);
