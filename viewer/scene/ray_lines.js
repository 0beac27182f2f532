/* Many rays as plain lines, straight from the column `line` of an answer: the device turns its u16 coordinates into places of
 * the box. A ray is dimmer at its start, so its direction can be seen. */

import {BufferAttribute, BufferGeometry, GreaterDepth, LineSegments, ShaderMaterial} from "three";

import {PALETTE_GLSL} from "./palette.js";

const VERTEX = `${PALETTE_GLSL}
attribute float tint;
uniform float opacity;
varying vec4 colour;
void main() {
    colour = paletteColour(tint);
    gl_Position = colour.a > 0.0 ? projectionMatrix * modelViewMatrix * vec4(position.xyz, 1.0) : HIDDEN;
    colour.a *= opacity * ((gl_VertexID & 1) == 0 ? 0.45 : 1.0);
}`;

const FRAGMENT = `
varying vec4 colour;
void main() {
    gl_FragColor = colour;
}`;

/* Few rays are drawn in full; of many each is fainter, and what is behind them can be seen. */
function opacityOf(count) {
    return Math.min(1, Math.max(0.35, 1.25 - Math.log10(Math.max(count, 1)) / 5));
}

/** Makes the lines in `parent`. `set(answer, classes)` draws an answer; `tint(classes)` changes only classes. */
export function createRayLines(parent, palette) {
    const material = new ShaderMaterial({
        vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false,
        uniforms: {palette: {value: palette.texture}, opacity: {value: 1}},
    });
    // What geometry hides, faintly: a ray that goes into a surface is seen nowhere else.
    const hidden = material.clone();
    Object.assign(hidden, {depthFunc: GreaterDepth});
    hidden.uniforms.palette.value = palette.texture;
    const lines = new LineSegments(new BufferGeometry(), material);
    const behind = new LineSegments(lines.geometry, hidden);
    for (const object of [lines, behind]) {
        object.frustumCulled = false;
        object.renderOrder = 3;
        object.visible = false;
        parent.add(object);
    }

    function tint(classes) {
        const tints = new Uint8Array(2 * classes.length);
        for (let i = 0; i < classes.length; ++i)
            tints[2 * i] = tints[2 * i + 1] = classes[i];
        lines.geometry.setAttribute("tint", new BufferAttribute(tints, 1));
    }

    return {
        object: lines,
        set(answer, classes) {
            lines.geometry.dispose();
            lines.geometry = behind.geometry = new BufferGeometry();
            behind.visible = false;
            if (answer === null || answer.count === 0) {
                lines.visible = false;
                return;
            }
            lines.geometry.setAttribute("position", new BufferAttribute(answer.columns.line, 4, true));
            tint(classes);
            const box = answer.box;
            for (const object of [lines, behind]) {
                object.position.set(box[0], box[1], box[2]);
                object.scale.set(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
            }
            lines.visible = true;
        },
        tint,
        /**
         * Whether geometry hides what is behind it; whether the lines are faint, beside what is selected; and whether what
         * is hidden is seen faintly.
         */
        setLook(isHidden, isFaint, isSeenThrough) {
            const opacity = opacityOf(lines.geometry.attributes.tint?.count / 2 || 1) * (isFaint ? 0.45 : 1);
            material.depthTest = isHidden;
            material.uniforms.opacity.value = opacity;
            hidden.uniforms.opacity.value = 0.3 * opacity;
            behind.visible = lines.visible && isHidden && isSeenThrough;
        },
        destroy() {
            parent.remove(lines, behind);
            lines.geometry.dispose();
            material.dispose();
            hidden.dispose();
        },
    };
}
