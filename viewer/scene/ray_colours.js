/* What rays are coloured by. A COLOURING puts each ray in a class; a class has a name and a colour, which the user can
 * change, and can be hidden. Classes are few, so a ray carries one byte. */

import {ENDS, KINDS} from "./ray_rows.js";

const CLASSES_MOST = 32;

/* Dark and light themes have different ones: the Okabe-Ito blue is too dark on a dark ground, the yellow too light on white. */
const GREY = "#8c8c8c";

function byEnd() {
    const classes = [
        {name: "unknown", label: "unknown", colour: GREY},
        {name: "hit", label: "hit", colour: "#009e73"},
        {name: "miss", label: "miss", colour: "#56b4e9"},
        {name: "implicit_hit", label: "implicit hit", colour: "#e69f00"},
        {name: "no_shader", label: "no shader", colour: "#cc79a7"},
    ];
    return {classes, of: (columns, i) => Math.min(columns.end[i], ENDS.length - 1)};
}

function byKind() {
    const classes = [
        {name: "trace", label: "traceRay", colour: "#56b4e9"},
        {name: "skip_closest_hit", label: "traceRay without closest hit", colour: "#e69f00"},
        {name: "query", label: "ray query", colour: "#009e73"},
    ];
    return {classes, of: (columns, i) => Math.min(columns.kind[i], KINDS.length - 1)};
}

/* Of viridis, without its darkest part. */
const STEPS = ["#56b4e9", "#35a0a0", "#5ec962", "#b5de2b", "#fde725", "#f8a13f", "#e5533d", "#cc79a7"];

function byDepth() {
    const classes = STEPS.map((colour, depth) => ({
        name: String(depth), colour, label: depth === STEPS.length - 1 ? `${depth} and deeper` : String(depth),
    }));
    return {classes, of: (columns, i) => Math.min(columns.depth[i], STEPS.length - 1)};
}

const RUNS = [[0, "none"], [1, "1"], [2, "2"], [3, "3 and 4"], [5, "5 to 8"], [9, "9 to 16"], [17, "17 and more"]];
const RUN_COLOURS = [GREY, "#56b4e9", "#35a0a0", "#b5de2b", "#fde725", "#f8a13f", "#e5533d"];

function byRuns(column) {
    const classes = RUNS.map(([, label], i) => ({name: String(RUNS[i][0]), label, colour: RUN_COLOURS[i]}));
    return {
        classes,
        of(columns, i) {
            const runs = columns[column][i];
            return RUNS.findLastIndex(([least]) => runs >= least);
        },
    };
}

const RULE_COLOURS = ["#e69f00", "#56b4e9", "#cc79a7", "#009e73", "#d55e00", "#f0e442", "#0072b2"];

/* A ray that is evidence for several rules has the colour of the first. */
function byRule(rules, columns) {
    let all = 0;
    for (let i = 0; columns?.rules && i < columns.rules.length; ++i)
        all |= columns.rules[i];
    const present = rules.map((rule, bit) => ({...rule, bit})).filter(({bit}) => (all >>> bit & 1) !== 0)
        .slice(0, CLASSES_MOST - 1);
    const classes = [
        {name: "", label: "no advice", colour: GREY, isQuiet: true},
        ...present.map((rule, i) => ({name: rule.name, label: rule.title, colour: RULE_COLOURS[i % RULE_COLOURS.length]})),
    ];
    return {
        classes,
        of(own, i) {
            const mask = own.rules?.[i] ?? 0;
            return 1 + present.findIndex(({bit}) => (mask >>> bit & 1) !== 0);
        },
    };
}

/** What rays can be coloured by: [name, label]. */
export const COLOURINGS = [
    ["end", "Outcome"],
    ["kind", "Kind"],
    ["depth", "Depth"],
    ["any_hits", "Cost: any-hit runs"],
    ["intersections", "Cost: intersection runs"],
    ["rule", "Advice"],
];

function coloringOf(by, columns, rules) {
    if (by === "kind")
        return byKind();
    if (by === "depth")
        return byDepth();
    if (by === "any_hits" || by === "intersections")
        return byRuns(by);
    return by === "rule" ? byRule(rules, columns) : byEnd();
}

/**
 * Puts the rays of an answer in classes: {classes: [{name, label, colour, count}], of: Uint8Array}. `chosen` has colours of
 * the user by class name; `rules` are those of capture.json.
 */
export function classify(answer, by, rules = [], chosen = {}) {
    const colouring = coloringOf(by, answer.columns, rules);
    const classes = colouring.classes.map(one => ({...one, colour: chosen[one.name] ?? one.colour, count: 0}));
    const of = new Uint8Array(answer.count);
    for (let i = 0; i < answer.count; ++i) {
        of[i] = colouring.of(answer.columns, i);
        classes[of[i]].count++;
    }
    return {classes, of};
}
