/* Recommendations by what they save, each with its evidence: a click leads to the rays in question. */

import {make} from "../dom.js";
import {counted} from "../format.js";
import {placeOfAdvice} from "../places.js";
import {barredShare, createTable} from "../table.js";

const SAVED = {any_hit: "any-hit run", intersection: "intersection run", closest_hit: "closest-hit run", miss: "miss run",
    rays: "ray", candidates: "candidate", slots: "instruction slot", instructions: "instruction",
    executions: "execution", bytes: "byte"};

/* "468 of 1022 any-hit runs", "12 wrong rays". */
function savingText(row) {
    if (row.wrong_rays > 0)
        return counted(row.wrong_rays, "wrong ray");
    if (row.saves === "nothing")
        return "";
    return `${row.at_most ? "at most " : ""}${row.saving} of ${counted(row.of, SAVED[row.saves] ?? row.saves)}`;
}

const COLUMNS = [
    {name: "number", title: "#", kind: "id", help: "pieces that have one cause share a number"},
    {name: "title", title: "recommendation", kind: "text"},
    {name: "share", title: "of the work", kind: "share", show: row => barredShare(row.share),
        help: "share of the capture's work, or of bytes, that is saved or wrong"},
    {name: "saving", title: "saves", kind: "text", show: savingText},
    {name: "certainty", kind: "text",
        show: row => make("span", {title: row.doubt}, row.certainty ?? "")},
    {name: "time_share", title: "its launches", kind: "share", help: "what they take of the device time"},
    {name: "subject", kind: "text", wrap: true, help: "what it is about"},
    {name: "change", kind: "text", wrap: true, help: "what to change, and to what"},
    {name: "evidence", kind: "text", wrap: true},
];

export function createAdvice(context, {report}) {
    const rows = report.analyses.advice?.advice ?? [];
    if (rows.length === 0)
        return null;
    const hasTimes = rows.some(row => row.time_share !== null);
    const table = createTable({
        label: "Recommendations", columns: COLUMNS.filter(column => hasTimes || column.name !== "time_share"), rows, most: 10,
        lead: "title", tools: rows.length > 10, state: context.state, say: context.say,
        place: row => placeOfAdvice(row, report, context.capture.rules),
        isChosen: row => context.state.get("rule") !== "" && context.state.get("rule") === row.rule,
    });
    const saved = rows.filter(row => row.share > 0).length;
    return {
        name: "advice", title: "Recommendations",
        help: `${counted(rows.length, "piece")} of advice, ${saved} with a saving; each leads to its evidence`,
        more: {tab: "tables", table: "advice.advice"}, content: table.element, destroy: table.destroy,
    };
}
