/* Dark or light: as the user chose (state key `theme`), else as the system has it. Colours are custom properties of
 * page.css. What is drawn on a canvas reads them by `token`, and draws anew when `watchTheme` says so. */

const system = globalThis.matchMedia?.("(prefers-color-scheme: light)");
const watchers = new Set();

/** The colour, or other value, of a token of page.css: token("--accent"). */
export function token(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** "dark" or "light", as shown now. */
export function theme() {
    return document.documentElement.dataset.theme || "dark";
}

/** Calls `callback` after each change of the theme. Returns a function that ends it. */
export function watchTheme(callback) {
    watchers.add(callback);
    return () => watchers.delete(callback);
}

/** Follows the state and the system, from now on. */
export function startTheme(state) {
    const apply = () => {
        const chosen = state.get("theme");
        const next = chosen === "dark" || chosen === "light" ? chosen : system?.matches ? "light" : "dark";
        if (document.documentElement.dataset.theme === next)
            return;
        document.documentElement.dataset.theme = next;
        watchers.forEach(watcher => watcher(next));
    };
    state.subscribe(["theme"], apply);
    system?.addEventListener("change", apply);
    apply();
}
