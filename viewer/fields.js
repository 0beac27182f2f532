/* What the fields of the report are called, which kind of value they have, and what they mean: from the schema of the
 * report (schema.json), so that there is no code for each analysis. */

const UNITS = {bytes: "bytes", ns: "time"};

/* References of the schema lead to a member of its own definitions: "#/$defs/time_columns/properties/share". */
function resolve(schema, node) {
    let found = node;
    while (found?.$ref)
        found = found.$ref.slice(2).split("/").reduce((at, step) => at?.[step], schema);
    return {...found, ...(node?.description && {description: node.description})};
}

function typesOf(node) {
    return [node.type].flat().filter(type => type && type !== "null");
}

/** The kind of a field's values, as table.js has them. */
function kindOf(name, node, sample) {
    const types = typesOf(node ?? {});
    const isNumber = types.length > 0 ? types.some(type => type === "number" || type === "integer")
        : typeof sample === "number";
    if (types.includes("boolean") || typeof sample === "boolean")
        return "flag";
    if (!isNumber)
        return "text";
    if (node?.maximum === 1 && types.includes("number"))
        return "share";
    const ending = name.split("_").at(-1);
    if (UNITS[ending])
        return UNITS[ending];
    return types.includes("integer") || Number.isInteger(sample) ? "count" : "number";
}

/** A field's name as a head of a column: "control_flow" is "control flow", "time_ns" is "time". */
export function titleOf(name) {
    return name.replace(/_ns$/, "").replaceAll("_", " ");
}

/* Ids, lines and the like are numbers by which nobody counts: they stand as they are. */
function isName(name) {
    return /(^|_)(id|launch|frame|submission|line|index|offset|site|instance|geometry|block|number)$/.test(name);
}

/** The columns of a table of the report, for table.js: those that the schema names, in its order, then any others. */
export function columnsOf(schema, analysis, table, rows) {
    const described = schema ? resolve(schema, schema.$defs?.[analysis]?.properties?.[table]) : {};
    const items = described.items ? resolve(schema, described.items) : described;
    const properties = items.properties ?? {};
    const names = new Set([...Object.keys(properties), ...rows.slice(0, 1).flatMap(row => Object.keys(row))]);
    return [...names].filter(name => rows.some(row => Object.hasOwn(row, name))).map(name => {
        const node = schema && properties[name] ? resolve(schema, properties[name]) : null;
        const kind = kindOf(name, node, rows.find(row => row[name] !== null)?.[name]);
        return {
            name, title: titleOf(name), kind: kind === "count" && isName(name) ? "id" : kind, help: node?.description,
            long: kind === "text",
        };
    });
}

/** What a table has a row for, in the words of the schema; "" if it does not say. */
export function helpOf(schema, analysis, table) {
    const node = schema?.$defs?.[analysis];
    const text = table ? resolve(schema ?? {}, node?.properties?.[table]).description : node?.description;
    return (text ?? "").replace(/; null where it has none.*$/, "");
}

/** What a field of a table means: "" where the schema does not say. Fields of "total" are those of the analysis itself, or of its tables. */
export function fieldHelp(schema, analysis, table, field) {
    const own = resolve(schema ?? {}, schema?.$defs?.[analysis]).properties ?? {};
    const propertiesOf = node => {
        const described = resolve(schema ?? {}, node);
        return (described.items ? resolve(schema, described.items) : described).properties ?? {};
    };
    const tables = table === "total" ? [own, ...Object.values(own).map(propertiesOf)] : [propertiesOf(own[table])];
    const found = tables.find(properties => properties[field]);
    return found ? resolve(schema, found[field]).description ?? "" : "";
}
