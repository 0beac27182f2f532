// Asks DuckDB (npm @duckdb/node-api) about a Parquet file. Prints a line for each row of each answer, its cells with "|" between
// them. Exit status: 0 answered, 1 not, 77 DuckDB is not installed.
//
//   node parquet_read.js QUERY...
"use strict";
const path = require("path");

let duckdb;
try {
    duckdb = require(path.join(__dirname, "../../../../node_modules/@duckdb/node-api"));
} catch (error) {
    console.log("DuckDB is not installed");
    process.exit(77);
}

async function main() {
    const connection = await (await duckdb.DuckDBInstance.create(":memory:", { threads: "2" })).connect();
    for (const query of process.argv.slice(2))
        for (const row of (await connection.runAndReadAll(query)).getRows())
            console.log(row.map((cell) => (cell === null ? "-" : String(cell))).join("|"));
}

main().catch((error) => {
    console.log(error.message);
    process.exit(1);
});
