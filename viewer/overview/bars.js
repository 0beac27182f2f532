/* Bars of a histogram that has more different values than there is room for. */

const BARS = 100; // more than these are joined: they are narrower than a pixel or two

/* Counts by blocks executed, joined to `BARS` bars of equal width where there are more different lifetimes. */
export function joinLifetimes(rows, of) {
    const used = rows.filter(row => row[of] > 0);
    if (used.length === 0)
        return {from: [], values: [], width: 1};
    const [first, last] = [used[0].blocks, used.at(-1).blocks];
    const width = Math.max(1, Math.ceil((last - first + 1) / BARS));
    const values = new Array(Math.floor((last - first) / width) + 1).fill(0);
    for (const row of used)
        values[Math.floor((row.blocks - first) / width)] += row[of];
    return {from: values.map((_, index) => first + index * width), values, width};
}
