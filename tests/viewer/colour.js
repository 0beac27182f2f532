// Colour maps: even and rising in lightness; inks that can be read on them.
import assert from "node:assert/strict";

import {CATEGORIES, colourText, inkOn, lightness, mapColour, mapTable, MISSING, parseColour} from "../../viewer/colour.js";
import {run} from "./test.js";

const steps = (name, count = 64) => Array.from({length: count}, (_, i) => lightness(mapColour(name, i / (count - 1))));

function lightnessIsThatOfCie() {
    assert.ok(Math.abs(lightness([255, 255, 255]) - 100) < 1e-6);
    assert.equal(lightness([0, 0, 0]), 0);
    assert.ok(Math.abs(lightness([119, 119, 119]) - 50.03) < 0.05, "grey 119 is the middle");
}

function mapsRiseAndAreEven() {
    for (const name of ["viridis", "cividis", "inferno"]) {
        const list = steps(name);
        const rises = list.slice(1).map((value, index) => value - list[index]);
        const mean = (list.at(-1) - list[0]) / rises.length;
        assert.ok(list.at(-1) - list[0] > 70, `${name} uses most of the range`);
        assert.ok(rises.every(rise => rise > 0), `${name} rises everywhere`);
        assert.ok(rises.every(rise => rise < 2.2 * mean), `${name} jumps nowhere`);
    }
}

function divergingIsLightestInTheMiddle() {
    const list = steps("diverging", 65);
    for (let i = 1; i <= 32; i++) {
        assert.ok(list[i] > list[i - 1], "rises to the middle");
        assert.ok(list[64 - i] > list[65 - i], "falls behind it");
        assert.ok(Math.abs(list[32 - i] - list[32 + i]) < 12, "both arms are equally dark");
    }
}

function endsAndBeyond() {
    assert.equal(colourText(mapColour("viridis", 0)), "#440154");
    assert.equal(colourText(mapColour("viridis", 1)), "#fde725");
    assert.deepEqual(mapColour("viridis", -3), mapColour("viridis", 0));
    assert.deepEqual(mapColour("viridis", Infinity), mapColour("viridis", 1));
    assert.equal(mapColour("viridis", NaN), MISSING);
}

function tablesHoldTheMap() {
    const table = mapTable("cividis", 3);
    assert.deepEqual([...table.slice(0, 4)], [0x00, 0x22, 0x4e, 255]);
    assert.deepEqual([...table.slice(8)], [0xfe, 0xe8, 0x38, 255]);
}

// WCAG 2: 4.5:1 between a text and its ground.
function inksCanBeRead() {
    const luminance = rgb => ((lightness(rgb) + 16) / 116) ** 3;
    const contrast = (one, other) => {
        const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (high + 0.05) / (low + 0.05);
    };
    for (const colour of [...CATEGORIES.map(parseColour), ...[0, 0.25, 0.5, 0.75, 1].map(part => mapColour("viridis", part))])
        assert.ok(contrast(parseColour(inkOn(colour)), colour) >= 4.5, colourText(colour));
}

await run([lightnessIsThatOfCie, mapsRiseAndAreEven, divergingIsLightestInTheMiddle, endsAndBeyond, tablesHoldTheMap,
    inksCanBeRead]);
