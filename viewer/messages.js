/* Messages of the page: errors stay until the user closes them. Of the rest there is one, the last, which goes after a while:
 * several would cover the page. Both are read out by screen readers. */

import {button, make} from "./dom.js";

const SHOWN_MS = 6000;

/** Makes the place for messages in `element`. Returns {say(text), fail(error)}. */
export function createMessages(element) {
    const shown = new Map();
    let removeNote = () => {};

    function add(text, kind) {
        const known = shown.get(text);
        if (known)
            return known; // the same error of many requests is one message
        const message = make("div", {class: `message ${kind}`, role: kind === "error" ? "alert" : "status"},
            make("p", {}, text));
        const remove = () => {
            shown.delete(text);
            message.remove();
        };
        message.append(button("Close", remove, {class: "quiet"}));
        shown.set(text, message);
        element.append(message);
        if (kind !== "error") {
            removeNote();
            removeNote = remove;
            setTimeout(remove, SHOWN_MS);
        }
        return message;
    }

    return {
        say: text => {
            add(text, "note");
        },
        fail: error => {
            console.error(error);
            add(error instanceof Error ? error.message : String(error), "error");
        },
    };
}
