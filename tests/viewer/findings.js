// The words for findings that are folded away.
import assert from "node:assert/strict";

import {moreFindings} from "../../viewer/overview/findings.js";
import {run} from "./test.js";

function smallOnesAreSaidOnce() {
    assert.equal(moreFindings(1, 0), "1 more");
    assert.equal(moreFindings(3, 0), "3 more");
    assert.equal(moreFindings(1, 1), "1 small one");
    assert.equal(moreFindings(2, 2), "2 small ones");
    assert.equal(moreFindings(5, 2), "5 more, 2 of them small");
}

await run([smallOnesAreSaidOnce]);
