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

/** Where a row of a table of `analysis` leads; null if it has no place. For advice see placeOfAdvice. */
export function placeOfRow(analysis, row) {
    const thread = threadOf(row.thread);
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

/** The thread, its launch, the instance and the geometry that a piece of advice names by its columns. */
export function evidenceOf(row) {
    return {thread: threadOf(row.thread), ray: null, instance: row.instance ?? null, geometry: row.geometry ?? null, primitive: null,
        ...launchOf(row)};
}

/**
 * Where a piece of advice leads: to its evidence. `rules` is capture.json's list, which says what the evidence of a rule is:
 * rays, which the scene shows by the rule; threads and geometry, which it shows, too; or a line of a shader.
 */
export function placeOfAdvice(row, report, rules) {
    const evidence = rules.find(rule => rule.name === row.rule)?.evidence;
    if (evidence === "rays" || evidence === "threads" || evidence === "geometry")
        return {tab: "scene", rule: evidence === "rays" ? row.rule : "", ...evidenceOf(row)};
    const shader = /\(([^()\s]+:[^()\s]+)\)/.exec(row.subject ?? "")?.[1] ?? null;
    const line = lineOf(row.subject, shader, report);
    if (line)
        return placeOfRow("advice", line);
    const id = shaderIdOf(shader ?? row.subject, report);
    return id === null ? {tab: "tables", table: "advice.advice", search: row.rule} : placeOfRow("advice", {shader_id: id});
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
export function placeOfFinding(finding, report, rules) {
    if (finding.analysis === "advice") {
        const rows = report.analyses.advice?.advice ?? [];
        const row = rows.find(one => one.title === finding.title && one.subject === finding.place);
        if (row)
            return placeOfAdvice(row, report, rules);
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
