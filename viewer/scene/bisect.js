/* Bisecting rays: the set is halved, the user says whether the ray in question is in the highlighted half, until one ray is
 * left. A set is all rays that fit the filters with a number from `low` to `high`; it can be of any size, because only
 * its bounds are kept, and its median is taken from a sample.
 *
 * Rays are numbered by thread, so a half is a part of the picture. A ray that was seen stays among the drawn ones: the
 * sample of a part is what the part has of the sample, and more. */

/** The whole of a launch's rays. */
export function startBisect(total) {
    return [[0, Math.max(total - 1, 0)]];
}

/** The bounds of the set now. `steps` is the list of bounds since the start. */
export function boundsOf(steps) {
    return steps.at(-1);
}

/** Where the set is halved: the first half is `low` to `middle`. `numbers` are those of a uniform sample of the set. */
export function middleOf(numbers, [low, high]) {
    const sorted = Uint32Array.from(numbers).filter(number => number >= low && number <= high).sort();
    if (sorted.length < 2)
        return Math.floor((low + high) / 2);
    // The lower median: of two rays the first half is the first, and the second half is never empty.
    return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** The steps after an answer: whether the ray is in the first half. */
export function answerBisect(steps, middle, isInFirst) {
    const [low, high] = boundsOf(steps);
    return [...steps, isInFirst ? [low, middle] : [middle + 1, high]];
}

/** The steps without the last answer. */
export function backBisect(steps) {
    return steps.length > 1 ? steps.slice(0, -1) : steps;
}

/** How many answers are still needed for so many rays. */
export function answersLeft(matches) {
    return matches > 1 ? Math.ceil(Math.log2(matches)) : 0;
}
