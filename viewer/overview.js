/* Overview: what the capture is, what is most worth knowing in it, where that is, and the figures of all shaders. Each
 * section stands in a file of its own and leads to other views. A section whose analysis the capture cannot serve is left
 * out; what was not recorded is said under "Trust". */

import {fill, make, placeLink} from "./dom.js";
import {createAdvice} from "./overview/advice.js";
import {createCompaction} from "./overview/compaction.js";
import {createFacts} from "./overview/facts.js";
import {createFindings} from "./overview/findings.js";
import {createHotspots} from "./overview/hotspots.js";
import {createLaunches} from "./overview/launches.js";
import {createLifetimes} from "./overview/lifetimes.js";
import {createPictures} from "./overview/pictures.js";
import {createRays} from "./overview/rays.js";
import {createShaders} from "./overview/shaders.js";
import {createTimes} from "./overview/times.js";
import {createTrust} from "./overview/trust.js";

/* In their order on the page, with how many of twelve columns they take where there is room. A section is a function
 * (context, {report, summary}) that returns null, or {name, title, help, more (changes of the state), content, destroy}. */
const SECTIONS = [
    [createFindings, 7], [createTrust, 5], [createLaunches, 12], [createShaders, 12], [createAdvice, 12],
    [createHotspots, 7], [createPictures, 5], [createRays, 12], [createLifetimes, 6], [createCompaction, 6], [createTimes, 12],
];

function drawSection(context, section, columns) {
    const more = section.more ? placeLink(context.state, section.more, "In All tables") : null;
    return make("section", {class: `overview-section columns-${columns}`, id: `section-${section.name}`, tabindex: "-1",
        "aria-labelledby": `title-${section.name}`},
    make("header", {}, make("h2", {id: `title-${section.name}`}, section.title),
        section.help ? make("p", {class: "quiet-text"}, section.help) : null,
        make("span", {class: "spring"}), section.tools ?? null, more),
    section.content);
}

export function createOverview(element, context) {
    const place = make("div", {class: "overview"}, make("p", {class: "empty"}, "Reading the report …"));
    const ends = [];
    fill(element, place);

    function scrollToSection() {
        const name = context.state.get("section");
        const section = name && document.getElementById(`section-${name}`);
        if (section) {
            section.scrollIntoView({block: "start"});
            section.focus({preventScroll: true});
        }
    }

    async function start() {
        const [report, summary] = await Promise.all([context.report(), context.summary()]);
        const answers = {report, summary: summary.analyses.summary};
        fill(place, createFacts(context, answers));
        for (const [create, columns] of SECTIONS) {
            const section = create(context, answers);
            if (section === null)
                continue;
            place.append(drawSection(context, section, columns));
            section.start?.();
            if (section.destroy)
                ends.push(section.destroy);
        }
        scrollToSection();
    }

    start().catch(error => {
        fill(place, make("p", {class: "empty"}, error.message));
        context.fail(error);
    });
    ends.push(context.state.subscribe(["section"], scrollToSection));
    return {destroy: () => ends.forEach(end => end())};
}
