// The words for findings that are folded away.
import assert from "node:assert/strict";

import {moreFindings, whyNoFindings} from "../../viewer/overview/findings.js";
import {run} from "./test.js";

function smallOnesAreSaidOnce() {
    assert.equal(moreFindings(1, 0), "1 more");
    assert.equal(moreFindings(3, 0), "3 more");
    assert.equal(moreFindings(1, 1), "1 small one");
    assert.equal(moreFindings(2, 2), "2 small ones");
    assert.equal(moreFindings(5, 2), "5 more, 2 of them small");
}

function anEmptyCaptureIsCalledEmpty() {
    assert.match(whyNoFindings(true, {slots: 0, rays: 0}, 0), /^The capture holds no launch/);
    // One that was cut before its first launch may have held some: the text of the summary says the same.
    assert.match(whyNoFindings(false, {slots: 0, rays: 0}, 0), /^What costs most is not known/);
}

// A capture of addresses alone does not say that its program is in good order.
function unknownWorkIsNotLittleWork() {
    assert.equal(whyNoFindings(false, {slots: 8, rays: 0}, 0), "Nothing that was looked at costs much.");
    assert.equal(whyNoFindings(false, {slots: 0, rays: 1}, 0), "Nothing that was looked at costs much.");
    assert.equal(whyNoFindings(false, {slots: 0, rays: 0}, 1), "Nothing that was looked at costs much.");
    assert.match(whyNoFindings(false, {slots: 0, rays: 0}, 0), /^What costs most is not known/);
}

await run([smallOnesAreSaidOnce, anEmptyCaptureIsCalledEmpty, unknownWorkIsNotLittleWork]);
