// Filters of the page on the rays that a single file holds give what analysis/viewer/rays/ray_filter.c gives, ray by ray and in the
// same order; and refuse what it refuses, in the same words. Argument: the program rays_random.
import {spawnSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync} from "node:fs";
import {tmpdir} from "node:os";
import {join} from "node:path";

import {decodeTable, takeRows} from "../../../../viewer/rays_table.js";
import {selectRows} from "../../../../viewer/rays_filter.js";

// As advice.c lists them.
const RULES = ["opaque", "no_opaque", "cull_mask", "shadow_flags", "aabb", "sbt_unused", "empty_shaders", "short_rays",
    "heavy_threads", "trapped", "idle_lanes", "tmin_low", "tmin_high", "leaks", "back_face"];

const FILTERS = ["parents=0", "end=hit", "end=miss,unknown", "end=implicit_hit,no_shader", "kind=trace",
    "kind=skip_closest_hit,query", "depth=2", "depth=1-3", "depth=3-", "depth=-1", "instance=5", "instance=0,3,5-7,11",
    "instance=1,3,5,7,9,11", "geometry=1-", "primitive=10-20,30", "shader=9", "shader=7,9", "site=0", "site=1-5",
    "any_hits=0", "any_hits=65535", "any_hits=2-4", "intersections=4-", "t=1.5", "t=0.5-2.25", "t=1e-1-2e0", "t=3-",
    "t=-.5", "warp=0,5-9,100-", "pixels=3,4", "pixels=3,4-12,9", "thread=3", "thread=3,4", "thread=3,4,1",
    "ids=0-99,500,2000-", "rule=opaque", "rule=leaks,tmin_low", "rule=back_face&depth=2", "end=hit&instance=3&t=1-",
    "depth=4&parents=1", "end=miss&kind=query&parents=1", "thread=3,4&parents=1", "ids=100-300&parents=1",
    "end=far", "kind=", "depth=a", "depth=3-1", "depth=-", "depth=1,", "t=x", "t=", "t=2-1", "pixels=1", "pixels=5,5-4,9",
    "thread=1,2,3,4", "rule=none"];

let faults = 0;

function check(condition, text) {
    if (!condition) {
        console.error(text);
        faults++;
    }
}

function selected(table, filter) {
    const query = Object.fromEntries(filter.split("&").map(pair => pair.split("=")));
    try {
        return [...takeRows(table, selectRows(table, query, RULES)).columns.ray].map(ray => `${ray} `).join("");
    } catch (error) {
        return error.message;
    }
}

const folder = mkdtempSync(join(tmpdir(), "rays-"));
const path = join(folder, "rays.bin");
const made = spawnSync(process.argv[2], [path], {input: FILTERS.map(filter => `${filter}\n`).join(""), encoding: "utf8"});
check(made.status === 0, made.stderr);
const bytes = readFileSync(path);
rmSync(folder, {recursive: true});
const table = decodeTable(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "WSRY");
const lines = made.stdout.split("\n");
check(table.count === table.total && table.count > 2000, `${table.count} of ${table.total} rays`);
FILTERS.forEach((filter, i) => {
    const found = selected(table, filter);
    check(found === lines[i], `${filter}\n  ray_filter.c   ${lines[i]?.slice(0, 200)}\n  rays_filter.js ${found.slice(0, 200)}`);
});
FILTERS.forEach((filter, i) => check(lines[i].trim() !== "", `${filter}: what fits nothing tests nothing`));
console.log(`${FILTERS.length} filters on ${table.count} rays, ${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
