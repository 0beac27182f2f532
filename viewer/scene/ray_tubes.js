/* Few rays as tubes with an arrowhead, of the same thickness on the screen at every distance. Their ends are floats, not
 * coordinates of a box. */

import {
    BufferAttribute, DoubleSide, GreaterDepth, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, ShaderMaterial,
} from "three";

import {PALETTE_GLSL} from "./palette.js";

const SIDES = 6;
const RINGS = 5; // start, shaft end, head start, tip; the first is closed by a ring of radius 0

const VERTEX = `${PALETTE_GLSL}
const float LEAST = 36.0; // pixels
attribute vec3 start;
attribute vec3 end;
attribute float tint;
attribute float thickness;
attribute vec3 way; // direction of a ray that has a least length on the screen; 0: it has none
uniform float pixels; // height of the canvas
varying vec4 colour;
varying vec3 normal_;
void main() {
    colour = paletteColour(tint);
    vec4 from = modelViewMatrix * vec4(start, 1.0);
    vec4 to = modelViewMatrix * vec4(end, 1.0);
    float size = distance(from.xyz, to.xyz);
    vec3 axis = size > 0.0 ? (to.xyz - from.xyz) / size : vec3(0.0, 0.0, 1.0);
    float unit = 2.0 / (projectionMatrix[1][1] * pixels);
    bool isPerspective = projectionMatrix[2][3] != 0.0;
    float shortest = LEAST * unit * (isPerspective ? max(-from.z, 0.0) : 1.0);
    if (dot(way, way) > 0.0 && size < shortest) {
        axis = normalize((modelViewMatrix * vec4(way, 0.0)).xyz);
        to.xyz = from.xyz + axis * shortest;
        size = shortest;
    }
    vec3 helper = abs(axis.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0);
    vec3 side = normalize(cross(axis, helper));
    vec3 out_ = cos(position.x) * side + sin(position.x) * cross(axis, side);
    // What a pixel is at the tip, where the head is; the head is never more than a third of the ray.
    float near = 1e-3 * size;
    float atTip = unit * (isPerspective ? max(-to.z, near) : 1.0) * thickness;
    float head = min(size / 3.0, 5.0 * atTip);
    int ring = int(position.y + 0.5);
    vec3 place = ring <= 1 ? from.xyz : ring == 4 ? to.xyz : to.xyz - axis * head;
    float here = unit * (isPerspective ? max(-place.z, near) : 1.0) * thickness;
    float radius = ring == 0 || ring == 4 ? 0.0 : ring == 3 ? min(2.2 * here, 0.7 * head) : min(here, 0.3 * head);
    normal_ = out_;
    gl_Position = colour.a > 0.0 ? projectionMatrix * vec4(place + out_ * radius, 1.0) : HIDDEN;
}`;

const FRAGMENT = `
varying vec4 colour;
varying vec3 normal_;
uniform float opacity;
void main() {
    gl_FragColor = vec4(colour.rgb * (0.6 + 0.4 * abs(normalize(normal_).z)), colour.a * opacity);
}`;

/* One tube: x is the angle, y the ring. */
function addTube(geometry) {
    const positions = new Float32Array(3 * SIDES * RINGS);
    const indices = [];
    for (let ring = 0; ring < RINGS; ++ring) {
        for (let side = 0; side < SIDES; ++side) {
            const vertex = ring * SIDES + side;
            positions.set([2 * Math.PI * side / SIDES, ring, 0], 3 * vertex);
            const next = ring * SIDES + (side + 1) % SIDES;
            if (ring + 1 < RINGS)
                indices.push(vertex, next, vertex + SIDES, next, next + SIDES, vertex + SIDES);
        }
    }
    geometry.setAttribute("position", new BufferAttribute(positions, 3));
    geometry.setIndex(indices);
}

/**
 * Makes the tubes in `parent`, whose origin is the world's minus `centre`. `set(list)` draws rays: {ends: [x, y, z, x, y, z],
 * tint: class of the palette, thickness: radius in pixels, way: the direction of a ray that is drawn with a least length, else
 * null}. What geometry hides of them is seen faintly.
 */
export function createRayTubes(parent, palette, centre) {
    const material = new ShaderMaterial({
        vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, side: DoubleSide,
        uniforms: {palette: {value: palette.texture}, pixels: {value: 1}, opacity: {value: 1}},
    });
    const hidden = material.clone();
    Object.assign(hidden, {depthFunc: GreaterDepth, depthWrite: false});
    hidden.uniforms.palette.value = palette.texture;
    hidden.uniforms.opacity.value = 0.4;
    const mesh = new Mesh(new InstancedBufferGeometry(), material);
    const behind = new Mesh(mesh.geometry, hidden);
    for (const [object, order] of [[behind, 3.5], [mesh, 4]]) {
        object.frustumCulled = false;
        object.renderOrder = order;
        object.visible = false;
        parent.add(object);
    }
    return {
        set(list) {
            mesh.geometry.dispose();
            const geometry = new InstancedBufferGeometry();
            addTube(geometry);
            const place = (end, i) => list[i].ends.slice(end, end + 3).map((value, axis) => value - centre[axis]);
            const of = (width, value) => new InstancedBufferAttribute(
                Float32Array.from(list.flatMap((_, i) => value(i))), width);
            geometry.setAttribute("start", of(3, i => place(0, i)));
            geometry.setAttribute("end", of(3, i => place(3, i)));
            geometry.setAttribute("tint", of(1, i => [list[i].tint]));
            geometry.setAttribute("thickness", of(1, i => [list[i].thickness]));
            geometry.setAttribute("way", of(3, i => list[i].way ?? [0, 0, 0]));
            geometry.instanceCount = list.length;
            mesh.geometry = behind.geometry = geometry;
            mesh.visible = list.length > 0;
            behind.visible = mesh.visible && material.depthTest;
        },
        resize: height => {
            material.uniforms.pixels.value = hidden.uniforms.pixels.value = height;
        },
        setHidden(isHidden) {
            material.depthTest = isHidden;
            behind.visible = mesh.visible && isHidden;
        },
        destroy() {
            parent.remove(mesh, behind);
            mesh.geometry.dispose();
            material.dispose();
            hidden.dispose();
        },
    };
}
