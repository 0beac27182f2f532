/* What is on the stage for one launch: meshes, rays, points, ground, the camera and the selection, each made by its own file,
 * and kept as the state says. */

import {Group, Vector3} from "three";

import {decodeTable, loadRays} from "../rays_table.js";
import {theme, token, watchTheme} from "../theme.js";
import {geometryColours, RATE_MAP} from "./geometry_colours.js";
import {isGeometryShown} from "./geometry_panel.js";
import {boxOfRays, worstRay} from "./evidence.js";
import {createCompass, createGround} from "./ground.js";
import {sphereOf} from "./launch_camera.js";
import {createLegend} from "./legend.js";
import {cornersOf} from "./mesh_picking.js";
import {createMeshes} from "./meshes.js";
import {createPoints} from "./points.js";
import {createRateBoxes} from "./rate_boxes.js";
import {COLOURINGS} from "./ray_colours.js";
import {endsOf} from "./ray_rows.js";
import {createRaysView, filtersOf} from "./rays_view.js";
import {createRenderer} from "./renderer.js";
import {createModel} from "./scene_model.js";
import {optionsOf, setOptions} from "./scene_options.js";
import {createSelectionView} from "./selection_view.js";
import {createStageCamera} from "./stage_camera.js";
import {createStagePanels} from "./stage_panels.js";
import {createStagePicking} from "./stage_picking.js";
import {describeStage} from "./stage_words.js";

const CHAIN = 8; // so many rays of one thread are looked at by themselves

/* The scene of a launch; what stands in for its box where there is no geometry; and how far away is what its camera looks at. */
async function readModel(context) {
    const {data, key, launch, fail} = context;
    const answer = await data.json("scene.json", {launch: launch.index}, key);
    const own = answer.cameras.find(camera => camera.name !== "all");
    let rays = null;
    try {
        rays = launch.rays > 0 ? await loadRays(context, {launch: launch.index, depth: "0", count: 256}, key) : null;
    } catch (error) {
        fail(error); // geometry alone is worth seeing
    }
    const model = createModel(answer, rays?.box ?? null);
    return {...model, reach: own && rays ? middleDistance(rays, [3, 7, 11].map(i => own.transform[i])) : null};
}

/* The direction of a ray, exactly: ends of a short one are one place. Null where a single file lacks it. */
async function directionOf({data, launch, key}, ray) {
    try {
        const {exact} = await data.json("ray.json", {launch: launch.index, ray}, key);
        return Array.isArray(exact?.direction) && exact.direction.every(Number.isFinite) ? exact.direction : null;
    } catch {
        return null; // the panel of the selection says why
    }
}

/* The median distance from a place to where rays end; null without rays. */
function middleDistance(rays, place) {
    const distances = Array.from({length: rays.count}, (_, i) => endsOf(rays, i).slice(3))
        .map(end => Math.hypot(...end.map((part, axis) => part - place[axis]))).sort((a, b) => a - b);
    return distances[distances.length >> 1] || null;
}

/** Makes the stage in the elements of layout.js. `context` is that of the view, with `launch` of capture.json. */
export async function createStage(layout, context) {
    const {state, launch} = context;
    const model = await readModel(context);
    const {middle: centre} = sphereOf(model.bounds);
    const root = new Group();
    const stage = {layout, context, state, model, launch: launch.index, centre, root, ends: [], rates: new Map(), rate: null};
    const changed = () => stage.changed();

    stage.destroy = () => {
        stage.isGone = true;
        stage.ends.splice(0).reverse().forEach(end => end());
    };
    try {
        build(stage, changed);
    } catch (error) {
        stage.destroy(); // listeners of a stage that nobody sees
        throw error;
    }
    return {
        launch: launch.index, invalidate: stage.renderer.invalidate, key: name => stage.key(name), destroy: stage.destroy,
    };
}

/* Makes the parts of a stage, each with what ends it. */
function build(stage, changed) {
    const {layout, context, state, model, centre, root} = stage;
    const {data, key, launch, capture, fail} = context;
    const own = part => {
        stage.ends.push(part.destroy);
        return part;
    };
    stage.ask = query => loadRays(context, query, key);
    stage.camera = own(createStageCamera(stage, {moved: () => stage.renderer.moved()}));
    stage.renderer = own(createRenderer(layout.canvas, {
        camera: () => stage.camera.three(), before: size => prepare(stage, size), after: () => finish(stage), isShown: context.isShown,
        lost: isLost => isLost ? layout.say("The graphics device took the scene away; it comes back by itself, else load the page again.")
            : changed(),
    }));
    stage.renderer.scene.add(root);
    root.position.set(...centre);

    stage.meshes = own(createMeshes(root, {
        model, centre, fail, loaded: changed, isSoftware: stage.renderer.isSoftware,
        load: (content, detail) => data.binary("mesh", {content, ...(detail && {detail})}, key),
        loadRates: (content, of) => loadRates(stage, content, of),
    }));
    stage.boxes = own(createRateBoxes(root, {model, centre, changed, fail, load: content => loadRates(stage, content, "boxes")}));
    stage.ground = own(createGround(root, centre));
    const inWorld = new Group(); // what comes in boxes has the world's own places
    stage.renderer.scene.add(inWorld);
    stage.rays = own(createRaysView(inWorld, {
        state, launch: launch.index, rules: capture.rules ?? [], ask: stage.ask, overlay: layout.density, changed, fail,
    }));
    stage.points = own(createPoints(inWorld, {
        launch: launch.index, changed, fail, ask: async query => decodeTable(await data.binary("points", query, key), "WSPT"),
    }));
    stage.selection = own(createSelectionView(root, {
        launch: launch.index, centre, world: inWorld, ask: stage.ask, directionOf: ray => directionOf(context, ray), changed, fail,
    }));
    addOverlays(stage);
    stage.panels = createStagePanels(stage);
    stage.picking = createStagePicking(stage);
    subscribe(stage);
    stage.meshes.start();
}

function addOverlays(stage) {
    const {over} = stage.layout;
    const {state} = stage;
    stage.compass = createCompass(over);
    stage.legend = createLegend(over, {
        change(name, colour) {
            const {colours} = optionsOf(state);
            setOptions(state, {colours: {...colours, [`${stage.rays.shown.by}.${name}`]: colour}});
        },
        toggle(name) {
            if (stage.rays.shown.by === "half")
                return setOptions(state, {halves: optionsOf(state).halves === "first" ? "both" : "first"});
            const key = `${stage.rays.shown.by}.${name}`;
            const {off} = optionsOf(state);
            return setOptions(state, {off: off.includes(key) ? off.filter(one => one !== key) : [...off, key]});
        },
    });
    stage.ends.push(() => over.replaceChildren());
}

/* What hears of the state, each part when its own keys change. */
function subscribe(stage) {
    const {state} = stage;
    const kept = {};
    const isNew = (name, value) => {
        const text = JSON.stringify(value);
        const differs = kept[name] !== text;
        kept[name] = text;
        return differs;
    };

    function follow(_, names) {
        // Who comes from another view wants to see the place.
        const isEntering = names?.has("tab") ? ["thread", "ray", "rule", "instance"].some(name => names.has(name)) : !names && isFirst;
        isFirst = false;
        stage.isFramePlanned ||= isEntering;
        const options = optionsOf(state);
        const filters = filtersOf(state, stage.context.capture.rules ?? []);
        if (isNew("geometry", [options.hidden, options.paint, options.boxes, state.get("instance"), state.get("geometry"), theme()]))
            paintGeometry(stage);
        stage.ground.show(options.ground);
        stage.ground.colour(token("--line-strong"));
        stage.meshes.setMode(options.mode);
        if (isNew("selected", [state.get("thread"), state.get("ray")]))
            select(stage, isEntering && !filters.rule);
        if (isNew("theme", theme()))
            stage.selection.setTheme(theme());
        if (isNew("points", [options.points, filters, options.colours]))
            stage.points.set(options.points, filters, options.colours);
        const isLeading = isNew("rule", state.get("rule")) && Boolean(filters.rule) && state.get("ray") === null;
        if (isLeading)
            stage.isLeading = true;
        if (isNew("rays", [options.style, options.count, options.bisect, filters]))
            stage.rays.refresh().then(() => isLeading && lead(stage, filters.rule));
        else if (isNew("classes", [options.off, options.colours, options.halves, state.get("colour")]))
            stage.rays.paint();
        stage.changed();
    }

    /* The camera moves at every frame: nothing but what depends on it follows. */
    function followCamera() {
        stage.camera.follow();
        if (isNew("up", stage.camera.up()))
            stage.ground.set(stage.model.bounds, stage.camera.up());
    }

    stage.changed = () => {
        outline(stage);
        showWords(stage);
        stage.panels?.show();
        stage.rays.hideDensity();
        stage.renderer.invalidate();
    };
    const names = ["tab", "scene", "filters", "rule", "colour", "thread", "ray", "instance", "geometry", "primitive"];
    stage.ends.push(state.subscribe(names, follow), state.subscribe(["camera"], followCamera), watchTheme(() => follow()));
    stage.selection.setTheme(theme());
    let isFirst = Object.keys(state.get("camera")).length === 0
        && (["thread", "ray", "instance"].some(name => state.get(name) !== null) || state.get("rule") !== "");
    followCamera();
    follow();
}

function paintGeometry(stage) {
    const {state, model} = stage;
    const options = optionsOf(state);
    const hidden = new Set(options.hidden);
    const colours = geometryColours(model, options.paint, theme());
    const isChosen = (number, geometry) => model.instances[number].index === state.get("instance")
        && [null, geometry].includes(state.get("geometry"));
    const accent = theme() === "light" ? [245, 158, 66] : [255, 190, 92];
    stage.meshes.paint((number, geometry) => {
        if (!isGeometryShown(hidden, model.instances[number].index, geometry))
            return null;
        const colour = colours.of(number, geometry);
        return isChosen(number, geometry) ? colour.map((part, i) => Math.round(0.45 * part + 0.55 * accent[i])) : colour;
    });
    stage.scale = colours.legend ?? (options.boxes.length === 2 ? boxScale(model) : null);
    const rate = model.rates.find(one => one.name === options.paint) ?? null;
    if (stage.rate !== rate) {
        stage.rate = rate;
        stage.meshes.setRates(rate && {...rate, map: RATE_MAP});
    }
    stage.boxes.set(options.boxes, rate?.column ?? "l1", RATE_MAP);
}

/* What boxes are coloured by where the geometry is not. */
function boxScale(model) {
    const {title, help} = model.rates.find(rate => rate.of === "model" && rate.column === "l1") ?? {title: "", help: ""};
    return {title, help, kind: "share", map: RATE_MAP, low: 0, high: 1};
}

/** Hit rates of a content, or, without one, of the boxes of top levels; each answer is kept. */
export function loadRates({context, launch, rates}, content, of) {
    const name = `${of} ${content}`;
    if (!rates.has(name)) {
        const answer = context.data.binary("rates", {launch, of, content}, context.key).then(bytes => decodeTable(bytes, "WSRT"));
        rates.set(name, answer);
        answer.catch(() => rates.delete(name)); // the next who asks tries again
    }
    return rates.get(name);
}

/* Who comes by advice sees one ray of its evidence at once: of the thread that the advice names, or the worst of all. */
async function lead(stage, rule) {
    const {state} = stage;
    const isWanted = () => state.get("rule") === rule && state.get("ray") === null;
    let chosen = null;
    try {
        const thread = state.get("thread");
        const own = thread === null ? null : await stage.ask({launch: stage.launch, rule, thread: thread.join(","), count: 64});
        stage.chain = own !== null && own.count >= CHAIN ? boxOfRays(own) : null;
        chosen = own !== null && own.count > 0 ? worstRay(own) : stage.rays.shown.answer && worstRay(stage.rays.shown.answer);
    } catch (error) {
        if (isWanted())
            stage.context.fail(error);
    }
    stage.isLeading = false;
    if (stage.isGone)
        return;
    if (chosen !== null && isWanted())
        setOptions(state, {panel: "selected"}, chosen, {replace: true});
    else
        stage.panels.selected();
}

/* The thread and the ray of the state; where only the ray is known, its thread is asked for. Who enters with a thread alone sees
 * its last ray with its story. */
async function select(stage, isEntering) {
    const {state} = stage;
    const ray = state.get("ray");
    let thread = state.get("thread");
    if (thread === null && ray !== null) {
        try {
            thread = await stage.selection.threadOfRay(ray);
        } catch (error) {
            stage.context.fail(error);
        }
        if (ray !== state.get("ray"))
            return;
    }
    await stage.selection.show(thread, ray);
    const last = isEntering && ray === null ? stage.selection.numbers().at(-1) : undefined;
    if (isEntering)
        stage.chain = stage.selection.shown.answer?.count >= CHAIN ? boxOfRays(stage.selection.shown.answer) : null;
    if (last !== undefined && !stage.isGone && state.get("ray") === null && String(state.get("thread")) === String(thread))
        setOptions(state, {panel: "selected"}, {ray: last}, {replace: true});
    else
        stage.panels?.selected();
}

/* The edges of the selected primitive, once its mesh is there. */
function outline(stage) {
    const {state, model} = stage;
    const [instance, geometry, primitive] = ["instance", "geometry", "primitive"].map(name => state.get(name));
    const number = instance === null || geometry === null || primitive === null ? undefined : model.numbersOf(instance)[0];
    const entry = number === undefined ? undefined : stage.meshes.contents.get(model.instances[number].content);
    stage.selection.outline(entry ? cornersOf(entry, model.instances[number].transform, geometry, primitive) : null);
}

function showWords(stage) {
    const {shown} = stage.rays;
    const words = describeStage(stage);
    stage.layout.say(words.short);
    stage.layout.describe(words.long);
    const isBisect = shown.by === "half";
    stage.legend.show({
        title: isBisect ? "Bisecting" : COLOURINGS.find(([name]) => name === shown.by)?.[1],
        classes: shown.answer === null ? null : shown.classes, scale: stage.scale,
    });
}

/* The middle of the scene in the camera's space, where the camera stands outside: then walls may be in its way. */
function middleOf({camera, model, centre}) {
    const {place, height} = camera.value();
    return height === 0 && model.isWithin(place) ? null
        : new Vector3(...centre).applyMatrix4(camera.three().matrixWorldInverse).toArray();
}

/* Before each frame. */
function prepare(stage, size) {
    const {renderer} = stage;
    const isMoving = renderer.isMoving();
    stage.camera.prepare();
    stage.meshes.prepare(isMoving, stage.camera.three().isPerspectiveCamera === true, middleOf(stage));
    stage.rays.prepare(isMoving, stage.selection.shown.answer !== null, size);
    stage.points.setHidden(!optionsOf(stage.state).behind);
    stage.selection.prepare(size, optionsOf(stage.state).behind);
    stage.compass.show(stage.camera.value(), renderer.size());
}

/* Behind each frame: the density is of the camera at rest. */
function finish(stage) {
    if (!stage.rays.isDensity())
        return;
    stage.rays.hideDensity();
    if (!stage.renderer.isMoving())
        stage.rays.drawDensity(stage.camera.matrixOf(stage.rays.object), stage.renderer.size());
}
