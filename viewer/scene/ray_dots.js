/* Rays that are too short to be seen, as dots or rings: where a ray starts, if less than a few pixels of the screen lie between
 * its ends. A ray that hits the surface that it starts on has no length at all, and is what one looks for. */

import {BufferAttribute, BufferGeometry, InterleavedBuffer, InterleavedBufferAttribute, Points, ShaderMaterial, Vector2} from "three";

import {PALETTE_GLSL} from "./palette.js";

const VERTEX = `${PALETTE_GLSL}
attribute vec3 finish;
attribute float tint;
uniform vec2 screen; // half of the canvas, in pixels
uniform float least;
uniform float size;
uniform float ratio; // pixels of the device for one of the page
varying vec4 colour;
void main() {
    colour = paletteColour(tint);
    vec4 view = modelViewMatrix * vec4(position, 1.0);
    view.xyz *= 0.99; // before the surface that the ray starts on
    vec4 from = projectionMatrix * view;
    vec4 to = projectionMatrix * modelViewMatrix * vec4(finish, 1.0);
    bool isSeen = colour.a > 0.0 && from.w > 0.0 && to.w > 0.0;
    bool isShort = isSeen && length((to.xy / to.w - from.xy / from.w) * screen) < least;
    gl_Position = isShort ? from : HIDDEN;
    gl_PointSize = size * ratio;
}`;

const FRAGMENT = `
varying vec4 colour;
uniform bool isRing;
void main() {
    vec2 away = gl_PointCoord - 0.5;
    float part = 2.0 * length(away);
    if (part > 1.0 || (isRing && part < 0.72))
        discard;
    gl_FragColor = vec4(isRing || part < 0.75 ? colour.rgb : vec3(0.0), colour.a);
}`;

/**
 * Makes the dots in `parent`, which has the world's own places. `least` and `size` are pixels: rays shorter than `least` get a
 * dot of `size`. `set(answer, classes)` takes rays; null takes them away.
 */
export function createRayDots(parent, palette, {least, size, isRing = false}) {
    const material = new ShaderMaterial({
        vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
        uniforms: {
            palette: {value: palette.texture}, screen: {value: new Vector2(1, 1)}, least: {value: least}, size: {value: size},
            ratio: {value: 1}, isRing: {value: isRing},
        },
    });
    const dots = new Points(new BufferGeometry(), material);
    dots.frustumCulled = false;
    dots.renderOrder = 5;
    dots.visible = false;
    parent.add(dots);
    return {
        object: dots,
        set(answer, classes) {
            dots.geometry.dispose();
            dots.geometry = new BufferGeometry();
            dots.visible = answer !== null && answer.count > 0;
            if (!dots.visible)
                return;
            const lines = new InterleavedBuffer(answer.columns.line, 8);
            dots.geometry.setAttribute("position", new InterleavedBufferAttribute(lines, 3, 0, true));
            dots.geometry.setAttribute("finish", new InterleavedBufferAttribute(lines, 3, 4, true));
            const {box} = answer;
            dots.position.set(box[0], box[1], box[2]);
            dots.scale.set(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
            this.tint(classes);
        },
        tint(classes) {
            if (dots.visible)
                dots.geometry.setAttribute("tint", new BufferAttribute(Uint8Array.from(classes), 1));
        },
        prepare([width, height], isOver) {
            material.uniforms.screen.value.set(width / 2, height / 2);
            material.uniforms.ratio.value = Math.min(globalThis.devicePixelRatio || 1, 2);
            material.depthTest = !isOver;
        },
        destroy() {
            parent.remove(dots);
            dots.geometry.dispose();
            material.dispose();
        },
    };
}
