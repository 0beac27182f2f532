/* Values of filters as texts: lists, ranges and rectangles of pixels, as the keys of the resource `rays` want them. */

/** The values of a list in a filter: "1,3" is ["1", "3"]. */
export function valuesOf(text) {
    return text === undefined || text === "" ? [] : String(text).split(",");
}

/** The filter with one value more, or less; undefined where none is left. */
export function toggleValue(text, value, isOn) {
    const rest = valuesOf(text).filter(one => one !== value);
    const next = isOn ? [...rest, value] : rest;
    return next.length > 0 ? next.join(",") : undefined;
}

/** Two fields as a range: "3-", "-7", "3-7"; undefined where both are empty. A number below 0 is none. */
export function rangeText(low, high) {
    const isNumber = text => text !== "" && Number(text) >= 0;
    const [from, to] = [isNumber(low) ? low : "", isNumber(high) ? high : ""];
    return from === "" && to === "" ? undefined : `${from}-${to}`;
}

/** The ends of a range as two texts. */
export function rangeEnds(text) {
    const [low, high] = /^(\d[\d.e+]*)?-(\d[\d.e+]*)?$/.exec(text ?? "")?.slice(1) ?? [text, text];
    return [low ?? "", high ?? ""];
}

/** Four fields as a rectangle of pixels, "0,0-63,31"; undefined unless all are given. */
export function rectangleText(values) {
    const isWhole = values.every(value => /^\d+$/.test(value));
    return isWhole ? `${values[0]},${values[1]}-${values[2]},${values[3]}` : undefined;
}
