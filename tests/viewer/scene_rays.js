// Rays of the scene: places, picking, bisecting, classes, density, paths and filters, against answers by hand.
import assert from "node:assert/strict";

import {answerBisect, answersLeft, backBisect, boundsOf, middleOf, startBisect} from "../../viewer/scene/bisect.js";
import {addLine, addRays, createDensity, densityPixels} from "../../viewer/scene/density.js";
import {boxOfRays, withContext, worstRay} from "../../viewer/scene/evidence.js";
import {pickLine} from "../../viewer/scene/picking.js";
import {classify} from "../../viewer/scene/ray_colours.js";
import {endsOf, NONE, threadOf} from "../../viewer/scene/ray_rows.js";
import {pathOf} from "../../viewer/scene/ray_path.js";
import {run} from "./test.js";

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function placesAreInTheBox() {
    const answer = {
        box: [0, 10, -1, 2, 20, 1], columns: {line: Uint16Array.of(0, 65535, 32768, 0, 65535, 0, 65535, 1), thread: Uint32Array.of(7, 8, 9)},
    };
    const ends = endsOf(answer, 0);
    assert.deepEqual([ends[0], ends[1], ends[3], ends[4], ends[5]], [0, 20, 2, 10, 1]);
    assert.ok(Math.abs(ends[2] - 1 / 65535) < 1e-12); // 32768 of 65535 is half a step above the middle
    assert.deepEqual(threadOf(answer, 0), [7, 8, 9]);
}

/* A canvas of 100 x 100 pixels; x and y from -1 to 1, depth is z. */
function pick(lines, at) {
    return pickLine(lines.length, (i, out) => lines[i] === null ? false : (out.set(lines[i]), true), IDENTITY, at, [100, 100]);
}

function theNearestWithinReachIsPicked() {
    const lines = [
        [-1, 0, 0.5, 1, 0, 0.5],       // the middle row, farther away
        [-1, 0.04, 0.2, 1, 0.04, 0.2], // two pixels above it, nearer to the viewer
        [-1, 0.2, 0, 1, 0.2, 0],       // ten pixels above
    ];
    assert.equal(pick(lines, [50, 50]).index, 1); // both are within 4 pixels: depth decides
    assert.equal(pick(lines, [50, 53]).index, 0); // 3 pixels below the row: 5 from the second
    assert.equal(pick(lines, [50, 60]), null);
    assert.equal(pick([lines[0], null, lines[2]], [50, 50]).index, 0); // hidden ones are not picked
}

function depthIsThatOfThePlaceOnTheLine() {
    const found = pick([[-1, 0, -0.5, 1, 0, 0.5]], [75, 50]);
    assert.ok(Math.abs(found.depth - 0.25) < 1e-9);
}

function whatIsBehindTheViewerIsCutOff() {
    // Perspective: w = -z, near plane at distance 1. The line runs from behind the viewer to the left, at distance 2.
    const perspective = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -2, 0];
    const line = [3, 0, 5, -1, 0, -2];
    const at = pickLine(1, (i, out) => (out.set(line), true), perspective, [25, 50], [100, 100]);
    assert.equal(at.index, 0); // -1 at distance 2 is -0.5: pixel 25
    assert.equal(pickLine(1, (i, out) => (out.set([0, 0, 5, 1, 0, 6]), true), perspective, [50, 50], [100, 100]), null);
}

/* Bisects 0 .. total - 1 for `wanted`, from samples that have every `part`-th number. Returns the answers that it took. */
function search(numbers, wanted, sampleMost) {
    let steps = startBisect(Math.max(...numbers) + 1);
    for (let answers = 0; answers < 100; ++answers) {
        const [low, high] = boundsOf(steps);
        const left = numbers.filter(number => number >= low && number <= high);
        assert.ok(left.includes(wanted));
        if (left.length === 1)
            return answers;
        const sample = left.filter((_, i) => i * sampleMost % left.length < sampleMost).slice(0, sampleMost);
        const middle = middleOf(sample, [low, high]);
        assert.ok(left.some(number => number <= middle) && left.some(number => number > middle), "both halves have rays");
        steps = answerBisect(steps, middle, wanted <= middle);
    }
    throw new Error("it does not end");
}

function bisectingEndsAtTheRay() {
    const all = Array.from({length: 1000}, (_, i) => i);
    for (const wanted of [0, 1, 499, 500, 998, 999])
        assert.equal(search(all, wanted, 1000) <= 10, true);
    const filtered = [3, 4, 900, 901, 902, 5000, 70000];
    for (const wanted of filtered)
        assert.ok(search(filtered, wanted, 7) <= 3);
    for (const wanted of [0, 317, 999])
        assert.ok(search(all, wanted, 50) <= 14); // halves of a sample are not quite halves
}

function bisectingGoesBack() {
    const steps = answerBisect(startBisect(8), 3, false);
    assert.deepEqual(steps, [[0, 7], [4, 7]]);
    assert.deepEqual(backBisect(steps), [[0, 7]]);
    assert.deepEqual(backBisect(backBisect(steps)), [[0, 7]]);
    assert.equal(answersLeft(8), 3);
    assert.equal(answersLeft(9), 4);
    assert.equal(answersLeft(1), 0);
}

const answer = {
    count: 4, columns: {
        end: Uint8Array.of(1, 2, 1, 3), kind: Uint8Array.of(0, 1, 2, 0), depth: Uint16Array.of(0, 1, 9, 2),
        any_hits: Uint16Array.of(0, 4, 5, 100), intersections: Uint16Array.of(0, 0, 0, 0), rules: Uint32Array.of(0, 0b10, 0b110, 0b100),
    },
};

function raysAreCountedByClass() {
    const counts = (by, rules) => Object.fromEntries(classify(answer, by, rules).classes.filter(one => one.count > 0)
        .map(one => [one.name, one.count]));
    assert.deepEqual(counts("end"), {hit: 2, miss: 1, implicit_hit: 1});
    assert.deepEqual(counts("kind"), {trace: 2, skip_closest_hit: 1, query: 1});
    assert.deepEqual(counts("depth"), {0: 1, 1: 1, 2: 1, 7: 1});
    assert.deepEqual(counts("any_hits"), {0: 1, 3: 1, 5: 1, 17: 1});
    // Bits 1 and 2 are there; the third ray has both, and counts as the first of them.
    assert.deepEqual(counts("rule", [{name: "a"}, {name: "b"}, {name: "c"}]), {"": 1, b: 2, c: 1});
    assert.equal(classify(answer, "end", [], {hit: "#123456"}).classes[1].colour, "#123456");
}

function linesAddUp() {
    const image = createDensity(4, 4);
    addLine(image, 0, 0.5, 4, 0.5); // the whole first row
    addLine(image, -9, 1.5, 2, 1.5); // of the second row the left half
    addLine(image, 9, 9, 12, 12); // outside
    addLine(image, 0.5, 0.5, 0.5, 0.5); // a point
    assert.deepEqual(Array.from(image.sums.subarray(0, 8)), [2, 1, 1, 1, 1, 1, 0, 0]);
    assert.equal(image.most, 2);
    assert.equal(image.sums.reduce((sum, value) => sum + value), 7);
    const pixels = densityPixels(image, new Uint8Array(1024).fill(9));
    assert.deepEqual(Array.from(pixels.subarray(0, 4)), [9, 9, 9, 255]); // the most is opaque
    assert.equal(pixels[4 * 6 + 3], 0); // nothing is transparent
}

function raysAreProjected() {
    const image = createDensity(4, 4);
    // The box is 0 to 1; the matrix makes -1 to 1 of it. One ray goes from left to right in the middle, one is hidden.
    const matrix = [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, -1, -1, 0, 1];
    const line = Uint16Array.of(0, 40000, 0, 0, 65535, 40000, 0, 1, 0, 0, 0, 0, 65535, 65535, 0, 1);
    addRays(image, {columns: {line}}, matrix, 0, 2, i => i === 0);
    assert.deepEqual(Array.from(image.sums.subarray(4, 8)), [1, 1, 1, 1]); // y 0.61 from below is the second row
    assert.equal(image.most, 1);
}

function pathsLeadThereAndOn() {
    // 10 -> 11 -> 12, 11 -> 13; 14 is a ray of its own.
    const numbers = [10, 11, 12, 13, 14];
    const parents = [NONE, 10, 11, 11, NONE];
    assert.deepEqual([...pathOf(numbers, parents, 12)].sort(), [10, 11, 12]);
    assert.deepEqual([...pathOf(numbers, parents, 11)].sort(), [10, 11, 12, 13]);
    assert.deepEqual([...pathOf(numbers, parents, 10)].sort(), [10, 11, 12, 13]);
    assert.deepEqual([...pathOf(numbers, parents, 14)], [14]);
}

/* Rays in a box of 0 to 65535 on each axis: [number, thread's x, end, start, end]. */
function raysOf(rows) {
    return {
        count: rows.length, box: [0, 0, 0, 65535, 65535, 65535], columns: {
            ray: Uint32Array.from(rows, row => row[0]), thread: Uint32Array.from(rows.flatMap(row => [row[1], 0, 0])),
            end: Uint8Array.from(rows, row => row[2]), line: Uint16Array.from(rows.flatMap(row => [...row[3], 0, ...row[4], 1])),
        },
    };
}

function theWorstRayIsOfTheThreadWithMost() {
    const at = [0, 0, 0];
    assert.equal(worstRay(raysOf([])), null);
    const rays = raysOf([[9, 1, 1, at, at], [7, 2, 1, at, at], [5, 3, 1, at, at], [4, 2, 1, at, at]]);
    assert.deepEqual(worstRay(rays), {thread: [2, 0, 0], ray: 7}); // two rays, of which 7 is the last
    assert.deepEqual(worstRay(raysOf([[9, 1, 1, at, at], [7, 2, 1, at, at]])), {thread: [2, 0, 0], ray: 7}); // equal: the first
}

function theBoxIsOfStartsAndHits() {
    assert.equal(boxOfRays(raysOf([])), null);
    // Where a miss ends does not count.
    assert.deepEqual(boxOfRays(raysOf([[0, 0, 1, [10, 20, 30], [40, 20, 30]], [1, 0, 2, [10, 50, 30], [60000, 60000, 60000]]])),
        [10, 20, 30, 40, 50, 30]);
    // Of 101 starts the outermost two on each side are left out: one far away does not make the others small.
    const many = Array.from({length: 101}, (_, i) => [i, 0, 2, [i === 100 ? 60000 : 100 + i, 5, 5], [0, 0, 0]]);
    assert.deepEqual(boxOfRays(raysOf(many)), [102, 5, 5, 198, 5, 5]);
}

function whatIsSmallIsSeenWithWhatIsAround() {
    const around = withContext([10, 10, 10, 10, 60, 10], [0, 0, 0, 100, 50, 20]); // 15 % of 100
    assert.deepEqual(around, [2.5, 10, 2.5, 17.5, 60, 17.5]);
}

await run([theWorstRayIsOfTheThreadWithMost, theBoxIsOfStartsAndHits, whatIsSmallIsSeenWithWhatIsAround,
    placesAreInTheBox, theNearestWithinReachIsPicked, depthIsThatOfThePlaceOnTheLine, whatIsBehindTheViewerIsCutOff, bisectingEndsAtTheRay,
    bisectingGoesBack, raysAreCountedByClass, linesAddUp, raysAreProjected, pathsLeadThereAndOn]);
