// How keys are named in the help.
import assert from "node:assert/strict";

import {partsOf} from "../../viewer/keys.js";
import {run} from "./test.js";

function aPlusBetweenKeysJoinsThem() {
    assert.deepEqual(partsOf("Shift+N"), ["Shift", "N"]);
    assert.deepEqual(partsOf("n"), ["n"]);
    assert.deepEqual(partsOf("+ -"), ["+ -"], "the keys plus and minus");
}

await run([aPlusBetweenKeysJoinsThem]);
