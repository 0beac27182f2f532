/* What is selected, drawn: the whole path of the selected ray and the other rays of its thread as tubes, and the selected
 * primitive as edges. */

import {BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments} from "three";

import {createPalette} from "./palette.js";
import {pathOf} from "./ray_path.js";
import {endsOf, NONE, threadOf} from "./ray_rows.js";
import {takeRows} from "../rays_table.js";
import {createRayDots} from "./ray_dots.js";
import {createRayTubes} from "./ray_tubes.js";

const THREAD_RAYS_MOST = 2000;
const RING = {least: 60, size: 26, isRing: true}; // around the chosen ray, where it is short
const CLASSES = {
    dark: [{colour: "#ffffff", opacity: 1}, {colour: "#ffd166", opacity: 1}, {colour: "#9fb4cc", opacity: 0.75}],
    light: [{colour: "#000000", opacity: 1}, {colour: "#c2410c", opacity: 1}, {colour: "#475569", opacity: 0.75}],
};

/**
 * Makes the selection in `parent`, whose origin is the world's minus `centre`; `world` has the world's own. `ask(query)` gives
 * rays, `directionOf(ray)` a promise of [x, y, z], or of null where it is not known.
 */
export function createSelectionView(parent, {launch, centre, world, ask, directionOf, changed, fail}) {
    const palette = createPalette();
    const tubes = createRayTubes(parent, palette, centre);
    const ring = createRayDots(world, palette, RING);
    const material = new LineBasicMaterial({depthTest: false, transparent: true});
    const edges = new LineSegments(new BufferGeometry(), material);
    const shown = {answer: null, thread: null, ray: null, way: null};
    let turn = 0;
    edges.frustumCulled = false;
    edges.renderOrder = 5;
    edges.visible = false;
    parent.add(edges);

    function draw() {
        const {answer, ray} = shown;
        if (answer === null) {
            tubes.set([]);
            ring.set(null);
            return;
        }
        const path = ray === null ? new Set() : pathOf(answer.columns.ray, answer.columns.parent, ray);
        const list = Array.from(answer.columns.ray, (number, i) => {
            const tint = number === ray ? 0 : path.has(number) ? 1 : 2;
            return {ends: endsOf(answer, i), tint, thickness: [2.6, 2, 1.2][tint], way: number === ray ? shown.way : null};
        });
        const index = answer.columns.ray.indexOf(ray ?? NONE);
        ring.set(index < 0 ? null : takeRows(answer, [index]), [0]);
        tubes.set(list.sort((a, b) => b.tint - a.tint));
    }

    /** Shows a thread's rays, and which of them is chosen; null = none. */
    async function show(thread, ray) {
        const mine = ++turn;
        const same = shown.answer !== null && String(shown.thread) === String(thread);
        if (ray !== shown.ray)
            shown.way = null;
        Object.assign(shown, {thread, ray});
        if (thread === null)
            shown.answer = null;
        if (!same && thread !== null) {
            try {
                const answer = await ask({launch, thread: thread.join(","), count: THREAD_RAYS_MOST});
                if (mine !== turn)
                    return;
                shown.answer = answer;
            } catch (error) {
                if (mine !== turn)
                    return;
                shown.answer = null;
                fail(error);
            }
        }
        draw();
        changed();
        if (ray === null || shown.way !== null)
            return;
        const way = await directionOf(ray);
        if (mine === turn && way !== null) {
            shown.way = way;
            draw();
            changed();
        }
    }

    return {
        shown, show,
        /** The thread of a ray: asked for where only the ray is known. */
        async threadOfRay(ray) {
            const answer = await ask({launch, ids: String(ray), count: 1});
            return answer.count > 0 ? threadOf(answer, 0) : null;
        },
        /** Numbers of the thread's rays, in the order of tracing. */
        numbers: () => shown.answer === null ? [] : Array.from(shown.answer.columns.ray).sort((a, b) => a - b),
        /** The box of what is shown; null where that is nothing. */
        box() {
            if (shown.answer === null || shown.answer.count === 0)
                return null;
            const index = Array.from(shown.answer.columns.ray).indexOf(shown.ray);
            const rows = index >= 0 ? [index] : Array.from({length: shown.answer.count}, (_, i) => i);
            // Where a camera stands, from which a ray starts, is no part of what is looked at; the chosen ray is, as a whole.
            const isOfCamera = i => i !== index && shown.answer.columns.parent[i] === NONE && shown.answer.columns.depth[i] === 0
                && shown.answer.count > 1;
            const places = rows.flatMap(i => {
                const ends = endsOf(shown.answer, i);
                return isOfCamera(i) ? [ends.slice(3)] : [ends.slice(0, 3), ends.slice(3)];
            });
            const of = (pick, axis) => pick(...places.map(place => place[axis]));
            return [...[0, 1, 2].map(axis => of(Math.min, axis)), ...[0, 1, 2].map(axis => of(Math.max, axis))];
        },
        /** Edges of the selected primitive: corners of a triangle or a box; null = none. */
        outline(corners) {
            edges.visible = corners !== null;
            if (corners === null)
                return;
            const pairs = corners.length === 8 ? [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7] : [0, 1, 1, 2, 2, 0];
            const places = pairs.flatMap(corner => corners[corner].map((value, axis) => value - centre[axis]));
            edges.geometry.dispose();
            edges.geometry = new BufferGeometry();
            edges.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(places), 3));
        },
        setTheme(theme) {
            palette.set(CLASSES[theme] ?? CLASSES.dark);
            material.color.set((CLASSES[theme] ?? CLASSES.dark)[1].colour);
        },
        prepare(size, isBehind) {
            tubes.resize(size[1]);
            tubes.setHidden(!isBehind);
            ring.prepare(size, true);
        },
        destroy() {
            turn++;
            tubes.destroy();
            ring.destroy();
            parent.remove(edges);
            edges.geometry.dispose();
            material.dispose();
            palette.destroy();
        },
    };
}
