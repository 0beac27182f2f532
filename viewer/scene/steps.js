/* Lists to step through, one click each: what the report found most worth looking at. A list is {name, title, help, items};
 * an item is {label, note, places: changes of the state that lead there}. Lists come from the report; only rays
 * are asked for. */

import {evidenceOf, threadOf as numbersOf} from "../places.js";
import {number} from "../format.js";
import {endsOf, NONE, threadOf} from "./ray_rows.js";

const ITEMS = 20; // of a list: TOLD in analysis/viewer/rays/rays.c, so that a single file holds them

/* The rows of a table of the report that are of this launch. */
function rowsOf(report, analysis, table, launch) {
    return (report.analyses?.[analysis]?.[table] ?? []).filter(row => (row.launch ?? row.thread_launch ?? launch) === launch);
}

function threadItems(rows, value, word) {
    return rows.filter(row => numbersOf(row.thread)).map(row => ({
        label: `thread ${row.thread}`, note: `${number(value(row))} ${word}`,
        places: {thread: numbersOf(row.thread), ray: null},
    }));
}

/* Tables `most` of execution_trace have the threads and warps with most blocks, and those with most shader calls. */
function traceItems(report, launch, of, word) {
    const rows = rowsOf(report, "execution_trace", "most", launch).filter(row => row.of === of);
    if (of.startsWith("threads"))
        return threadItems(rows, row => row.value, word);
    return rows.filter(row => numbersOf(row.thread)).map(row => ({
        label: `warp ${row.warp}`, note: `${number(row.value)} ${word}`,
        places: {thread: numbersOf(row.thread), ray: null, rule: "", filters: {warp: String(row.warp)}},
    }));
}

function adviceItems(report, isWanted) {
    const seen = new Set();
    return (report.analyses?.advice?.advice ?? []).filter(row => isWanted(row) && numbersOf(row.thread)).map(row => {
        const isAgain = seen.has(row.rule);
        seen.add(row.rule);
        return {
            label: row.title, note: row.subject, isAgain,
            places: {rule: row.rule, ...evidenceOf(row)},
            point: [row.x, row.y, row.z].every(Number.isFinite) ? [row.x, row.y, row.z] : null,
        };
    });
}

/* The shortest rays that hit. */
async function shortest(launch, ask) {
    const answer = await ask({launch, shortest: ITEMS});
    return Array.from({length: answer.count}, (_, i) => rayItem(answer, i, `t ${number(answer.columns.t[i])}`));
}

function rayItem(answer, i, note) {
    const instance = answer.columns.instance[i];
    return {
        label: `ray ${answer.columns.ray[i]}`, note: instance === NONE ? note : `${note}, instance ${instance}`,
        places: {ray: answer.columns.ray[i], thread: threadOf(answer, i)}, ends: endsOf(answer, i),
    };
}

/* Rays that are evidence of a rule. */
async function evidence(rule, launch, ask) {
    const answer = await ask({launch, rule, count: ITEMS});
    return Array.from({length: answer.count}, (_, i) => {
        const item = rayItem(answer, i, `thread ${threadOf(answer, i).join(", ")}`);
        return {...item, places: {...item.places, rule}};
    });
}

function hasRule(report, rule) {
    return (report.analyses?.advice?.advice ?? []).some(row => row.rule === rule);
}

/**
 * The lists of a launch: [{name, title, help, load(): promise of items}]. Lists that would be empty are left out where the
 * report says so. `ask(query)` gives rays.
 */
export function listsOf(report, launch, ask) {
    const opaque = row => /opaque/.test(row.rule);
    const lists = [
        {
            name: "work", title: "Threads with most work", help: "by blocks that they executed",
            load: () => traceItems(report, launch, "threads blocks", "blocks"),
        },
        {
            name: "rays", title: "Threads with most rays", help: "by rays that they traced",
            load: () => threadItems(rowsOf(report, "ray_events", "threads", launch), row => row.thread_rays, "rays"),
        },
        {
            name: "calls", title: "Threads with most shader calls", help: "by shaders that ran for them",
            load: () => traceItems(report, launch, "threads shaders", "shader calls"),
        },
        {
            name: "warps", title: "Worst warps", help: "by blocks that they executed; all rays of the warp are shown, in place of advice and filters",
            load: () => traceItems(report, launch, "warps blocks", "blocks"),
        },
        {name: "short", title: "Shortest rays", help: "that hit something", load: () => shortest(launch, ask)},
        hasRule(report, "leaks")
            ? {name: "leaks", title: "Leaking rays", help: "that leave a closed room", load: () => evidence("leaks", launch, ask)} : null,
        {
            name: "opaque", title: "Opaque candidates", help: "geometry whose any-hit shader accepts everything",
            load: () => adviceItems(report, opaque),
        },
        {name: "advice", title: "Advice", help: "each with its evidence", load: () => adviceItems(report, () => true)},
    ];
    return lists.filter(list => list !== null);
}
