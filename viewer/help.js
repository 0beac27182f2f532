/* The help: what the keys do, and what the page is about. It opens on `?`. */

import {button, make} from "./dom.js";
import {listKeys, partsOf} from "./keys.js";

const KEY_NAMES = {
    ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", " ": "Space",
};

function keyName(key) {
    return partsOf(key).map(part => make("kbd", {}, KEY_NAMES[part] ?? part));
}

/** Shows the help until the user closes it. */
export function openHelp() {
    const dialog = make("dialog", {class: "help", "aria-labelledby": "help-title"});
    const lists = listKeys().filter(list => list.keys.length > 0).map(list => make("section", {},
        make("h3", {}, list.title),
        make("dl", {}, list.keys.map(({key, help}) => [make("dt", {}, keyName(key)), make("dd", {}, help)]))));
    dialog.append(
        make("header", {},
            make("h2", {id: "help-title"}, "Help"), button("Close", () => dialog.close(), {class: "quiet"})),
        make("p", {}, "Overview says what is worth knowing, and leads to the places. Scene shows the geometry and its rays,"
            + " the picture, and what one thread did. Shaders shows the source with its figures. Memory shows which pages of which"
            + " buffers a launch touches when. Compare sets two captures side by side. All tables has every figure of the report."),
        make("p", {}, "The address of the page restores the view: copy it to show somebody what you see. The browser's back"
            + " button leads to where you were."),
        make("div", {class: "help-keys"}, lists));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
}
