/* Messages of the page: errors stay until the user closes them, the rest goes after a while. Both are read out by
 * screen readers. */

import {button, make} from "./dom.js";

const SHOWN_MS = 6000;

/** Makes the place for messages in `element`. Returns {say(text), fail(error)}. */
export function createMessages(element) {
    const shown = new Map();

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
        if (kind !== "error")
            setTimeout(remove, SHOWN_MS);
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
