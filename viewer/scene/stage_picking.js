/* A click on the scene: a ray within reach, else the geometry under it, else nothing. What was picked goes to the state. */

import {Vector3} from "three";

import {boxOfRays} from "./evidence.js";
import {isGeometryShown} from "./geometry_panel.js";
import {pickMesh} from "./mesh_picking.js";
import {pickLine} from "./picking.js";
import {endsOf, threadOf} from "./ray_rows.js";
import {optionsOf, setOptions} from "./scene_options.js";
import {unionOf} from "./scene_model.js";

/** Makes the picking of a stage. Returns {pick(x, y), boxOfSelection()}. */
export function createStagePicking(stage) {
    const {state, model, layout, rays, selection, camera} = stage;

    /* Of the drawn rays; those of the selected thread are drawn, too. */
    function pickRay(answer, x, y, isDrawn, depthMost) {
        if (answer === null)
            return null;
        const ends = (index, out) => {
            if (!isDrawn(index))
                return false;
            out.set(endsOf(answer, index));
            return true;
        };
        const found = pickLine(answer.count, ends, camera.matrixOf(stage.renderer.scene), [x, y], stage.renderer.size());
        return found !== null && found.depth <= depthMost ? {...found, answer} : null;
    }

    function pickGeometry(x, y) {
        const {mode, hidden} = optionsOf(state);
        if (mode === "none")
            return null;
        const [width, height] = stage.renderer.size();
        const at = [2 * x / width - 1, 1 - 2 * y / height];
        const near = new Vector3(...at, -1).unproject(camera.three());
        const far = new Vector3(...at, 1).unproject(camera.three());
        const set = new Set(hidden);
        const found = pickMesh(model, stage.meshes.contents, near.toArray(), far.sub(near).toArray(),
            (number, geometry) => isGeometryShown(set, model.instances[number].index, geometry),
            mode === "open" && !model.isWithin(camera.value().place) ? stage.centre : null);
        return found === null ? null : {...found, depth: new Vector3(...found.place).project(camera.three()).z};
    }

    function pick(x, y) {
        camera.prepare();
        const geometry = pickGeometry(x, y);
        const {behind, mode} = optionsOf(state);
        const isHidden = !behind && ["open", "solid"].includes(mode) && geometry !== null;
        const depthMost = isHidden ? geometry.depth + 1e-5 : 1;
        const drawn = rays.isDensity() || rays.shown.answer === null ? null : rays.shown.answer;
        const ray = [
            pickRay(selection.shown.answer, x, y, () => true, depthMost), pickRay(drawn, x, y, rays.isDrawn, depthMost),
        ].filter(one => one !== null).sort((a, b) => a.depth - b.depth)[0];
        if (ray) {
            const number = ray.answer.columns.ray[ray.index];
            return setOptions(state, {panel: "selected"}, {ray: number, thread: threadOf(ray.answer, ray.index),
                instance: null, geometry: null, primitive: null});
        }
        if (geometry !== null)
            return setOptions(state, {panel: "selected"}, {
                instance: model.instances[geometry.instance].index, geometry: geometry.geometry, primitive: geometry.primitive,
            });
        return state.set({ray: null, thread: null, instance: null, geometry: null, primitive: null});
    }

    const enter = event => {
        if (event.key !== "Enter")
            return;
        event.preventDefault();
        event.stopPropagation();
        const [width, height] = stage.renderer.size();
        pick(width / 2, height / 2);
    };
    layout.canvas.addEventListener("keydown", enter);
    stage.ends.push(() => layout.canvas.removeEventListener("keydown", enter));

    const boxOfSelection = () => {
        const instance = state.get("instance");
        const boxes = instance === null ? [] : model.numbersOf(instance).map(number => model.boxOf(number));
        return selection.box() ?? unionOf(boxes);
    };

    return {
        pick, boxOfSelection,
        /** The same with the drawn rays that are evidence of the chosen advice. */
        boxOfEvidence() {
            const {answer} = rays.shown;
            const evidence = state.get("rule") !== "" && answer !== null && answer.matches < answer.total ? boxOfRays(answer) : null;
            return unionOf([evidence, boxOfSelection()]);
        },
    };
}
