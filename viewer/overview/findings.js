/* What is most worth knowing: the findings of the summary, in its order and words. Each leads to its place. */

import {button, copyText, make, placeLink} from "../dom.js";
import {smallShare} from "../format.js";
import {placeOfFinding} from "../places.js";

const FIRST = 6; // as many as are shown at once

const OF = {work: "of the work", time: "of the device time", bytes: "of the structures' bytes"};

function drawSize(finding) {
    if (finding.size === null)
        return make("span", {class: "finding-size quiet-text"}, "fact");
    return make("span", {class: "finding-size"},
        make("b", {}, smallShare(finding.size)), make("small", {}, OF[finding.of] ?? `of ${finding.of}`),
        make("i", {}, make("i", {style: {width: `${100 * Math.min(finding.size, 1)}%`}})));
}

function drawFinding(context, report, finding) {
    const place = placeOfFinding(finding, report, context.capture.rules);
    const title = [finding.title, finding.place ? `: ${finding.place}` : ""].join("");
    const copy = button("Copy command", async () => {
        const copied = await copyText(finding.command);
        context.say(copied ? `Copied: ${finding.command}` : finding.command);
    }, {class: "quiet", title: finding.command});
    const isAll = finding.time_share >= 0.9995; // of one launch, say: worth no words
    const touched = finding.time_share === null || isAll ? null
        : make("span", {class: "quiet-text"}, `Its launches take ${smallShare(finding.time_share)} of the device time.`);
    return make("li", {},
        drawSize(finding),
        make("div", {},
            make("h3", {}, place ? placeLink(context.state, place, title) : title,
                finding.certainty ? make("span", {class: "tag"}, finding.certainty) : null),
            make("p", {}, finding.text ?? "", touched ? [" ", touched] : null)),
        copy);
}

/* "3 more", "2 small ones", "5 more, 2 of them small". */
export function moreFindings(count, small) {
    if (small === 0)
        return `${count} more`;
    if (small === count)
        return count === 1 ? "1 small one" : `${count} small ones`;
    return `${count} more, ${small} of them small`;
}

/** Why nothing is listed: a capture that says nothing of the work says nothing of what costs little, either. */
export function whyNoFindings(isEmpty, total, spentCount) {
    if (isEmpty)
        return "The capture holds no launch: no figure can be told.";
    return total.slots > 0 || total.rays > 0 || spentCount > 0
        ? "Nothing that was looked at costs much." : "What costs most is not known: it was not recorded, or cannot be read.";
}

export function createFindings(context, {report, summary}) {
    const listed = summary.findings.filter(finding => finding.kind !== "spent" && finding.number !== null);
    const spent = summary.findings.filter(finding => finding.kind === "spent");
    const small = summary.findings.filter(finding => finding.kind !== "spent" && finding.number === null);
    const draw = findings => findings.map(finding => drawFinding(context, report, finding));
    const list = make("ol", {class: "findings"}, draw(listed.slice(0, FIRST)));
    const rest = [...listed.slice(FIRST), ...small];
    const more = rest.length === 0 ? null : make("details", {},
        make("summary", {}, moreFindings(rest.length, small.length)), make("ol", {class: "findings"}, draw(rest)));
    return {
        name: "findings", title: "Most worth knowing", help: "by what it takes of the capture's work, the most first",
        content: make("div", {},
            listed.length > 0 ? list : make("p", {class: "empty"}, whyNoFindings(summary.empty, summary.total, spent.length)),
            more,
            spent.length === 0 ? null : [make("h3", {class: "findings-spent"}, "Where the work is"),
                make("ol", {class: "findings"}, draw(spent))]),
    };
}
