/* Where the page begins: reads what the capture is, then shows the frame. */

import {data} from "./data.js";
import {fill, make} from "./dom.js";
import {createShell} from "./shell.js";
import {createState} from "./state.js";

async function start() {
    const body = document.body;
    try {
        const capture = await data.json("capture.json");
        createShell(body, {data, state: createState(), capture});
    } catch (error) {
        console.error(error);
        fill(body.querySelector("main"), make("div", {class: "empty", role: "alert"},
            make("h1", {}, "The capture cannot be shown"), make("p", {}, error.message)));
    }
}

start();
