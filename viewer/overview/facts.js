/* The strip above Overview: what the capture is of, in a line or two. */

import {make} from "../dom.js";
import {bytes, counted, share, smallShare, time} from "../format.js";
import {shownNodes} from "../table.js";

const WORK_OF_RAYS = "Work is the instruction slots of all shaders, 500 more for each ray's way through the scene, and 100 for each call of "
    + "a shader that rays run";

function fact(label, content, help = null) {
    return content === null || content === "" ? null
        : make("div", {title: help}, make("dt", {}, label), make("dd", {}, content));
}

function count(value) {
    return value > 0 ? shownNodes("count", value) : null;
}

function deviceText(devices) {
    return devices.map(device => device.name).join("; ");
}

/* The program with its arguments; where these were not recorded, its name. */
function programText(capture) {
    return capture.command_line || capture.application || "not recorded";
}

export function createFacts(context, {report, summary}) {
    const {capture} = report;
    const {total} = summary;
    const [device] = capture.devices;
    const times = report.analyses.time?.total;
    const active = total.slots > 0 ? total.active / total.slots : null;
    return make("dl", {class: "facts"},
        fact("Program", make("span", {class: "mono"}, programText(capture))),
        fact("Device", deviceText(capture.devices),
            device && `${device.driver} ${device.driver_info}, Vulkan ${device.vulkan}`),
        fact("Warp", device ? `${device.subgroup_size} lanes` : null, "subgroup size of the device"),
        fact("Launches", `${capture.launches} in ${counted(capture.frames, "frame")}`),
        fact("Threads", count(total.threads)),
        fact("Rays", total.rays_share === null ? count(total.rays)
            : [count(total.rays), `, ${smallShare(total.rays_share)} of the work`], WORK_OF_RAYS),
        fact("Instruction slots", count(total.slots), "of all shaders: lanes of a warp x instructions"),
        fact("Active", share(active), "slots of active lanes"),
        fact("Device time", time(times?.time_ns), report.analyses.time?.instrumented ? "with what recording cost" : null),
        fact("Recorded", capture.passes.join(", ")),
        fact("File", bytes(capture.bytes), capture.file),
        fact("When", new Date(capture.start_ns / 1e6).toISOString().replace("T", " ").slice(0, 16) + " UTC"));
}
