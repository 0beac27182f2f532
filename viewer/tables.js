/* All tables: every table of the report, as JSON and CSV have it, with all columns. It is made from report.json and its
 * schema, with no code for any analysis. */

import {button, fill, make} from "./dom.js";
import {columnsOf, helpOf, titleOf} from "./fields.js";
import {createTable, shownText} from "./table.js";
import {placeOfAdvice, placeOfRow} from "./places.js";

/* The tables of an analysis: lists of objects. `total` and what else is one object or value stand above them. */
function partsOf(results) {
    const tables = [];
    const values = [];
    for (const [name, value] of Object.entries(results)) {
        if (Array.isArray(value) && value.every(row => typeof row === "object" && row !== null && !Array.isArray(row)))
            tables.push([name, value]);
        else if (value !== null && typeof value === "object" && !Array.isArray(value))
            values.push(...Object.entries(value).map(([member, inner]) => [`${name}.${member}`, inner, name]));
        else
            values.push([name, value, null]);
    }
    return {tables, values};
}

export function createTables(element, context) {
    const {state} = context;
    const list = make("nav", {class: "tables-list", "aria-label": "Tables"});
    const content = make("div", {class: "tables-content"});
    let table = null;
    let report = null;
    let schema = null;
    fill(element, make("div", {class: "tables-view"}, list, content));

    function chosen() {
        const [analysis, name] = state.get("table").split(".");
        const known = report.analyses[analysis] ? analysis : Object.keys(report.analyses)[0];
        const tables = partsOf(report.analyses[known] ?? {}).tables;
        return [known, tables.find(([one]) => one === name)?.[0] ?? tables[0]?.[0]];
    }

    function drawList() {
        const [shownAnalysis, shownTable] = chosen();
        const entry = (analysis, name, rows) => button(
            [titleOf(name), make("span", {class: "quiet-text"}, String(rows.length))],
            () => state.set({table: `${analysis}.${name}`, sort: "", search: ""}),
            {
                class: "quiet", title: helpOf(schema, analysis, name),
                "aria-current": analysis === shownAnalysis && name === shownTable ? "true" : null,
            });
        fill(list, Object.entries(report.analyses).map(([analysis, results]) => [
            make("h3", {title: helpOf(schema, analysis)}, analysis),
            partsOf(results).tables.map(([name, rows]) => entry(analysis, name, rows)),
        ]));
    }

    function drawTable() {
        table?.destroy();
        table = null;
        const [analysis, name] = chosen();
        if (!analysis) {
            fill(content, make("p", {class: "empty"}, "The capture has nothing that a report is made of."));
            return;
        }
        const {tables, values} = partsOf(report.analyses[analysis]);
        const rows = tables.find(([one]) => one === name)?.[1] ?? [];
        const columns = columnsOf(schema, analysis, name, rows);
        const label = `${analysis}, ${name}`;
        table = createTable({
            label, columns: columns.filter(column => rows.some(row => row[column.name] !== null)), copied: columns, rows,
            sort: state.get("sort"), search: state.get("search"), state, say: context.say,
            place: row => analysis === "advice" && row.rule ? placeOfAdvice(row, report, context.capture.rules)
                : placeOfRow(analysis, row),
            onSort: sort => state.set({sort}), onSearch: search => state.set({search}),
        });
        fill(content,
            make("header", {}, make("h2", {}, `${analysis}: ${titleOf(name ?? "no table")}`),
                make("p", {class: "quiet-text"}, `${helpOf(schema, analysis, name)}; in a terminal: `,
                    make("code", {}, `warpscope report ${report.capture.file} ${analysis}`)),
                drawValues(values)),
            rows.length > 0 ? table.element : make("p", {class: "empty"}, "The table has no rows."));
    }

    function drawValues(values) {
        const shown = values.filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0));
        return make("details", {}, make("summary", {}, `Totals and single values (${shown.length})`),
            make("dl", {class: "values"}, shown.map(([name, value]) => [
                make("dt", {}, titleOf(name)), make("dd", {}, shownText(null, value)),
            ])));
    }

    async function start() {
        [report, schema] = await Promise.all([context.report(), context.schema()]);
        drawList();
        drawTable();
    }

    start().catch(context.fail);
    const end = state.subscribe(["table"], () => {
        if (report) {
            drawList();
            drawTable();
        }
    });
    return {
        destroy() {
            end();
            table?.destroy();
        },
    };
}
