// Rows of a table: their order, filters, CSV.
import assert from "node:assert/strict";

import {csvCell, csvText, filterRows, sortRows} from "../../viewer/rows.js";
import {run} from "./test.js";

const columns = [
    {name: "shader"}, {name: "efficiency", title: "efficiency"}, {name: "slots"},
    {name: "idle", title: "idle lanes", value: row => row.slots === null ? null : row.slots - row.active},
];
const rows = [
    {shader: "b.rgen:main", efficiency: 0.5, slots: 100, active: 50},
    {shader: "a.rchit:main", efficiency: null, slots: null, active: 0},
    {shader: "c10.rint:main", efficiency: 0.25, slots: 40, active: 10},
    {shader: "c9.rint:main", efficiency: 0.25, slots: 1000, active: 250},
];
const names = list => list.map(row => row.shader[0] + (row.shader.match(/\d+/)?.[0] ?? ""));

function sortsBothWaysWithNothingLast() {
    assert.deepEqual(names(sortRows(rows, columns, "slots")), ["c10", "b", "c9", "a"]);
    assert.deepEqual(names(sortRows(rows, columns, "-slots")), ["c9", "b", "c10", "a"]);
}

function equalRowsStayInTheirOrder() {
    assert.deepEqual(names(sortRows(rows, columns, "efficiency")), ["c10", "c9", "b", "a"]);
    assert.deepEqual(names(sortRows(rows, columns, "-efficiency")), ["b", "c10", "c9", "a"]);
}

function textsSortWithNumbersInThemAsNumbers() {
    assert.deepEqual(names(sortRows(rows, columns, "shader")), ["a", "b", "c9", "c10"]);
}

function computedColumnsSort() {
    assert.deepEqual(names(sortRows(rows, columns, "-idle")), ["c9", "b", "c10", "a"]);
}

function unknownColumnsLeaveTheOrder() {
    assert.equal(sortRows(rows, columns, ""), rows);
    assert.equal(sortRows(rows, columns, "-nothing"), rows);
}

function filtersByWords() {
    assert.deepEqual(names(filterRows(rows, columns, "RINT main")), ["c10", "c9"]);
    assert.deepEqual(names(filterRows(rows, columns, "rint 1000")), ["c9"]);
    assert.deepEqual(filterRows(rows, columns, "no such"), []);
    assert.equal(filterRows(rows, columns, "  "), rows);
}

function filtersByComparisons() {
    assert.deepEqual(names(filterRows(rows, columns, "efficiency < 50 %")), ["c10", "c9"]);
    assert.deepEqual(names(filterRows(rows, columns, "efficiency<=0.5")), ["b", "c10", "c9"]);
    assert.deepEqual(names(filterRows(rows, columns, "slots != 100")), ["c10", "c9"]);
    assert.deepEqual(names(filterRows(rows, columns, "idle lanes > 49")), ["b", "c9"]);
    assert.deepEqual(names(filterRows(rows, columns, "shader = b.rgen:main")), ["b"]);
}

function csvIsQuotedWhereItMustBe() {
    assert.equal(csvCell("plain"), "plain");
    assert.equal(csvCell("a,b"), '"a,b"');
    assert.equal(csvCell('say "a"'), '"say ""a"""');
    assert.equal(csvCell("two\nlines"), '"two\nlines"');
    assert.equal(csvCell(null), "");
    assert.equal(csvCell(false), "false");
    assert.equal(csvCell([1, 2]), '"[1,2]"');
}

function csvHasAHeadAndTheValuesThemselves() {
    const shown = [{name: "efficiency"}, {name: "shader"}];
    assert.equal(csvText(rows.slice(0, 2), shown), "efficiency,shader\n0.5,b.rgen:main\n,a.rchit:main\n");
}

function csvHasSizesBoxesAndHistogramsAsTheReport() {
    const row = {launch_size: [64, 32, 1], bounds: [-1, 0, -1, 1, 2, 3.5], histogram: {1: 5, 8: 7, 10: 2}};
    assert.equal(csvText([row], Object.keys(row).map(name => ({name}))),
        'launch_size,bounds,histogram\n64x32x1,"-1 0 -1, 1 2 3.5",10:2 8:7 1:5\n');
}

await run([sortsBothWaysWithNothingLast, equalRowsStayInTheirOrder, textsSortWithNumbersInThemAsNumbers,
    computedColumnsSort, unknownColumnsLeaveTheOrder, filtersByWords, filtersByComparisons, csvIsQuotedWhereItMustBe,
    csvHasAHeadAndTheValuesThemselves, csvHasSizesBoxesAndHistogramsAsTheReport]);
