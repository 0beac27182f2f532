/* Pages of memory over time, without their drawing: what stands where, which pages belong together, and what of it is in sight.
 * `answer` is touched.json (analysis/viewer/touched_json.c). */

import {number} from "../format.js";
import {partOf} from "../picture/model.js";
import {shownLine} from "../shaders/model.js";

/**
 * Where each cell stands: {first, list}. Those of a page are list[first[page]] to list[first[page + 1] - 1], indices in the lists of
 * `cells`. A table of all pages and parts would have hundreds of megabytes where pages are many, and be empty for the most part.
 */
export function placesOf({pages, cells}) {
    const first = new Uint32Array(pages.length + 1);
    const list = new Uint32Array(cells.page.length);
    cells.page.forEach(page => first[page + 1]++);
    for (let page = 0; page < pages.length; page++)
        first[page + 1] += first[page];
    const next = first.slice();
    cells.page.forEach((page, index) => {
        list[next[page]++] = index;
    });
    return {first, list};
}

/** The index of a cell; undefined = nothing touches the page in that part. */
export function cellAt(answer, {first, list}, page, part) {
    return list.subarray(first[page], first[page + 1]).find(index => answer.cells.part[index] === part);
}

/** The colour of a value, a place in `table` (colour.js); null = 0, which no scale of colours has: it is told apart from one. */
export function colourAt(value, scale) {
    return value === 0 ? null : 4 * Math.round(255 * (partOf(Math.max(value, scale.low), scale) || 0));
}

/**
 * Pages that belong together: [{first, last, name, isPart}], `last` behind the last page. An allocation begins a band, with the
 * buffers of its first page; where the buffers change in it, a band begins that is a part of it.
 */
export function bandsOf(pages) {
    const bands = [];
    pages.forEach((page, index) => {
        const before = pages[index - 1];
        const begins = !before || before.of !== page.of || page.begin <= before.begin;
        if (!begins && before.buffers === page.buffers)
            return;
        const name = !begins ? page.buffers : page.of === page.buffers ? page.of : `${page.of}: ${page.buffers}`;
        bands.push({first: index, last: pages.length, name: shownLine(name), isPart: !begins});
    });
    bands.forEach((band, index) => {
        band.last = bands[index + 1]?.first ?? band.last;
    });
    return bands;
}

/**
 * The bands in sight: [{band, y, isNamed}], `y` of their tops on the screen by `toY(page)`. A band whose beginning is out of sight
 * begins at `top`. Where bands are thinner than `line`, some have no name, so that no name meets another.
 */
export function bandsInSight(bands, {from, to}, {top, line, toY}) {
    let free = -Infinity;
    return bands.filter(band => band.last > from && band.first < to).map(band => {
        const y = Math.max(toY(band.first), top);
        const isNamed = y >= free;
        if (isNamed)
            free = y + line;
        return {band, y, isNamed};
    });
}

/**
 * The largest values of a figure in `rows` rows of the pages from `first` on and before `last`, row by row; NaN where none of a row's
 * pages is touched. So a picture with fewer rows than pages hides no cell.
 */
export function largestOf(answer, figure, {first, last}, rows) {
    const largest = new Float64Array(rows * answer.parts).fill(NaN);
    const {page, part, [figure]: values} = answer.cells;
    for (let index = 0; index < page.length; index++) {
        if (page[index] < first || page[index] >= last)
            continue;
        const place = Math.floor((page[index] - first) * rows / (last - first)) * answer.parts + part[index];
        if (!(largest[place] >= values[index]))
            largest[place] = values[index];
    }
    return largest;
}

/** The scale of a figure that all answers share: from 0, or of a logarithmic one from 1, to the largest value. */
export function scaleOf(answers, figure, logarithmic) {
    const most = Math.max(1, ...answers.map(answer => answer.figures.find(one => one.name === figure)?.largest ?? 0));
    return {low: logarithmic ? 1 : 0, high: most, logarithmic};
}

/** What of an axis of `size` is in sight after zooming by `factor` around `place`: {from, to}, at least `least` of it. */
export function zoomed({from, to}, factor, place, size, least) {
    const span = Math.min(size, Math.max(least, (to - from) / factor));
    return moved({from: place - (place - from) * span / (to - from), to: 0}, span, size);
}

/** The same of `span`, moved so that it lies within. */
export function moved({from}, span, size) {
    const start = Math.min(Math.max(from, 0), size - span);
    return {from: start, to: start + span};
}

/** What is known of a place, in words. */
export function placeText(answer, places, page, part) {
    const {of, begin, buffers} = answer.pages[page];
    const percent = at => number(Math.round(1000 * at / answer.parts) / 10);
    const name = shownLine(of === buffers ? of : `${of}, ${buffers}`);
    const where = `page ${number(page)}: ${name}, bytes ${number(begin)} to ${number(begin + answer.page - 1)}`;
    const when = `${percent(part)} to ${percent(part + 1)} % of the launch`;
    const index = cellAt(answer, places, page, part);
    const lower = title => title.replace(/^[A-Z](?=[a-z])/, first => first.toLowerCase());
    const values = index === undefined ? ["not touched"]
        : answer.figures.map(({name: figure, title}) => `${number(answer.cells[figure][index])} ${lower(title)}`);
    return [where, when, ...values].join(" · ");
}
