// What the timeline says of a launch.
import assert from "node:assert/strict";

import {activeShare, instructionsText} from "../../viewer/overview/launches.js";
import {run} from "./test.js";

// One execution of 2 instructions with 8 of 8 lanes, one of 6 with 4: of 64 slots 40 are active, 0.625, not (1 + 0.5) / 2.
function slotsAreCountedAsInTheFacts() {
    assert.equal(activeShare({efficiency: 0.75, efficiency_weighted: 0.625}), 0.625);
    assert.equal(activeShare({slots: 64, active: 40}), 0.625);
    assert.equal(activeShare({efficiency: null, efficiency_weighted: null}), null);
    assert.equal(activeShare(undefined), null);
}

// A capture of divergence alone has slots of launches, and no shares of instructions.
function whatWasNotCountedIsNotSaid() {
    assert.equal(instructionsText({share: 0.25}), "25.0 % of the instructions");
    assert.equal(instructionsText({share: null}), null);
    assert.equal(instructionsText({slots: 64, active: 40}), null);
    assert.equal(instructionsText(undefined), null);
}

await run([slotsAreCountedAsInTheFacts, whatWasNotCountedIsNotSaid]);
