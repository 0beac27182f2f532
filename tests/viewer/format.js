// Figures as text: as the command shows them.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";

import {bytes, counted, fixed, groups, number, ratio, share, smallShare, time} from "../../viewer/format.js";
import {run} from "./test.js";

function shownAsTheCommandShowsThem() {
    const kinds = {bytes, time};
    let checked = 0;
    for (const line of readFileSync(process.argv[2], "utf8").split("\n")) {
        const found = /^(\w+) (\d+) (.+)$/.exec(line);
        if (!found)
            continue;
        assert.equal(kinds[found[1]](Number(found[2])), found[3], line);
        checked++;
    }
    assert.ok(checked > 10);
}

// printf("%.1f", 6.25) is 6.2, of 6.35 it is 6.3 (6.3499...), of 6.75 it is 6.8.
function tiesGoToTheEvenDigit() {
    assert.equal(fixed(6.25, 1), "6.2");
    assert.equal(fixed(6.35, 1), "6.3");
    assert.equal(fixed(6.75, 1), "6.8");
    assert.equal(fixed(0.125, 2), "0.12");
    assert.equal(fixed(2.5, 0), "2");
    assert.equal(fixed(-6.25, 1), "-6.2");
    assert.equal(fixed(3.5, 0), "4");
}

function sharesHaveOneDigitBehindThePoint() {
    assert.equal(share(0.70589), "70.6 %");
    assert.equal(share(0.0625), "6.2 %");
    assert.equal(share(1), "100.0 %");
    assert.equal(share(null), "");
    assert.equal(smallShare(0.0009), "0.09 %");
    assert.equal(smallShare(0.00001), "<0.01 %");
    assert.equal(smallShare(0.243), "24.3 %");
}

function numbersKeepAllDigitsOfIntegers() {
    assert.equal(number(137490896), "137490896");
    assert.equal(number(0.72218), "0.72");
    assert.equal(number(0.000123456), "0.000123");
    assert.equal(number(null), "");
    assert.equal(ratio(1), "1.00");
    assert.equal(ratio(0), "0.00");
    assert.equal(ratio(-2.345678), "-2.35");
    assert.equal(counted(1, "ray"), "1 ray");
    assert.equal(counted(2, "launch", "launches"), "2 launches");
}

function groupsAreOfThreeDigits() {
    assert.deepEqual(groups("137490896"), ["137", "490", "896"]);
    assert.deepEqual(groups("12345"), ["12", "345"]);
    assert.deepEqual(groups("1234"), ["1234"]);
    assert.deepEqual(groups("raygen"), ["raygen"]);
    assert.equal(groups("137490896").join(""), "137490896");
}

await run([shownAsTheCommandShowsThem, tiesGoToTheEvenDigit, sharesHaveOneDigitBehindThePoint, numbersKeepAllDigitsOfIntegers,
    groupsAreOfThreeDigits]);
