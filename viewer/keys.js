/* The keyboard. Each view says which keys it has and what they do; the help lists them all. Keys are those of
 * KeyboardEvent.key. They do nothing while the user types into a field. */

const lists = [];

/** Whether a key that is pressed now belongs to a field. */
function isTyping(target) {
    return target instanceof HTMLElement
        && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)
            || (target.tagName === "INPUT" && !/^(checkbox|radio|button|range)$/.test(target.type)));
}

/**
 * Adds keys: `keys` are {key ("n", "Shift+N", "ArrowLeft"), help, action}. Without `action` a key is only listed: the view
 * listens itself, such as a canvas that has the focus. `isActive` says whether they count now; it is asked at each key.
 * Returns a function that takes them away.
 */
export function addKeys(title, keys, isActive = () => true) {
    const list = {title, keys, isActive};
    lists.push(list);
    return () => lists.splice(lists.indexOf(list), 1);
}

/** The keys that are pressed together: "Shift+N" are two, and "+ -" is one text. */
export function partsOf(key) {
    return key.split(/(?<=\S)\+(?=\S)/);
}

/** All lists of keys, for the help. */
export function listKeys() {
    return lists;
}

function nameOf(event) {
    const shift = event.shiftKey && (event.key.length > 1 || /[A-Z]/.test(event.key));
    return `${shift ? "Shift+" : ""}${event.key}`;
}

/** Listens to the keyboard, from now on. */
export function startKeys() {
    document.addEventListener("keydown", event => {
        if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)
            || document.querySelector("dialog[open]"))
            return;
        const name = nameOf(event);
        for (const list of [...lists].reverse()) {
            const found = list.isActive() && list.keys.find(({key, action}) => action && key === name);
            if (found) {
                event.preventDefault();
                found.action(event);
                return;
            }
        }
    });
}
