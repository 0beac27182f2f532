/* The case studies of RayScope ("Vulkan Vision", section 4.3), each with its planted fault, found in the page alone: a click on
 * the finding leads to the rays, threads or geometry that are its evidence, as many as the report says. */
import assert from "node:assert/strict";
import {run} from "./browser.js";

// `rays`: the evidence begins with their number. Otherwise the click leads to a thread, or to an instance.
const CASES = [
    {name: "pathTracerBug", scene: "back_face", rule: "back_face", leads: "rays"},
    {name: "ambientOcclusionBug", scene: "ao_into_surface", rule: "into_surface", leads: "rays"},
    {name: "opaqueFlag", scene: "opaque", rule: "opaque", leads: "instance"},
    {name: "leakyGeometry", scene: "leak", rule: "leaks", leads: "rays"},
    {name: "tminTooHigh", scene: "tmin_high", rule: "tmin_high", leads: "rays"},
    {name: "tminTooLow", scene: "tmin_low", rule: "tmin_low", leads: "rays"},
    {name: "trappedRays", scene: "trapped", rule: "trapped", leads: "thread"},
    {name: "oneThreadOfAWarp", scene: "divergent_warp", rule: "idle_lanes", leads: "thread"},
];

/* What the page says below the scene: "1 000 of 1 152 rays that fit, ...". */
function fittingRays(text) {
    const found = text.match(/(\d{1,3}(?: \d{3})*) rays? that fit/);
    return found === null ? null : Number(found[1].replaceAll(" ", ""));
}

function caseOf({name, scene, rule, leads}) {
    const test = async bench => {
        const path = bench.record(scene, ["faults", scene]);
        const report = JSON.parse(bench.command("report", path, "advice", "--json"));
        const advice = report.analyses.advice.advice.find(one => one.rule === rule);
        const window = await bench.open(await bench.view([path]));
        await window.pressBeginning(advice.title);
        await window.until(() => location.hash.includes("tab=scene"), "the scene");
        const place = await window.place();
        if (leads !== "thread")
            assert.equal(place.rule, rule, JSON.stringify(place));
        if (leads === "rays") {
            // One ray of the evidence is chosen, told, and looked at from near.
            await window.until(() => /[#&]ray=/.test(location.hash), "a ray of the evidence");
            await window.sees("It is evidence for advice");
            await window.until(() => location.hash.includes("camera="), "a camera that goes there");
            await window.until(() => / rays? that fit/.test(document.body.innerText), "rays that fit");
            assert.equal(fittingRays(await window.text()), Number(advice.evidence.match(/\d+/)[0]));
        } else {
            assert.ok(place[leads] !== undefined, `no ${leads} in ${JSON.stringify(place)}`);
        }
        assert.deepEqual(window.wrong, []);
        await window.close();
    };
    Object.defineProperty(test, "name", {value: name});
    return test;
}

run(CASES.map(caseOf));
