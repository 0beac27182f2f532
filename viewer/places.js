/* Which place of the page a row of the report leads to: changes of the state. A row names its place by its own columns, so
 * that there is no code for each table. */

/* "64,64,0" or "64,64" as numbers; null if it is something else. */
export function threadOf(text) {
    const parts = typeof text === "string" && /^\d+(,\d+){0,2}$/.test(text) ? text.split(",").map(Number) : null;
    return parts && [...parts, 0, 0].slice(0, 3);
}

/** The number of a launch that a thread of the table is in; undefined if the row does not say. */
function launchOf(row) {
    const launch = row.launch ?? row.thread_launch ?? row.first_launch;
    return typeof launch === "number" ? {launch} : {};
}

/** Where a row of a table of `analysis` leads; null if it has no place. */
export function placeOfRow(analysis, row) {
    const thread = threadOf(row.thread);
    if (analysis === "advice")
        return row.rule ? placeOfAdvice(row, thread) : null;
    if (thread)
        return {tab: "scene", thread, ray: null, ...launchOf(row)};
    if (typeof row.instance === "number")
        return {tab: "scene", instance: row.instance, geometry: row.geometry ?? null, ...launchOf(row)};
    if (typeof row.shader_id === "number") {
        return {
            tab: "shaders", shader: row.shader_id, line: typeof row.line === "number" ? row.line : null,
            file: typeof row.file === "string" ? row.file : "",
        };
    }
    if (typeof row.launch === "number")
        return {launch: row.launch};
    return null;
}

/* Advice leads to its evidence: the rays in the scene that the rule is about, and the thread that is its example. Rules on
 * what was counted have no rays. */
function placeOfAdvice(row, thread) {
    const hasRays = thread !== null || ["any_hit", "intersection", "closest_hit", "miss", "rays", "nothing"].includes(row.saves);
    if (!hasRays)
        return {tab: "tables", table: "advice.advice", search: row.rule};
    return {tab: "scene", rule: row.rule, thread, ray: null};
}

/* "--shader mesh.rchit:main" of a command as it is typed. */
function optionOf(command, option) {
    const found = new RegExp(`--${option} (?:'([^']*)'|(\\S+))`).exec(command ?? "");
    return found ? found[1] ?? found[2] : null;
}

/* The row of hotspots, or of blocks, whose source is the first "file:line" of a text. */
function lineOf(text, shader, report) {
    const source = /([^\s,():]+):(\d+)/.exec(text ?? "")?.[0];
    const rows = [...(report.analyses.hotspots?.lines ?? []), ...(report.analyses.divergence?.blocks ?? [])];
    const fits = row => row.source !== null && (row.source === source || row.source?.startsWith(`${source}-`))
        && (shader === null || row.shader === shader);
    return source ? rows.find(fits) : undefined;
}

function shaderIdOf(name, report) {
    for (const analysis of ["simt_efficiency", "divergence", "hotspots"]) {
        const row = (report.analyses[analysis]?.shaders ?? []).find(one => one.shader === name);
        if (row)
            return row.shader_id;
    }
    return null;
}

/**
 * Where a finding of the summary leads: advice to its evidence, a line to the shader's source, an instance to the scene;
 * else to the tables of its analysis.
 */
export function placeOfFinding(finding, report) {
    if (finding.analysis === "advice") {
        const rows = report.analyses.advice?.advice ?? [];
        const row = rows.find(one => one.title === finding.title && one.subject === finding.place);
        if (row)
            return placeOfRow("advice", row);
    }
    const shader = optionOf(finding.command, "shader");
    const line = lineOf(finding.place, shader, report);
    if (line)
        return placeOfRow(finding.analysis, line);
    if (shader !== null && shaderIdOf(shader, report) !== null)
        return placeOfRow(finding.analysis, {shader_id: shaderIdOf(shader, report)});
    const instance = /instance (\d+)(?:, geometry (\d+))?/.exec(finding.place ?? "");
    if (instance)
        return placeOfRow(finding.analysis, {instance: Number(instance[1]), geometry: instance[2] ? Number(instance[2]) : null});
    return report.analyses[finding.analysis] ? {tab: "tables", table: `${finding.analysis}.`} : null;
}
