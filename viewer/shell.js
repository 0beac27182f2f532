/* The frame in which all views stand: the header, the tabs, the keyboard, messages. A view is made when its tab is shown
 * for the first time, and lives until another capture is chosen.
 *
 * What a view gets as `context`:
 *
 *     data        answers of the server, or of the single file (data.js): await data.json(name, query, key)
 *     state       where the user is, and how things are shown (state.js)
 *     capture     capture.json: both captures, what the page lacks
 *     key         "a" or "b": the capture that the view is of. It does not change: another capture has other views
 *     facts       what capture.json says of that capture: {capture (as in report.json), analyses, launches}
 *     report()    promise of report.json of that capture; read once
 *     summary()   promise of summary.json
 *     schema()    promise of schema.json: what each field of the report means
 *     say(text)   a message that goes away
 *     fail(error) an error that stays until the user closes it
 *     keys(title, list)  keys of the view, which count while its tab is shown (keys.js)
 *     isShown()   whether its tab is shown: a view that draws rests otherwise
 *     onShown(f)  calls f each time that its tab is shown again */

import {button, fill, make, select} from "./dom.js";
import {entriesOf, openGoto} from "./goto.js";
import {openHelp} from "./help.js";
import {addKeys, startKeys} from "./keys.js";
import {createMessages} from "./messages.js";
import {createSplit} from "./split.js";
import {KEYS} from "./state.js";
import {theme} from "./theme.js";
import {panesOf, TABS, VIEWS} from "./views.js";

/** Shows the page in `element`. `data` is of data.js, `capture` the answer capture.json. */
export function createShell(element, {data, state, capture}) {
    const messages = createMessages(element.querySelector("#messages"));
    const main = element.querySelector("main");
    const tabs = TABS.map(tab => ({...tab, panes: panesOf(tab.panes)})).filter(tab => tab.panes.length > 0);
    const shared = {data, state, capture, ...messages};
    let made = new Map(); // panels by the name of their tab

    main.replaceChildren();
    startKeys();
    const header = createHeader(element.querySelector("#header"), {state, capture, tabs, openPlaces});

    function openPlaces() {
        const context = contextOf({...shared, key: keyOf()}, null);
        const entries = Promise.all([context.report(), context.summary()])
            .then(([report, summary]) => entriesOf(context.facts, report, summary, capture.rules));
        openGoto(state, entries).catch(messages.fail);
    }

    function keyOf() {
        const key = state.get("capture");
        return capture.captures.some(one => one.key === key) ? key : "a";
    }

    function show() {
        const wanted = state.get("tab");
        const tab = tabs.find(one => one.name === wanted) ?? tabs[0];
        if (!made.has(tab.name))
            made.set(tab.name, createPanel(main, tab, {...shared, key: keyOf()}));
        for (const [name, panel] of made)
            panel.show(name === tab.name);
        header.show(tab, keyOf());
    }

    function startAnew() {
        for (const panel of made.values())
            panel.destroy();
        made = new Map();
        show();
    }

    element.querySelector(".skip").addEventListener("click", event => {
        event.preventDefault(); // the part behind # of the address is the state's
        main.querySelector(".panel:not([hidden])").focus();
    });
    addShellKeys(state, tabs, main, openPlaces);
    state.subscribe(["tab"], show);
    state.subscribe(["capture"], startAnew);
    show();
    return messages;
}

/* Answers that several views want are asked for once. */
const answers = new Map();

function answerOf(shared, name) {
    const id = `${shared.key} ${name}`;
    if (!answers.has(id)) {
        const answer = shared.data.json(name, {}, shared.key);
        answers.set(id, answer);
        answer.catch(() => answers.delete(id)); // the next who asks tries again
    }
    return answers.get(id);
}

function contextOf(shared, panel) {
    return {
        ...shared,
        facts: shared.capture.captures.find(one => one.key === shared.key),
        report: () => answerOf(shared, "report.json"),
        summary: () => answerOf(shared, "summary.json"),
        schema: () => answerOf({...shared, key: "a"}, "schema.json"),
        keys: (title, list) => panel.ends.push(addKeys(title, list, () => panel.isShown)),
        isShown: () => panel.isShown,
        onShown: callback => panel.whenShown.push(callback),
    };
}

/* The panel of a tab, with its views. */
function createPanel(main, tab, shared) {
    const element = make("div", {
        class: "panel", role: "tabpanel", id: `panel-${tab.name}`, "aria-labelledby": `tab-${tab.name}`, tabindex: "-1",
    });
    const panel = {isShown: true, ends: [], whenShown: []};
    const context = contextOf(shared, panel);
    main.append(element);

    function create(pane, body) {
        try {
            const view = VIEWS[pane.view](body, context);
            panel.ends.push(() => view?.destroy?.());
        } catch (error) {
            shared.fail(error);
            fill(body, make("p", {class: "empty"}, `This view could not be made: ${error.message}`));
        }
    }

    function lay(panes, body, name, direction) {
        if (panes.length === 1 && panes[0].view) {
            create(panes[0], body);
            return;
        }
        const named = panes.map(pane => ({...pane, name: pane.name ?? pane.view}));
        const split = createSplit(body, {state: shared.state, name, direction, panes: named});
        panel.ends.push(split.destroy);
        for (const pane of named) {
            const inner = split.panes[pane.name].body;
            if (pane.panes)
                lay(pane.panes, inner, pane.name, direction === "row" ? "column" : "row");
            else
                create(pane, inner);
        }
    }

    lay(tab.panes, element, tab.name, "row");
    return {
        show(isShown) {
            const was = panel.isShown;
            panel.isShown = isShown;
            element.hidden = !isShown;
            if (isShown && !was)
                panel.whenShown.forEach(callback => callback());
        },
        destroy() {
            panel.ends.forEach(end => end());
            element.remove();
        },
    };
}

function createHeader(element, {state, capture, tabs, openPlaces}) {
    const tabButtons = tabs.map((tab, index) => button(tab.title, () => state.set({tab: tab.name}), {
        id: `tab-${tab.name}`, role: "tab", "aria-controls": `panel-${tab.name}`, title: `${tab.title} (${index + 1})`,
    }));
    const tabList = make("div", {class: "tabs", role: "tablist", "aria-label": "Views"}, tabButtons);
    tabList.addEventListener("keydown", event => moveInTabs(event, tabButtons));
    const chooser = createChooser(state, capture);
    const themeButton = button("", () => state.set({theme: theme() === "dark" ? "light" : "dark"}), {class: "quiet"});
    fill(element,
        make("h1", {class: "brand"}, "Warpscope"), tabList, make("span", {class: "spring"}), chooser.element,
        button("Go to", openPlaces, {class: "quiet", title: "Find a shader, a launch, a line or a table (g)"}), themeButton,
        button("Help", openHelp, {class: "quiet", title: "Keys and help (?)", "aria-keyshortcuts": "?"}));

    function showTheme() {
        themeButton.textContent = theme() === "dark" ? "Light" : "Dark";
        themeButton.title = `Switch to the ${theme() === "dark" ? "light" : "dark"} theme`;
    }

    state.subscribe(["theme"], showTheme);
    showTheme();
    return {
        show(shown, key) {
            for (const [index, tab] of tabs.entries()) {
                const isShown = tab === shown;
                tabButtons[index].setAttribute("aria-selected", String(isShown));
                tabButtons[index].tabIndex = isShown ? 0 : -1;
            }
            chooser.show(key);
            const facts = capture.captures.find(one => one.key === key);
            document.title = `${fileName(facts.capture.file)} - ${shown.title} - Warpscope`;
        },
    };
}

/** The last part of a path. */
function fileName(path) {
    return (path ?? "").split("/").at(-1);
}

/* Which of two captures the page shows; of one capture its name. */
function createChooser(state, capture) {
    const [first] = capture.captures;
    if (capture.captures.length < 2) {
        const element = make("span", {class: "capture-name", title: first.capture.file}, fileName(first.capture.file));
        return {element, show() {}};
    }
    const choices = capture.captures.map(one => [one.key, `${one.key.toUpperCase()}: ${fileName(one.capture.file)}`]);
    // Numbers of launches, shaders and rays are those of one capture.
    const places = Object.fromEntries(Object.entries(KEYS).filter(([name, key]) => key.place && key.type !== "text")
        .map(([name]) => [name, null]));
    const chooser = select(choices, "a", key => state.set({...places, rule: "", capture: key}),
        {"aria-label": "Capture", class: "capture-name"});
    return {
        element: chooser,
        show(key) {
            chooser.value = key;
        },
    };
}

/* Arrow keys go from tab to tab, as in any list of tabs. */
function moveInTabs(event, tabButtons) {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const at = tabButtons.indexOf(document.activeElement);
    if (by === undefined || at < 0)
        return;
    event.preventDefault();
    const next = tabButtons[(at + by + tabButtons.length) % tabButtons.length];
    next.focus();
    next.click();
}

function addShellKeys(state, tabs, main, openPlaces) {
    const search = () => {
        const fields = [...main.querySelectorAll("input[type=search]")];
        const field = state.get("tab") === "overview" ? null : fields.find(one => one.offsetParent !== null);
        if (field)
            field.focus();
        else
            openPlaces();
    };
    const leave = () => {
        if (document.activeElement !== document.body)
            document.activeElement.blur();
        else
            state.set({thread: null, ray: null, instance: null, geometry: null, primitive: null, rule: ""});
    };
    addKeys("Everywhere", [
        ...tabs.map((tab, index) => ({
            key: String(index + 1), help: tab.title, action: () => state.set({tab: tab.name}),
        })),
        {key: "g", help: "go to a shader, a launch, a line or a table", action: openPlaces},
        {key: "/", help: "search in the view", action: search},
        {key: "?", help: "this help", action: openHelp},
        {key: "Escape", help: "leave a field; then select nothing", action: leave},
    ]);
    document.addEventListener("keydown", event => {
        if (event.key === "Escape" && document.activeElement?.matches?.("input, select, textarea"))
            document.activeElement.blur();
    });
}
