/* The rays that are drawn: asks for those that fit the filters, puts them in classes, and draws them as lines, or as a density
 * image once the camera rests. While rays are bisected, the classes are the two halves.
 *
 * Answers may come in another order than they were asked for; only the last counts. */

import {boundsOf, middleOf} from "./bisect.js";
import {addRays, createDensity, densityPixels} from "./density.js";
import {mapTable} from "../colour.js";
import {classify, COLOURINGS} from "./ray_colours.js";
import {createRayLines} from "./ray_lines.js";
import {createPalette} from "./palette.js";
import {createRayDots} from "./ray_dots.js";
import {countOf, optionsOf} from "./scene_options.js";

const DENSITY_COUNT = 200000;
const DENSITY_SCALE = 2; // pixels of the screen for one of the image, each way
const MOVING_MOST = 10000; // rays that are drawn while the camera moves
const SLICE = 8192; // rays that are added at once
const SLICE_MS = 12;
const HALVES = [
    {name: "first", label: "first half", colour: "#e69f00"},
    {name: "second", label: "second half", colour: "#6f7782", isQuiet: true},
];

/**
 * The filters of the state as keys of the resource `rays`. The evidence of some rules is not rays, but threads or code: those
 * leave the rays as they are.
 */
export function filtersOf(state, rules) {
    const filters = Object.fromEntries(Object.entries(state.get("filters"))
        .filter(([, value]) => ["string", "number"].includes(typeof value) && value !== ""));
    const rule = rules.find(one => one.name === state.get("rule"));
    return rule && (rule.evidence ?? "rays") === "rays" ? {...filters, rule: rule.name} : filters;
}

/**
 * Makes the rays in `parent`. `options`: {state, launch, rules, ask(query): promise of a table of rays, overlay: canvas of
 * the density, changed(): what is shown is another, fail(error)}.
 */
export function createRaysView(parent, {state, launch, rules, ask, overlay, changed, fail}) {
    const palette = createPalette();
    const lines = createRayLines(parent, palette);
    const dots = createRayDots(parent, palette, {least: 5, size: 7});
    const shown = {answer: null, classes: [], of: new Uint8Array(0), isLoading: false, middle: null};
    let turn = 0;
    let densityTurn = 0;

    function queryOf(options) {
        const {bisect} = options;
        const filters = filtersOf(state, rules);
        const query = {launch, ...filters, count: options.style === "density" ? DENSITY_COUNT : countOf(options, filters)};
        return bisect.length > 0 ? {...query, ids: boundsOf(bisect).join("-")} : query;
    }

    function paint() {
        const options = optionsOf(state);
        const {answer} = shown;
        if (answer === null)
            return;
        const by = COLOURINGS.some(([name]) => name === state.get("colour")) ? state.get("colour") : filtersOf(state, rules).rule ? "rule" : "end";
        const own = (name, prefix) => Object.fromEntries(Object.entries(options.colours)
            .filter(([key, value]) => key.startsWith(`${prefix}.`) && /^#[0-9a-f]{6}$/i.test(value))
            .map(([key, value]) => [key.slice(prefix.length + 1), value]));
        if (options.bisect.length > 0) {
            shown.middle = middleOf(answer.columns.ray, boundsOf(options.bisect));
            shown.by = "half";
            shown.of = Uint8Array.from(answer.columns.ray, ray => ray <= shown.middle || answer.matches === 1 ? 0 : 1); // the last one is found
            const count = shown.of.reduce((sum, half) => sum + half, 0);
            shown.classes = HALVES.map((half, i) => ({
                ...half, colour: own("", "half")[half.name] ?? half.colour, count: i === 1 ? count : answer.count - count,
                isOff: i === 1 && options.halves === "first",
            }));
        } else {
            const {classes, of} = classify(answer, by, rules, own("", by));
            Object.assign(shown, {
                by, of, middle: null, classes: classes.map(one => ({...one, isOff: options.off.includes(`${by}.${one.name}`)})),
            });
        }
        palette.set(shown.classes.map(one => ({colour: one.colour, opacity: one.isOff ? 0 : one.isQuiet ? 0.35 : 1})));
        lines.tint(shown.of);
        dots.tint(shown.of);
        changed();
    }

    /* Of rays that were chosen by filters even those without length are seen, and those that geometry hides. */
    const isChosen = () => shown.answer !== null && shown.answer.matches < shown.answer.total;

    function draw(answer) {
        Object.assign(shown, {answer, isLoading: false}, answer === null && {classes: []});
        const tints = new Uint8Array(answer?.count ?? 0);
        lines.set(answer, tints);
        dots.set(isChosen() && !isDensity() ? answer : null, tints);
    }

    async function refresh() {
        const options = optionsOf(state);
        const mine = ++turn;
        if (options.style === "none" && options.bisect.length === 0) {
            draw(null);
            changed();
            return;
        }
        shown.isLoading = true;
        try {
            const answer = await ask(queryOf(options));
            if (mine !== turn)
                return;
            draw(answer);
            paint();
        } catch (error) {
            if (mine === turn) {
                draw(null);
                changed();
                fail(error);
            }
        }
    }

    const isDensity = () => optionsOf(state).style === "density" && optionsOf(state).bisect.length === 0;
    const isDrawn = index => !shown.classes[shown.of[index]]?.isOff;

    function hideDensity() {
        densityTurn++;
        overlay.hidden = true;
    }

    /* Adds slices between frames, so that the page stays alive. */
    async function drawDensity(matrix, [width, height]) {
        const mine = ++densityTurn;
        const {answer} = shown;
        if (answer === null)
            return;
        const image = createDensity(Math.ceil(width / DENSITY_SCALE), Math.ceil(height / DENSITY_SCALE));
        let begun = performance.now();
        for (let first = 0; first < answer.count; first += SLICE) {
            addRays(image, answer, matrix, first, Math.min(first + SLICE, answer.count), isDrawn);
            if (performance.now() - begun > SLICE_MS) {
                await new Promise(resolve => setTimeout(resolve));
                begun = performance.now();
            }
            if (mine !== densityTurn || answer !== shown.answer)
                return;
        }
        Object.assign(overlay, {width: image.width, height: image.height});
        overlay.getContext("2d").putImageData(new ImageData(densityPixels(image, mapTable("inferno")), image.width, image.height), 0, 0);
        overlay.hidden = false;
    }

    return {
        shown, refresh, paint, isDensity, isDrawn, drawDensity, hideDensity,
        /** What is drawn now: density only while nothing moves. `isBeside`: beside a selected ray. */
        prepare(isMoving, isBeside, size) {
            const options = optionsOf(state);
            const {behind} = options;
            const count = countOf(options, filtersOf(state, rules));
            dots.prepare(size, behind);
            lines.setLook(!behind, isBeside && options.bisect.length === 0, isChosen());
            lines.object.visible = shown.answer !== null && shown.answer.count > 0 && (!isDensity() || isMoving);
            const most = isDensity() ? Math.min(count, MOVING_MOST) : isMoving ? MOVING_MOST : Infinity;
            lines.object.geometry.setDrawRange(0, 2 * most); // a prefix is a sample
        },
        /** The matrix from the answer's box to the world that `object` is in: for picking and density. */
        object: lines.object,
        destroy() {
            turn++;
            hideDensity();
            lines.destroy();
            dots.destroy();
            palette.destroy();
        },
    };
}
