/* Colours of figures, for everything that is drawn.
 *
 * MAPS show a quantity: viridis and cividis rise evenly in lightness and are told apart by people of all kinds of colour
 * vision; inferno has more contrast in its lower part; `diverging` is for differences, white at 0.5. CATEGORIES show what
 * has no order: Okabe and Ito's palette. No view has colours of its own. */

const ANCHORS = {
    viridis: "440154 472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725",
    cividis: "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
    inferno: "000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4",
    diverging: "2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b",
};

/** The maps, by name and how they are called for the user. */
export const MAPS = [
    ["viridis", "Viridis"],
    ["cividis", "Cividis"],
    ["inferno", "Inferno"],
    ["diverging", "Blue to red (differences)"],
];

/** Colours of categories: blue, orange, green, purple, sky, vermilion, yellow, grey. */
export const CATEGORIES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8c8c8c"];

/** What stands for none of what is counted, where that must be told apart from one: no map has that grey. */
export const ZERO = [179, 179, 179];

/** What stands for a place without a value. */
export const MISSING = [128, 128, 128];

/** Colours of what made lanes idle, by the names of the report's columns; `active` is what is not idle. */
export const CAUSE_COLOURS = {
    active: "#009e73",
    control_flow: "#e69f00",
    indirect_call: "#0072b2",
    early_return: "#cc79a7",
    partial_warp: "#8c8c8c",
    helper_lanes: "#56b4e9",
    regrouped: "#d55e00",
};

/** Colours of stages, by their names in the report. */
const STAGE_COLOURS = {
    raygen: "#0072b2",
    closest_hit: "#009e73",
    any_hit: "#e69f00",
    intersection: "#d55e00",
    miss: "#56b4e9",
    callable: "#cc79a7",
    compute: "#0072b2",
    vertex: "#009e73",
    fragment: "#e69f00",
};

/** "#rrggbb" or "rrggbb" as [r, g, b], 0 to 255. */
export function parseColour(text) {
    const value = parseInt(text.replace("#", ""), 16);
    return [value >> 16 & 255, value >> 8 & 255, value & 255];
}

/** [r, g, b] as "#rrggbb". */
export function colourText(rgb) {
    return `#${rgb.map(part => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

const anchors = Object.fromEntries(Object.entries(ANCHORS).map(([name, text]) => [name, text.split(" ").map(parseColour)]));

/** The colour of `part`, 0 to 1, in a map, as [r, g, b] from 0 to 255. Beyond the ends it is that of the end. */
export function mapColour(name, part) {
    if (Number.isNaN(part))
        return MISSING;
    const list = anchors[name] ?? anchors.viridis;
    const at = Math.min(Math.max(part, 0), 1) * (list.length - 1);
    const index = Math.min(Math.floor(at), list.length - 2);
    return list[index].map((low, channel) => low + (list[index + 1][channel] - low) * (at - index));
}

/** A map as `count` colours of 4 bytes (red, green, blue, 255), such as for a texture. */
export function mapTable(name, count = 256) {
    const table = new Uint8Array(4 * count);
    for (let index = 0; index < count; index++)
        table.set([...mapColour(name, index / (count - 1)).map(Math.round), 255], 4 * index);
    return table;
}

/** A gradient of CSS that shows a map from left to right. */
export function mapGradient(name) {
    const list = anchors[name] ?? anchors.viridis;
    return `linear-gradient(to right, ${list.map(colourText).join(", ")})`;
}

/** The colour of the n-th category, from 0; after the last it begins again. */
export function categoryColour(index) {
    return CATEGORIES[index % CATEGORIES.length];
}

/** The colour of a stage by its name; grey if it has none. */
export function stageColour(stage) {
    return STAGE_COLOURS[stage] ?? CATEGORIES.at(-1);
}

/** Lightness of a colour as people see it: CIE L*, 0 (black) to 100 (white). */
export function lightness(rgb) {
    const [red, green, blue] = rgb.map(part => {
        const value = part / 255;
        return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    return luminance <= 216 / 24389 ? luminance * 24389 / 27 : 116 * Math.cbrt(luminance) - 16;
}

/** "#000000" or "#ffffff": what can be read on a colour. */
export function inkOn(rgb) {
    return lightness(rgb) > 50 ? "#000000" : "#ffffff";
}
