/* A table: sorted by a click on a head, filtered by what is typed, copied as CSV; of many rows only those in sight are
 * made. Figures stand at the right with their unit, in the words of the text report.
 *
 * A column is {name, title, kind, help, value(row), show(row), bar, long}:
 *     name    of the value in the row, and in CSV
 *     kind    count, id (a number that is a name), number, share, bytes, time (ns), flag or text
 *     value   gives the value, where it is not row[name]
 *     show    gives a node or a text in place of the value's own
 *     bar     true: a bar behind the share
 *     long    true: the cell is cut if it is too long; its text is then shown on hover
 *     wrap    true: the cell takes several lines; only in tables of few rows */

import {button, copyText, fill, make, newId, placeLink} from "./dom.js";
import {bytes, counted, groups, number, ratio, share, time} from "./format.js";
import {csvText, filterRows, sortRows, valueOf} from "./rows.js";

const VIRTUAL_FROM = 200; // rows; below all are made
const BEYOND = 20;        // rows made before and behind those in sight

const FIGURES = new Set(["count", "id", "number", "share", "bytes", "time"]);

/** Whether values of a column stand at the right. */
function isFigure(column) {
    return FIGURES.has(column.kind);
}

/** A value as text, as its kind is shown. */
export function shownText(kind, value) {
    if (value === null || value === undefined)
        return "";
    if (kind === "share")
        return share(value);
    if (kind === "bytes")
        return bytes(value);
    if (kind === "time")
        return time(value);
    if (kind === "number")
        return ratio(value);
    if (kind === "flag")
        return value ? "yes" : "no";
    if (typeof value === "number")
        return number(value);
    if (Array.isArray(value))
        return value.map(part => typeof part === "object" ? JSON.stringify(part) : String(part)).join(", ");
    return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A value as nodes: the digits of large integers in groups that are drawn apart and copied as one number. */
export function shownNodes(kind, value) {
    const text = shownText(kind, value);
    const parts = kind === "count" ? groups(text) : [text];
    return parts.length < 2 ? [text] : parts.map(part => make("span", {class: "digits"}, part));
}

/** A share with a bar behind it. */
export function barredShare(value, colour = null) {
    if (value === null || value === undefined)
        return "";
    const bar = make("i", {style: {width: `${100 * Math.min(value, 1)}%`}});
    if (colour)
        bar.style.background = colour;
    return make("span", {class: "barred"}, bar, make("span", {}, share(value)));
}

function makeCell(column, row, place, state, isFirst) {
    const value = valueOf(column, row);
    const content = column.show ? column.show(row)
        : column.bar ? barredShare(value) : shownNodes(column.kind, value);
    const text = column.long ? shownText(column.kind, value) : null;
    const cell = make("td", {
        class: [isFigure(column) && "figure", column.long && "long", column.wrap && "wrap"].filter(Boolean).join(" ") || null, title: text,
    });
    cell.append(...[isFirst && place ? placeLink(state, place, content) : content].flat(Infinity));
    return cell;
}

/**
 * Makes a table. `options`:
 *     columns, rows
 *     label        what it is, for screen readers, and in messages
 *     sort         column by which it is sorted at first, "-" in front for descending; "" as rows are
 *     tools        false: no search field, no button for CSV
 *     most         rows that are shown until the user wants all
 *     state, place(row)   changes of the state that a row leads to; null for none. `lead` is the column that has the
 *                  link, the first unless given
 *     isChosen(row)       whether the row is marked
 *     search, onSort(sort), onSearch(text)   for who keeps them
 *     say(text)    says that something was copied
 * Returns {element, setRows(rows), refresh(), destroy()}.
 */
export function createTable(options) {
    const table = {...options, sort: options.sort ?? "", search: options.search ?? "", all: !options.most};
    const head = make("thead");
    const body = make("tbody");
    const count = make("span", {class: "quiet-text"});
    const grid = make("table", {class: "data", "aria-label": options.label}, head, body);
    const frame = make("div", {class: "table-frame"}, grid);
    const more = button("", () => {
        table.all = true;
        draw();
    }, {class: "quiet"});
    const element = make("div", {class: "table"}, options.tools === false ? null : makeTools(), frame, more);
    let shown = []; // rows in their order
    let first = -1; // first row that is made, of a virtual table

    function makeTools() {
        const field = make("input", {
            type: "search", placeholder: "Filter: words, or efficiency < 50 %", value: table.search, id: newId("filter"),
            size: 32, "aria-label": `Filter ${options.label}`,
        });
        field.addEventListener("input", () => {
            table.search = field.value;
            options.onSearch?.(field.value);
            draw();
        });
        return make("div", {class: "toolbar"}, field, count, make("span", {class: "spring"}),
            button("Copy as CSV", copy, {title: "All rows that fit the filter, with all columns"}));
    }

    async function copy() {
        const rows = sortRows(filterRows(table.rows, table.columns, table.search), table.columns, table.sort);
        const copied = await copyText(csvText(rows, options.copied ?? table.columns));
        options.say?.(copied ? `Copied ${counted(rows.length, "row")} of ${options.label}.`
            : "The browser does not allow to copy; use warpscope report --csv.");
    }

    function drawHead() {
        fill(head, make("tr", {}, table.columns.map(column => {
            const isSorted = table.sort.replace(/^-/, "") === column.name;
            const descending = isSorted && table.sort.startsWith("-");
            const mark = isSorted ? (descending ? " ↓" : " ↑") : "";
            const sortBy = () => {
                const next = isSorted ? !descending : isFigure(column);
                table.sort = `${next ? "-" : ""}${column.name}`;
                options.onSort?.(table.sort);
                draw();
                head.querySelectorAll("button")[table.columns.indexOf(column)].focus();
            };
            return make("th", {
                scope: "col", class: isFigure(column) ? "figure" : null, title: column.help,
                "aria-sort": isSorted ? (descending ? "descending" : "ascending") : null,
            }, button(`${column.title ?? column.name}${mark}`, sortBy));
        })));
    }

    function makeRow(row, index) {
        const place = options.place?.(row) ?? null;
        const lead = options.lead ?? table.columns[0].name;
        const line = make("tr", {
            class: place ? "leads" : null, "aria-rowindex": index + 2,
            "aria-selected": options.isChosen?.(row) ? "true" : null,
        }, table.columns.map(column => makeCell(column, row, place, options.state, column.name === lead)));
        if (place)
            line.addEventListener("click", () => {
                if (getSelection().isCollapsed) // not when a text was marked to be copied
                    options.state.set(place);
            });
        return line;
    }

    function pad(rows, height) {
        return make("tr", {class: "padding", "aria-hidden": "true"},
            make("td", {colspan: table.columns.length, style: {height: `${rows * height}px`}}));
    }

    function rowHeight() {
        return body.querySelector("tr:not(.padding)")?.getBoundingClientRect().height || 24;
    }

    function drawBody(again) {
        if (shown.length <= VIRTUAL_FROM) {
            if (again)
                fill(body, shown.map(makeRow));
            return;
        }
        const height = rowHeight();
        const start = Math.max(0, Math.floor(frame.scrollTop / height) - BEYOND);
        const end = Math.min(shown.length, Math.ceil((frame.scrollTop + frame.clientHeight) / height) + BEYOND);
        if (!again && Math.abs(start - first) < BEYOND / 2)
            return;
        first = start;
        fill(body, pad(start, height), shown.slice(start, end).map((row, index) => makeRow(row, start + index)),
            pad(shown.length - end, height));
    }

    function draw() {
        const fitting = sortRows(filterRows(table.rows, table.columns, table.search), table.columns, table.sort);
        shown = table.all ? fitting : fitting.slice(0, options.most);
        count.textContent = fitting.length === table.rows.length ? counted(table.rows.length, "row")
            : `${fitting.length} of ${counted(table.rows.length, "row")}`;
        grid.setAttribute("aria-rowcount", String(shown.length + 1));
        more.hidden = shown.length === fitting.length;
        more.textContent = `Show all ${fitting.length} rows`;
        frame.classList.toggle("virtual", shown.length > VIRTUAL_FROM);
        drawHead();
        drawBody(true);
    }

    const resized = new ResizeObserver(() => drawBody(shown.length > VIRTUAL_FROM));
    frame.addEventListener("scroll", () => drawBody(false), {passive: true});
    resized.observe(frame);
    draw();
    return {
        element,
        setRows(rows) {
            table.rows = rows;
            draw();
        },
        refresh: () => drawBody(true),
        destroy: () => resized.disconnect(),
    };
}
