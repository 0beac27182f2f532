/* A palette on the device: the colours of up to 256 classes, by which rays and points are drawn. Opacity 0 hides a class. A
 * change of a colour is a change of one texture, whatever the number of rays. */

import {DataTexture, NearestFilter} from "three";

import {parseColour} from "../colour.js";

/** Makes a palette: {texture, set(list of {colour, opacity from 0 to 1}), destroy()}. */
export function createPalette() {
    const pixels = new Uint8Array(4 * 256);
    const texture = new DataTexture(pixels, 256, 1);
    texture.minFilter = texture.magFilter = NearestFilter;
    return {
        texture,
        set(classes) {
            pixels.fill(0);
            for (const [index, {colour, opacity}] of classes.entries())
                pixels.set([...parseColour(colour), Math.round(255 * opacity)], 4 * index);
            texture.needsUpdate = true;
        },
        destroy: () => texture.dispose(),
    };
}

/** What shaders read a palette by: paletteColour(class), with opacity in a. */
export const PALETTE_GLSL = `
uniform sampler2D palette;
vec4 paletteColour(float index) {
    return texelFetch(palette, ivec2(int(index + 0.5), 0), 0);
}
const vec4 HIDDEN = vec4(2.0, 2.0, 2.0, 1.0);
`;
