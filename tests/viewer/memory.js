// Pages of memory over time: where cells stand, bands, the scale that two share, zoom.
import assert from "node:assert/strict";

import {bandsInSight, bandsOf, cellAt, colourAt, largestOf, moved, placesOf, placeText, scaleOf, zoomed} from "../../viewer/memory/model.js";
import {run} from "./test.js";

const answer = {
    page: 4096, parts: 50,
    figures: [{name: "requests", title: "Requests", largest: 90}, {name: "l1_misses", title: "L1 misses", largest: 3}],
    pages: [{of: "allocation 1", begin: 8192, buffers: "nodes"}, {of: "allocation 1", begin: 16384, buffers: "nodes"},
        {of: "allocation 1", begin: 20480, buffers: "nodes, faces"}, {of: "keys", begin: 0, buffers: "keys"}],
    cells: {page: [0, 0, 3], part: [0, 49, 2], requests: [7, 90, 1], l1_misses: [3, 0, 1]},
};

function cellsStandPageByPage() {
    const places = placesOf(answer);
    const find = (page, part) => cellAt(answer, places, page, part);
    assert.deepEqual([find(0, 0), find(0, 49), find(3, 2), find(1, 0), find(0, 2)], [0, 1, 2, undefined, undefined]);
    // The answer's cells have no order.
    const mixed = {...answer, cells: {page: [3, 0, 0], part: [2, 49, 0]}};
    assert.deepEqual([...placesOf(mixed).first], [0, 2, 2, 2, 3]);
    assert.equal(cellAt(mixed, placesOf(mixed), 0, 0), 2);
    // A million pages take megabytes, not a table of their parts.
    const many = placesOf({pages: {length: 1 << 20}, cells: {page: [5], part: [7]}});
    assert.ok(many.first.byteLength + many.list.byteLength < 1 << 23);
}

/* None is neither the colour of one nor that of what nothing touches. */
function zeroIsNotOne() {
    const scale = {low: 1, high: 100, logarithmic: true};
    assert.deepEqual([0, 1, 10, 100].map(value => colourAt(value, scale)), [null, 0, 4 * 128, 4 * 255]);
    assert.deepEqual([0, 1].map(value => colourAt(value, {low: 0, high: 1, logarithmic: false})), [null, 4 * 255]);
    assert.equal(colourAt(1, {low: 1, high: 1, logarithmic: true}), 0);
}

function aBandBeginsWithAnAllocationOrOtherBuffers() {
    assert.deepEqual(bandsOf(answer.pages), [
        {first: 0, last: 2, name: "allocation 1: nodes", isPart: false},
        {first: 2, last: 3, name: "nodes, faces", isPart: true},
        {first: 3, last: 4, name: "keys", isPart: false},
    ]);
    // Two of one name are two.
    assert.equal(bandsOf([answer.pages[0], answer.pages[0]]).length, 2);
    assert.deepEqual(bandsOf([]), []);
}

// Pages are 5 high, names 15: the second and third band begin within the first one's name. The first begins above what is seen.
function namesDoNotMeet() {
    const bands = [0, 11, 12, 13, 20].map((first, index, all) => ({first, last: all[index + 1] ?? 30}));
    const seen = bandsInSight(bands, {from: 10, to: 20}, {top: 1, line: 15, toY: page => 1 + 5 * (page - 10)});
    assert.deepEqual(seen.map(({band, y, isNamed}) => [band.first, y, isNamed]), [[0, 1, true], [11, 6, false], [12, 11, false], [13, 16, true]]);
}

function aRowOfSeveralPagesHasTheLargest() {
    const other = {...answer, parts: 2, cells: {page: [0, 1, 2, 3, 3], part: [0, 0, 1, 0, 1], requests: [7, 90, 0, 2, 1]}};
    assert.deepEqual([...largestOf(other, "requests", {first: 0, last: 4}, 4)], [7, NaN, 90, NaN, NaN, 0, 2, 1]);
    assert.deepEqual([...largestOf(other, "requests", {first: 0, last: 4}, 2)], [90, NaN, 2, 1]);
    assert.deepEqual([...largestOf(other, "requests", {first: 1, last: 4}, 2)], [90, 0, 2, 1]);
    assert.deepEqual([...largestOf(other, "requests", {first: 1, last: 3}, 2)], [90, NaN, NaN, 0]);
}

function twoAnswersShareTheLargerScale() {
    const other = {figures: [{name: "requests", largest: 200}]};
    assert.deepEqual(scaleOf([answer, other], "requests", true), {low: 1, high: 200, logarithmic: true});
    assert.deepEqual(scaleOf([answer, other], "l1_misses", false), {low: 0, high: 3, logarithmic: false});
}

function zoomStaysWithin() {
    assert.deepEqual(zoomed({from: 0, to: 100}, 2, 50, 100, 4), {from: 25, to: 75});
    assert.deepEqual(zoomed({from: 0, to: 100}, 2, 0, 100, 4), {from: 0, to: 50});
    assert.deepEqual(zoomed({from: 90, to: 100}, 0.01, 95, 100, 4), {from: 0, to: 100});
    assert.deepEqual(zoomed({from: 10, to: 20}, 1000, 20, 100, 4), {from: 16, to: 20});
    assert.deepEqual(moved({from: 99}, 10, 100), {from: 90, to: 100});
}

function aPlaceIsTold() {
    const places = placesOf(answer);
    assert.equal(placeText(answer, places, 0, 49), "page 0: allocation 1, nodes, bytes 8192 to 12287 · 98 to 100 % of the launch · 90 requests · 0 L1 misses");
    assert.equal(placeText(answer, places, 3, 3), "page 3: keys, bytes 0 to 4095 · 6 to 8 % of the launch · not touched");
}

await run([cellsStandPageByPage, zeroIsNotOne, aBandBeginsWithAnAllocationOrOtherBuffers, namesDoNotMeet, aRowOfSeveralPagesHasTheLargest,
    twoAnswersShareTheLargerScale, zoomStaysWithin, aPlaceIsTold]);
