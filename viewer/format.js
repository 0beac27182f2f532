/* Figures as text, in the words of the text report: "70.6 %", "14.3 MB", "1.25 ms". The figures themselves come from the
 * report; nothing is computed here but how many digits are shown. */

/** A share of 0 to 1 as "70.6 %"; null is "". */
export function share(value, digits = 1) {
    return value === null || value === undefined ? "" : `${(100 * value).toFixed(digits)} %`;
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
    return `${size.toFixed(unit > 0 ? 1 : 0)} ${units[unit]}`;
}

/** Any number with as many digits as are worth reading: integers with all. */
export function number(value) {
    if (value === null || value === undefined)
        return "";
    if (Number.isInteger(value))
        return String(value);
    return String(Number(value.toPrecision(6)));
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
        return `${nanoseconds.toFixed(0)} ns`;
    if (nanoseconds < 999950)
        return `${(nanoseconds / 1e3).toFixed(1)} us`;
    if (nanoseconds < 999995000)
        return `${(nanoseconds / 1e6).toFixed(2)} ms`;
    return `${(nanoseconds / 1e9).toFixed(3)} s`;
}
