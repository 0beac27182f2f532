/* Clouds of points: where rays begin, hit and miss, and where any-hit and intersection shaders ran. The resource `points` gives
 * each cloud as places in a box, as `rays` gives lines; the same filters choose. A place that is not known is left out. */

import {BufferAttribute, BufferGeometry, Points, ShaderMaterial} from "three";

import {parseColour} from "../colour.js";

const COUNT = 20000;
const SIZE = 4; // pixels

/** The clouds: name of the kind in the query, label, colour. */
export const POINT_KINDS = [
    {name: "origin", label: "Origins", colour: "#56b4e9"},
    {name: "hit", label: "Hits", colour: "#009e73"},
    {name: "miss", label: "Misses", colour: "#cc79a7"},
    {name: "any_hit", label: "Any-hit runs", colour: "#e69f00"},
    {name: "intersection", label: "Intersections", colour: "#d55e00"},
    {name: "report", label: "Reported hits", colour: "#f0e442"},
];

const VERTEX = `
uniform float size;
attribute float known;
void main() {
    gl_Position = known > 0.5 ? projectionMatrix * modelViewMatrix * vec4(position.xyz, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    gl_PointSize = size;
}`;

const FRAGMENT = `
uniform vec3 colour;
void main() {
    vec2 away = gl_PointCoord - 0.5;
    if (dot(away, away) > 0.25)
        discard;
    gl_FragColor = vec4(colour, 1.0);
}`;

/* The filter `kind` is called `ray_kind` there, since `kind` is that of the points. */
function withoutKind({kind, ...filters}) {
    return kind === undefined ? filters : {...filters, ray_kind: kind};
}

/** Makes the clouds in `parent`. `ask(query)` gives tables of points; `changed()` is called as they come. */
export function createPoints(parent, {launch, ask, changed, fail}) {
    const clouds = new Map(); // name -> {points, count, matches}
    let turn = 0;

    function remove(name) {
        const cloud = clouds.get(name);
        clouds.delete(name);
        parent.remove(cloud.points);
        cloud.points.geometry.dispose();
        cloud.points.material.dispose();
    }

    function add(name, answer, colour) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("known", new BufferAttribute(answer.columns.known, 1));
        geometry.setAttribute("position", new BufferAttribute(answer.columns.point, 4, true));
        const material = new ShaderMaterial({
            vertexShader: VERTEX, fragmentShader: FRAGMENT,
            uniforms: {size: {value: SIZE * Math.min(globalThis.devicePixelRatio || 1, 2)}, colour: {value: colour}},
        });
        const points = new Points(geometry, material);
        const box = answer.box;
        points.position.set(box[0], box[1], box[2]);
        points.scale.set(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
        points.frustumCulled = false;
        points.renderOrder = 2;
        points.visible = answer.count > 0;
        parent.add(points);
        clouds.set(name, {points, count: answer.count, matches: answer.matches});
    }

    return {
        clouds,
        /** Shows the clouds with these names, of rays that fit `filters`. `colours` are those of the user. */
        async set(names, filters, colours) {
            const mine = ++turn;
            [...clouds.keys()].forEach(remove);
            for (const kind of POINT_KINDS.filter(one => names.includes(one.name))) {
                try {
                    const answer = await ask({launch, ...withoutKind(filters), kind: kind.name, count: COUNT});
                    if (mine !== turn)
                        return;
                    const colour = parseColour(colours[`point.${kind.name}`] ?? kind.colour).map(part => part / 255);
                    add(kind.name, answer, colour);
                    changed();
                } catch (error) {
                    if (mine === turn)
                        fail(error);
                }
            }
            changed();
        },
        setHidden(isHidden) {
            for (const {points} of clouds.values())
                points.material.depthTest = isHidden;
        },
        destroy() {
            turn++;
            [...clouds.keys()].forEach(remove);
        },
    };
}
