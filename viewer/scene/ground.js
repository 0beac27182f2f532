/* Where things are: the box around the scene with a grid on its ground, the axes in a corner, and a scale. Axes and scale are
 * drawn over the canvas (SVG), so they have the theme's colours and can be read out. */

import {BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments} from "three";

import {fill, make, makeSvg} from "../dom.js";
import {number} from "../format.js";
import {axesOf, halfSeen} from "./launch_camera.js";

const EDGES = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];
const AXES = [["X", "#d55e00"], ["Y", "#009e73"], ["Z", "#56b4e9"]];

/** A length of 1, 2 or 5 times a power of ten, at most `most`. */
function roundLength(most) {
    const power = 10 ** Math.floor(Math.log10(most));
    const step = [5, 2, 1].find(digit => digit * power <= most * (1 + 1e-9));
    return step * power;
}

/* Lines of the box, and of a grid on the side that is down. */
function groundLines(box, up) {
    const corner = i => [0, 1, 2].map(axis => box[axis + 3 * (i >> axis & 1)]);
    const lines = EDGES.map(corner);
    const axis = up.findIndex(part => part !== 0);
    // A little below: the ground of the scene itself is often there.
    const below = 0.004 * Math.hypot(...[0, 1, 2].map(i => box[3 + i] - box[i]));
    const level = up[axis] > 0 ? box[axis] - below : box[3 + axis] + below;
    const [one, other] = [0, 1, 2].filter(i => i !== axis);
    const step = roundLength(Math.max(box[3 + one] - box[one], box[3 + other] - box[other]) / 4 || 1);
    for (const [along, across] of [[one, other], [other, one]]) {
        for (let at = Math.ceil(box[along] / step) * step; at < box[3 + along]; at += step) {
            for (const end of [box[across], box[3 + across]]) {
                const point = [0, 0, 0];
                point[axis] = level;
                point[along] = at;
                point[across] = end;
                lines.push(point);
            }
        }
    }
    return lines.flat();
}

/** The box and its ground in `parent`, whose origin is the world's minus `centre`. */
export function createGround(parent, centre) {
    const material = new LineBasicMaterial({transparent: true, opacity: 0.55});
    const lines = new LineSegments(new BufferGeometry(), material);
    lines.frustumCulled = false;
    lines.renderOrder = 1;
    parent.add(lines);
    return {
        set(box, up) {
            const places = groundLines(box, up).map((value, i) => value - centre[i % 3]);
            lines.geometry.dispose();
            lines.geometry = new BufferGeometry();
            lines.geometry.setAttribute("position", new BufferAttribute(Float32Array.from(places), 3));
        },
    colour: text => material.color.set(text),
        show(isShown) {
            lines.visible = isShown;
        },
        destroy() {
            parent.remove(lines);
            lines.geometry.dispose();
            material.dispose();
        },
    };
}

/** The axes in a corner of `element`, and a scale of the world's units at the target. Returns {show(camera, size)}. */
export function createCompass(element) {
    const drawing = makeSvg("svg", {class: "scene-axes", viewBox: "-40 -40 80 80", role: "img", "aria-label": "Axes"});
    const bar = make("div", {class: "scene-scale-bar"});
    const text = make("span", {});
    element.append(make("div", {class: "scene-compass", title: "Axes, and a scale at the point that the camera turns around"},
        drawing, make("div", {class: "scene-scale"}, bar, text)));
    return {
        show(camera, [width, height]) {
            const {right, up, ahead} = axesOf(camera);
            const ends = AXES.map(([name, colour], axis) => (
                {name, colour, x: 30 * right[axis], y: -30 * up[axis], depth: ahead[axis]}));
            ends.sort((a, b) => b.depth - a.depth);
            fill(drawing, ends.map(end => [
                makeSvg("line", {x1: 0, y1: 0, x2: end.x, y2: end.y, stroke: end.colour, "stroke-width": 2}),
                makeSvg("text", {x: end.x * 1.2, y: end.y * 1.2 + 4, fill: end.colour, "text-anchor": "middle"}, end.name),
            ]));
            const [wide] = halfSeen(camera, width / Math.max(height, 1));
            const pixel = 2 * wide / Math.max(width, 1);
            const long = roundLength(Math.max(120 * pixel, Number.MIN_VALUE));
            bar.style.setProperty("width", `${long / pixel}px`);
            text.textContent = number(long);
        },
    };
}
