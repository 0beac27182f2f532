/* Charts, drawn by uPlot: bars, steps and lines over numbers, with the same looks, keyboard and table everywhere.
 *
 * A chart has the focus by Tab. Arrow keys go from point to point, Home and End to the first and last; the values stand
 * below the chart, and are read out. Enter chooses a point where points lead somewhere. "As a table" shows the values instead. */

import uPlot from "uplot";

import {button, fill, make} from "./dom.js";
import {shownText, createTable} from "./table.js";
import {token, watchTheme} from "./theme.js";

const HEIGHT = 180;

function pathsOf(kind) {
    if (kind === "bars")
        return uPlot.paths.bars({size: [0.9, 100], align: 0});
    return uPlot.paths.linear();
}

/* Colours of categories are made for both themes; text and grid are of the theme. */
function axis(label, kind, isSide) {
    const ink = token("--ink-quiet");
    return {
        stroke: ink,
        label,
        labelSize: 18,
        labelFont: `12px ${token("--font")}`,
        font: `11px ${token("--font")}`,
        size: isSide ? 56 : 30,
        grid: {stroke: token("--line"), width: 1, show: isSide},
        ticks: {stroke: token("--line"), width: 1, size: 4},
        values: (plot, values) => values.map(value => value === null ? "" : axisText(kind, value)),
    };
}

function axisText(kind, value) {
    if (kind === "share")
        return `${Number((100 * value).toFixed(1))} %`;
    if (kind === "count" && Math.abs(value) >= 10000)
        return Intl.NumberFormat("en", {notation: "compact"}).format(value);
    return shownText(kind, value);
}

function tableOf(chart) {
    const columns = [
        {name: chart.x.name ?? "x", title: chart.x.label, kind: chart.x.kind ?? "number", value: row => row.x},
        ...chart.series.map((series, index) => ({
            name: series.name ?? `series_${index + 1}`, title: series.label, kind: series.kind ?? "count",
            value: row => row.values[index],
        })),
    ];
    const rows = chart.x.values.map((x, at) => ({
        x: chart.x.names?.[at] ?? x, values: chart.series.map(series => series.values[at]),
    }));
    return createTable({label: chart.title, columns, rows, most: 12, tools: false});
}

/**
 * Draws a chart into `element`. `chart`:
 *     title     what it is, for screen readers and the table
 *     x         {label, values (ascending numbers), kind, names (texts in place of the numbers, such as of categories), splits
 *               and split(x) (where the axis has marks and what stands there, if that is not at each name)}
 *     y         label of the y axis, where there are several series
 *     series    [{label, values, kind, colour, draw: "bars", "area" or "line"}]; kinds as of table.js; null is no value
 *     height    in pixels
 *     from      least value of the y axis, 0 unless given; `to` the largest, if it is known (1 for shares)
 *     choose(index)  what the user does with a point: a click, or Enter
 * Returns {destroy()}.
 */
export function createChart(element, chart) {
    const place = make("div", {class: "chart", tabindex: "0", role: "img"});
    const value = make("div", {class: "chart-value", "aria-live": "polite"});
    const asTable = button("As a table", toggleTable, {class: "quiet", "aria-pressed": "false"});
    const below = make("div", {class: "chart-below"}, value, asTable);
    fill(element, place, below);
    place.setAttribute("aria-label", `Chart: ${chart.title}. ${chart.x.values.length} points; arrow keys read them.`);
    let plot = null;
    let at = -1;
    let table = null;

    function describe(index) {
        if (index === null || index < 0 || index >= chart.x.values.length)
            return "";
        const x = chart.x.names?.[index] ?? shownText(chart.x.kind ?? "number", chart.x.values[index]);
        const values = chart.series.filter(series => series.values[index] !== null)
            .map(series => `${series.label} ${shownText(series.kind ?? "count", series.values[index])}`);
        return `${chart.x.label} ${x}: ${values.join(", ")}`;
    }

    function show(index) {
        at = index ?? -1;
        value.textContent = describe(index);
    }

    function makePlot() {
        plot?.destroy();
        const options = {
            width: Math.max(place.clientWidth, 120),
            height: chart.height ?? HEIGHT,
            legend: {show: false},
            cursor: {drag: {x: false, y: false}, points: {show: false}, y: false},
            scales: {
                x: {time: false, range: (u, low, high) => [low - 0.5 * stepOf(), high + 0.5 * stepOf()]},
                y: {range: (u, low, high) => [chart.from ?? 0, chart.to ?? (high > 0 ? high * 1.05 : 1)]},
            },
            axes: [
                {...axis(chart.x.label, chart.x.kind, false),
                    ...(chart.x.names && {splits: () => chart.x.splits ?? chart.x.values, values: namesAt})},
                axis(chart.series.length === 1 ? chart.series[0].label : chart.y, chart.series[0].kind, true),
            ],
            series: [{}, ...chart.series.map(series => ({
                label: series.label,
                stroke: series.colour ?? token("--accent"),
                fill: series.draw === "bars" || series.draw === "area" ? series.colour ?? token("--accent") : undefined,
                width: series.draw === "bars" ? 0 : 1.5,
                paths: pathsOf(series.draw ?? "line"),
                points: {show: (series.draw ?? "line") === "line" && chart.x.values.length < 40},
            }))],
            hooks: {setCursor: [u => u.cursor.left >= 0 && show(u.cursor.idx)]},
        };
        plot = new uPlot(options, [chart.x.values, ...chart.series.map(series => series.values)], place);
    }

    /* Names for which there is room: a name that would stand over the one before is left out. */
    function namesAt(u, splits) {
        let free = -Infinity;
        return splits.map(x => {
            const name = chart.x.split ? chart.x.split(x) : chart.x.names[chart.x.values.indexOf(x)];
            const at = u.valToPos(x, "x");
            const half = u.ctx.measureText(name ?? "").width / devicePixelRatio / 2;
            if (!name || at - half < free)
                return "";
            free = at + half + 8;
            return name;
        });
    }

    /* A bar of the first and the last value needs room to the side. */
    function stepOf() {
        const values = chart.x.values;
        const isBars = chart.series.some(series => series.draw === "bars");
        return values.length < 2 ? 1 : isBars ? (values.at(-1) - values[0]) / (values.length - 1) : 0;
    }

    function move(event) {
        const last = chart.x.values.length - 1;
        const next = {ArrowLeft: Math.max(at - 1, 0), ArrowRight: Math.min(at + 1, last), Home: 0, End: last}[event.key];
        if (event.key === "Enter" && at >= 0)
            chart.choose?.(at);
        if (next === undefined || last < 0)
            return;
        event.preventDefault();
        plot.setCursor({left: plot.valToPos(chart.x.values[next], "x"), top: 10}, false);
        show(next);
    }

    function toggleTable() {
        const isShown = table !== null;
        asTable.setAttribute("aria-pressed", String(!isShown));
        place.hidden = !isShown;
        table?.element.remove();
        table?.destroy();
        table = isShown ? null : tableOf(chart);
        if (table)
            below.before(table.element);
        else
            makePlot();
    }

    const resized = new ResizeObserver(() => {
        if (plot && place.clientWidth > 0 && Math.abs(place.clientWidth - plot.width) > 1)
            plot.setSize({width: place.clientWidth, height: chart.height ?? HEIGHT});
    });
    place.addEventListener("keydown", move);
    place.addEventListener("click", () => at >= 0 && chart.choose?.(at));
    makePlot();
    resized.observe(place);
    const endWatch = watchTheme(() => table === null && makePlot());
    return {
        destroy() {
            endWatch();
            resized.disconnect();
            plot.destroy();
            table?.destroy();
        },
    };
}

/** A legend of colours: [[label, colour, text behind it]]. */
export function legend(entries) {
    return make("div", {class: "legend"}, entries.map(([label, colour, text]) => make("span", {},
        make("i", {class: "swatch", style: {background: colour}}), label, text ? make("b", {}, text) : null)));
}

/**
 * A bar of parts: [{label, value, colour}], of which `whole` is the sum. Its text is what screen readers read, and what is
 * shown on hover.
 */
export function stackedBar(parts, whole) {
    const text = parts.filter(part => part.value > 0)
        .map(part => `${part.label} ${shownText("share", part.value / whole)}`).join(", ");
    return make("div", {class: "stack", role: "img", "aria-label": text, title: text}, parts.map(part => make("i", {
        style: {width: `${100 * part.value / whole}%`, background: part.colour},
    })));
}

