/* Where the sentences of a ray's story (ray.json) lead: the place that a sentence speaks of, what was met there, or another ray.
 * Sentences are shown as they came; what they lead to is found in them. */

function numberBehind(text, word) {
    const found = new RegExp(`\\b${word} (\\d+)`).exec(text);
    return found ? Number(found[1]) : null;
}

/* "At t 2.02 it meets", "reports a hit at t 2.02 of", "It hits ... at t 1.4, at ..." */
function distanceOf(text) {
    const found = /\bat t (-?[\d.]+(?:e[-+]?\d+)?)/i.exec(text);
    return found ? Number(found[1]) : null;
}

/** The place of a sentence in the world; null where it speaks of none. `exact` is of ray.json. */
export function placeOfSentence(text, exact) {
    if (/^It leaves /.test(text))
        return exact.origin;
    if (/^It hits /.test(text) && exact.hit)
        return exact.hit;
    const t = distanceOf(text);
    const place = t === null ? null : exact.origin.map((part, axis) => part + t * exact.direction[axis]);
    return place !== null && place.every(Number.isFinite) ? place : null;
}

/** What a click on a sentence changes in the state: what was met, or the ray that it names; {} where it names nothing. */
export function targetOfSentence(text) {
    const ray = numberBehind(text, "ray");
    if (ray !== null && /^Its shaders trace|traced in a shader of/.test(text))
        return {ray};
    const [instance, geometry, primitive] = ["instance", "geometry", "primitive"].map(word => numberBehind(text, word));
    return instance === null ? {} : {instance, geometry, primitive};
}
