// What a single file leaves out: an error in words that help, not the name of an answer.
import assert from "node:assert/strict";

import {data} from "../../viewer/data.js";
import {run} from "./test.js";

globalThis.document = {documentElement: {dataset: {source: "file"}}, querySelectorAll: () => []};

async function leftOutAnswersSayWhereToLook() {
    await assert.rejects(data.json("thread.json", {launch: 0, thread: "3,1,0"}), error => {
        assert.equal(error.leftOut, true);
        assert.equal(error.query, "thread.json?launch=0&thread=3,1,0");
        assert.match(error.message, /warpscope view/);
        assert.doesNotMatch(error.message, /json|budget/); // a larger budget holds no more threads
        return true;
    });
}

await run([leftOutAnswersSayWhereToLook]);
