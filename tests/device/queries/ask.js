// Runs SQL files in DuckDB (npm @duckdb/node-api) on tables that are Parquet files or folders of such. Prints JSON: for each
// file a list of rows, each an object. Exit status: 0 done, 1 failed, 77 DuckDB is not installed.
//
//   node ask.js TABLE=PATH... QUERY.sql...
"use strict";
const fs = require("fs");
const path = require("path");

let duckdb;
try {
    duckdb = require(path.join(__dirname, "../../../node_modules/@duckdb/node-api"));
} catch (error) {
    console.log("DuckDB is not installed");
    process.exit(77);
}

// Integers of SQL come as BigInt; those of the tests are far below 2^53.
const plain = (value) => (typeof value === "bigint" ? Number(value) : value);

async function main() {
    const connection = await (await duckdb.DuckDBInstance.create(":memory:", { threads: "2" })).connect();
    const answers = {};
    for (const argument of process.argv.slice(2)) {
        const table = argument.match(/^(\w+)=(.*)$/);
        if (table) {
            const from = table[2].endsWith(".parquet")
                ? `read_parquet('${table[2]}')`
                : `read_parquet('${table[2]}/**/*.parquet', hive_partitioning = true)`;
            await connection.run(`create or replace view ${table[1]} as select * from ${from}`);
            continue;
        }
        const result = await connection.runAndReadAll(fs.readFileSync(argument, "utf8"));
        const names = result.columnNames();
        answers[path.basename(argument, ".sql")] = result
            .getRows()
            .map((row) => Object.fromEntries(row.map((cell, i) => [names[i], plain(cell)])));
    }
    console.log(JSON.stringify(answers));
}

main().catch((error) => {
    console.log(error.message);
    process.exit(1);
});
