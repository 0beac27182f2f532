/* The panels beside the stage, and the keys that they answer to. */

import {fill, make} from "../dom.js";
import {createBisectPanel} from "./bisect_panel.js";
import {withContext} from "./evidence.js";
import {createFiltersPanel, listsOfFilters} from "./filters_panel.js";
import {createGeometryPanel} from "./geometry_panel.js";
import {createRaysPanel} from "./rays_panel.js";
import {optionsOf} from "./scene_options.js";
import {createSelectedPanel} from "./selected_panel.js";
import {createStepsPanel} from "./steps_panel.js";

/** Makes the panels of a stage. Returns {show(), selected()}. */
export function createStagePanels(stage) {
    const {state, context, model, launch} = stage;
    const {panels, actions} = stage.layout;
    const {fail, say} = context;
    const names = ["rays", "filters", "bisect", "steps", "geometry", "selected"];
    const parts = Object.fromEntries(names.map(name => [name, make("div", {class: "scene-part"})]));
    fill(panels.rays, parts.rays, parts.filters);
    fill(panels.geometry, parts.geometry);
    fill(panels.find, make("h3", {}, "Bisect"), parts.bisect, make("h3", {}, "Step through"), parts.steps);
    fill(panels.selected, parts.selected);

    const {ask} = stage;
    const lists = context.data.json("rays.json", {launch}, context.key).then(counts => (
        listsOfFilters(counts, model, context.capture.rules ?? [])));
    const made = {
        rays: createRaysPanel(parts.rays, {state}),
        filters: createFiltersPanel(parts.filters, {state, lists, fail}),
        geometry: createGeometryPanel(parts.geometry, {state, model, frame: box => stage.camera.frame(box)}),
        bisect: createBisectPanel(parts.bisect, {state, rays: stage.rays, say}),
        steps: createStepsPanel(parts.steps, {
            state, launch, report: context.report, ask, fail,
            // The camera stays where the item is in sight; else it goes there, once its rays are known.
            frame: () => {
                stage.isFramePlanned = true;
            },
        }),
        selected: createSelectedPanel(parts.selected, stage),
    };
    stage.key = name => {
        const own = {
            previous: () => made.steps.step(-1), next: () => made.steps.step(1), yes: () => made.bisect.answer(true),
            no: () => made.bisect.answer(false), "ray-before": () => made.selected.step(-1), "ray-next": () => made.selected.step(1),
        };
        (own[name] ?? actions[name])?.();
    };
    return {
        show() {
            const shown = {rays: ["rays", "filters"], geometry: ["geometry"], find: ["bisect", "steps"], selected: ["selected"]};
            (shown[optionsOf(state).panel] ?? shown.rays).forEach(name => made[name].show());
        },
        selected() {
            if (stage.isLeading) // to a ray, which comes soon
                return;
            const box = stage.isFramePlanned ? stage.chain ?? stage.picking.boxOfEvidence() : null;
            if (box !== null)
                stage.camera.frame(withContext(box, model.bounds));
            stage.isFramePlanned = false;
            stage.chain = null;
        },
    };
}
