/* Elements, made by functions. Texts become text nodes, never markup: what a capture says is only shown. There is no way
 * here to set innerHTML, and no style attribute, which the content security policy would refuse; `style` sets
 * properties. */

const SVG = "http://www.w3.org/2000/svg";

function apply(element, properties) {
    for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false)
            continue;
        if (name === "on") {
            for (const [event, listener] of Object.entries(value))
                element.addEventListener(event, listener);
        } else if (name === "style") {
            for (const [property, text] of Object.entries(value))
                element.style.setProperty(property, text);
        } else if (name === "text") {
            element.textContent = value;
        } else if (name === "value" || name === "checked" || name === "selected") {
            element[name] = value;
        } else {
            element.setAttribute(name, value === true ? "" : value);
        }
    }
    return element;
}

/**
 * Makes an element: make("button", {class: "quiet", on: {click: f}}, "Show ", rays). Properties are attributes; besides
 * `text`, `on` {event: listener}, `style` {property: value}, `value` and `checked`. Those that are null or false are left
 * out. Children are nodes and texts; null is left out, lists are taken apart.
 */
export function make(tag, properties = {}, ...children) {
    const element = apply(document.createElement(tag), properties);
    element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
    return element;
}

/** Makes an element of SVG. */
export function makeSvg(tag, properties = {}, ...children) {
    const element = apply(document.createElementNS(SVG, tag), properties);
    element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
    return element;
}

/** Puts `children` in place of all that `element` has. */
export function fill(element, ...children) {
    element.replaceChildren(
        ...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
    return element;
}

/** A button. `properties` as of `make`, with `title` for what is shown on hover. */
export function button(label, action, properties = {}) {
    return make("button", {type: "button", ...properties, on: {click: action, ...properties.on}}, label);
}

/** A link to another place of the page: `changes` of the state. It can be opened in a tab of its own. */
export function placeLink(state, changes, ...children) {
    const link = make("a", {href: state.link(changes)}, ...children);
    link.addEventListener("click", event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0)
            return;
        event.preventDefault();
        event.stopPropagation();
        state.set(changes);
    });
    return link;
}

let lastId = 0;

/** An id that no other element has. */
export function newId(prefix = "id") {
    lastId++;
    return `${prefix}-${lastId}`;
}

/** A control with its label in front. */
export function labelled(label, control, properties = {}) {
    control.id ||= newId("control");
    return make("span", {class: "field", ...properties}, make("label", {for: control.id}, label), control);
}

/** A select. `choices` are [value, label]; `change(value)` is called when the user chooses. */
export function select(choices, value, change, properties = {}) {
    const element = make("select", {...properties, on: {change: () => change(element.value)}},
        choices.map(([name, label]) => make("option", {value: name}, label)));
    element.value = value;
    return element;
}

/** A checkbox with its label behind. */
export function check(label, checked, change, properties = {}) {
    const input = make("input", {type: "checkbox", checked, on: {change: () => change(input.checked)}});
    return make("label", {class: "check", ...properties}, input, label);
}

/** Texts as an ordinary sentence's list: "a, b and c". */
export function listed(texts) {
    return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}

/** Puts `text` on the clipboard. False if the browser does not allow it. */
export async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        // A page from a file has no clipboard; a selected text can still be copied.
    }
    const area = make("textarea", {value: text, "aria-hidden": "true", class: "off-screen"});
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
}
