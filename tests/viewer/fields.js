// Kinds and titles of fields, from the report's own schema.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";

import {columnsOf, fieldHelp, helpOf, titleOf} from "../../viewer/fields.js";
import {run} from "./test.js";

const schema = JSON.parse(readFileSync(process.argv[2], "utf8"));
const kindsOf = columns => Object.fromEntries(columns.map(column => [column.name, column.kind]));

function kindsAreThoseOfTheSchema() {
    const rows = [{shader_id: 3, shader: "a:main", executions: 10, efficiency: null, time_ns: null, instructions: 4}];
    const columns = columnsOf(schema, "simt_efficiency", "shaders", rows);
    assert.deepEqual(kindsOf(columns), {shader_id: "id", shader: "text", executions: "count", efficiency: "share", time_ns: "time",
        instructions: "count"});
    assert.ok(columns.every(column => column.help), "the schema says what each is");
    assert.equal(columns.find(column => column.name === "time_ns").title, "time");
}

function tablesOutsideOfLevelsHaveKindsToo() {
    const rows = [{first: 1, content: 2, structures: 3, primitives: 4, spare_bytes: 5000, spare_primitives: 6}];
    assert.equal(kindsOf(columnsOf(schema, "geometry", "equal", rows)).spare_bytes, "bytes");
}

function fieldsThatTheSchemaDoesNotKnowAreShown() {
    const rows = [{novelty: 3, comet: "x", part: true, ratio: 0.5}];
    assert.deepEqual(kindsOf(columnsOf(schema, "simt_efficiency", "shaders", rows)),
        {novelty: "count", comet: "text", part: "flag", ratio: "number"});
    assert.deepEqual(kindsOf(columnsOf(null, "anything", "table", rows)),
        {novelty: "count", comet: "text", part: "flag", ratio: "number"});
}

// Every table of every analysis that the schema has can be shown: each field has a kind and a title.
function everyTableOfTheSchemaHasColumns() {
    let checked = 0;
    for (const [analysis, definition] of Object.entries(schema.$defs)) {
        if (/_(columns|chosen)$/.test(analysis))
            continue;
        for (const [table, node] of Object.entries(definition.properties)) {
            const properties = node.items?.properties;
            if (!properties)
                continue;
            const row = Object.fromEntries(Object.keys(properties).map(name => [name, null]));
            const columns = columnsOf(schema, analysis, table, [row]);
            assert.deepEqual(columns.map(column => column.name), Object.keys(properties), `${analysis}.${table}`);
            assert.ok(columns.every(column => column.title && column.kind), `${analysis}.${table}`);
            checked++;
        }
    }
    assert.ok(checked > 40, `${checked} tables`);
}

function helpIsWithoutWhatOnlyTheCommandNeeds() {
    assert.equal(helpOf(schema, "simt_efficiency", "shaders"), "a row for each shader");
    assert.match(helpOf(schema, "divergence"), /^why lanes were inactive/);
    assert.equal(helpOf(schema, "nothing", "nothing"), "");
    assert.equal(titleOf("control_flow"), "control flow");
}

function figuresOfACompareHaveHelp() {
    assert.equal(fieldHelp(schema, "simt_efficiency", "shaders", "efficiency"),
        columnsOf(schema, "simt_efficiency", "shaders", [{efficiency: 1}])[0].help);
    assert.notEqual(fieldHelp(schema, "ray_events", "total", "any_hits"), "");
    assert.equal(fieldHelp(schema, "nothing", "total", "any_hits"), "");
    assert.equal(fieldHelp(null, "ray_events", "total", "any_hits"), "");
}

await run([kindsAreThoseOfTheSchema, tablesOutsideOfLevelsHaveKindsToo, fieldsThatTheSchemaDoesNotKnowAreShown,
    everyTableOfTheSchemaHasColumns, helpIsWithoutWhatOnlyTheCommandNeeds, figuresOfACompareHaveHelp]);
