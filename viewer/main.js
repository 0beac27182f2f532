/* Where the page begins: reads what the capture is, then shows the frame. */

import {data} from "./data.js";
import {fill, make} from "./dom.js";
import {createShell} from "./shell.js";
import {createState} from "./state.js";
import {startTheme} from "./theme.js";

async function start() {
    const body = document.body;
    const state = createState();
    startTheme(state);
    try {
        const capture = await data.json("capture.json");
        createShell(body, {data, state, capture});
    } catch (error) {
        console.error(error);
        fill(body.querySelector("main"), make("div", {class: "empty", role: "alert"},
            make("h1", {}, "The capture cannot be shown"), make("p", {}, error.message)));
    }
}

start();
