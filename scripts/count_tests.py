"""Adds up the results of meson's test logs, says which tests were skipped or failed and why, and ends with the line
'N passed, N failed' (', N skipped' follows when there are any). Exit status 1 when one failed or none passed.

Arguments: the logs, and checks made outside of meson as NAME=EXIT_STATUS."""

import json
import sys


def reason(test):
    """What a skipped test said last, on either stream."""
    lines = (test.get("stderr", "") + "\n" + test.get("stdout", "")).split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return said[-1] if said else "it gave no reason"


def results(argument):
    """Yields (name, meson's word for the result, what to say about it)."""
    name, is_check, status = argument.partition("=")
    if is_check:
        yield name, "OK" if status == "0" else "FAIL", "see above"
        return
    with open(argument, encoding="utf-8", errors="replace") as log:
        for line in log:
            test = json.loads(line)
            said = reason(test) if test["result"] == "SKIP" else "see " + argument.replace(".json", ".txt")
            yield f"{argument.split('/')[0]}: {test['name']}", test["result"], said


def main(arguments):
    passed, failed, skipped = 0, 0, 0
    for argument in arguments:
        for name, result, said in results(argument):
            if result in ("OK", "EXPECTEDFAIL"):
                passed += 1
            elif result == "SKIP":
                skipped += 1
                print(f"skipped {name}: {said}")
            else:
                failed += 1
                print(f"failed {name} ({result.lower()}): {said}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


sys.exit(main(sys.argv[1:]))
