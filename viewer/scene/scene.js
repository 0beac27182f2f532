/* The scene of a launch: its geometry, its rays, and what is selected, with the panels beside it. This file makes the parts and
 * joins them; each part stands in a file of its own. Everything that a link restores is in the state: the launch, the
 * camera, filters, the selection, and the options of scene_options.js.
 *
 * A launch is a STAGE: what is made of its answers, and thrown away when another launch is chosen. Canvas, toolbar and the side
 * stay. */

import {make} from "../dom.js";
import {createLayout} from "./layout.js";
import {createStage} from "./stage.js";
import {whyNoScene} from "./stage_words.js";

/** Launches that have something to show, in their order. */
export function launchesWithScene(facts) {
    return facts.launches.filter(launch => launch.rays > 0 || launch.scene);
}

/** The launch that is shown: the chosen one, else the first with rays. */
function chosenLaunch(state, launches) {
    return launches.find(launch => launch.index === state.get("launch")) ?? launches.find(launch => launch.rays > 0) ?? launches[0];
}

/** Makes the view (views.js). */
export function createScene(element, context) {
    const {state, facts, fail} = context;
    const launches = launchesWithScene(facts);
    if (launches.length === 0) {
        element.append(make("p", {class: "empty"}, whyNoScene(facts.capture)));
        return {};
    }
    const layout = createLayout(element, {state, launches, chosen: () => chosenLaunch(state, launches)});
    let stage = null;
    let turn = 0;

    async function open() {
        const launch = chosenLaunch(state, launches);
        if (stage?.launch === launch.index)
            return;
        const mine = ++turn;
        stage?.destroy();
        stage = null;
        layout.showLaunch(launch);
        try {
            const made = await createStage(layout, {...context, launch});
            if (mine === turn)
                stage = made;
            else
                made.destroy();
        } catch (error) {
            if (mine !== turn)
                return; // of a launch that is no longer wanted
            layout.say(error.message);
            fail(error);
        }
    }

    const ends = [state.subscribe(["launch"], open)];
    context.keys("Scene", layout.keys.map(key => key.name ? {...key, action: () => stage?.key(key.name)} : key));
    context.onShown(() => stage?.invalidate());
    open();
    return {
        destroy() {
            turn++;
            ends.forEach(end => end());
            stage?.destroy();
            layout.destroy();
        },
    };
}
