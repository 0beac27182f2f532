/* Figures as text, in the words of the text report: "70.6 %", "14.3 MB", "1.25 ms". The figures themselves come from the
 * report; nothing is computed here but how many digits are shown. */

/**
 * A number with so many digits behind the point, as C prints it: a tie goes to the even digit. toFixed rounds it up (6.25 to
 * 6.3 in place of 6.2).
 */
export function fixed(value, digits) {
    const near = value.toFixed(digits);
    const exact = value.toFixed(Math.min(digits + 60, 100)); // all digits that a double has
    const isTie = /^50*$/.test(exact.slice(exact.indexOf(".") + 1 + digits));
    if (!isTie || Number(near.at(-1)) % 2 === 0)
        return near;
    const step = 10 ** -digits;
    return (Number(near) - Math.sign(value) * step).toFixed(digits);
}

/** A share of 0 to 1 as "70.6 %"; null is "". */
export function share(value) {
    return value === null || value === undefined ? "" : `${fixed(100 * value, 1)} %`;
}

/** A share as the summary says it, which tells small ones from none: "0.09 %", "<0.01 %". */
export function smallShare(value) {
    if (value === null || value === undefined || 100 * value >= 0.1)
        return share(value);
    return 100 * value < 0.01 ? "<0.01 %" : `${fixed(100 * value, 2)} %`;
}

/** Bytes as the report says them: "14.3 MB". */
export function bytes(count) {
    if (count === null || count === undefined)
        return "";
    const units = ["bytes", "kB", "MB", "GB", "TB"];
    let size = count;
    let unit = 0;
    for (; size >= 1000 && unit < 4; size /= 1000)
        unit++;
    return `${fixed(size, unit > 0 ? 1 : 0)} ${units[unit]}`;
}

/** A number as it is, if it is an integer; else as a ratio. */
export function number(value) {
    return Number.isInteger(value) ? String(value) : ratio(value);
}

/** A number that may have a fraction: two digits behind the point, and of small ones three that count. */
export function ratio(value) {
    if (value === null || value === undefined)
        return "";
    return value !== 0 && Math.abs(value) < 0.01 ? String(Number(value.toPrecision(3))) : fixed(value, 2);
}

/** "1 ray", "2 rays". */
export function counted(count, singular, plural = `${singular}s`) {
    return `${count} ${count === 1 ? singular : plural}`;
}

/**
 * The digits of an integer in groups of three, for marks between them that are drawn and not copied. Of four digits there
 * is one group.
 */
export function groups(text) {
    if (!/^-?\d{5,}$/.test(text))
        return [text];
    return text.split(/(?=(?:\d{3})+$)/);
}

/** Nanoseconds as the report says them: "1.25 ms". */
export function time(nanoseconds) {
    if (nanoseconds === null || nanoseconds === undefined)
        return "";
    if (nanoseconds < 999.5)
        return `${fixed(nanoseconds, 0)} ns`;
    if (nanoseconds < 999950)
        return `${fixed(nanoseconds / 1e3, 1)} us`;
    if (nanoseconds < 999995000)
        return `${fixed(nanoseconds / 1e6, 2)} ms`;
    return `${fixed(nanoseconds / 1e9, 3)} s`;
}
