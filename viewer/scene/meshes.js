/* The geometry of a launch: one mesh for each content, drawn once for each of its instances. Faces are flat and seen from both
 * sides, lit from where the viewer stands; boxes are edges around faces that one can look through.
 *
 * Each geometry of each instance has an entry in a table on the device: its colour, or that it is hidden. So colouring,
 * showing and hiding change one texture, and no mesh.
 *
 * OPEN: a room that is looked at from outside lacks the walls between the viewer and its middle. Walls are the instances that
 * are as large as the scene, and only where the launch's own camera stands within it: so a statue alone stays whole.
 *
 * Hit rates colour each triangle by itself: then its content is drawn a third way, with the corners of each triangle apart
 * (mesh_rates.js).
 *
 * Large contents come twice: with all triangles, and with less detail, which is drawn while the camera moves, and always
 * where the scene has more triangles than a device can be asked to draw. */

import {
    BackSide, BufferAttribute, DataTexture, DoubleSide, FrontSide, InstancedBufferAttribute, InstancedBufferGeometry, LineSegments,
    Mesh, NearestFilter, ShaderMaterial, Vector3,
} from "three";

import {drawnOf, readMesh} from "./mesh_answer.js";
import {ratedOf} from "./mesh_rates.js";

const TABLE_WIDTH = 1024;
const DRAWN_MOST = {true: 3e6, false: 3e7}; // triangles, of software renderers and of others

const PLACE_GLSL = `
attribute vec4 row0;
attribute vec4 row1;
attribute vec4 row2;
attribute float entry;
attribute float geometryIndex;
uniform sampler2D table;
vec4 entryColour() {
    int at = int(entry + 0.5) + int(geometryIndex + 0.5);
    return texelFetch(table, ivec2(at % ${TABLE_WIDTH}, at / ${TABLE_WIDTH}), 0);
}
vec4 viewPlace() {
    vec4 place = vec4(position, 1.0);
    return modelViewMatrix * vec4(dot(row0, place), dot(row1, place), dot(row2, place), 1.0);
}
const vec4 HIDDEN = vec4(2.0, 2.0, 2.0, 1.0);`;

const FACE_VERTEX = `${PLACE_GLSL}
#ifdef RATED
attribute vec4 rated; // a colour; opacity 0: it has none of its own
#endif
varying vec3 place;
varying vec3 colour;
varying float isWall;
varying float isFlat;
void main() {
    vec4 entryValue = entryColour();
    vec4 view = viewPlace();
    place = view.xyz;
    colour = entryValue.rgb;
    isFlat = 0.0;
#ifdef RATED
    isFlat = rated.a;
    colour = rated.a > 0.5 ? rated.rgb : colour;
#endif
    isWall = entryValue.a < 0.999 ? 1.0 : 0.0;
    gl_Position = entryValue.a > 0.0 ? projectionMatrix * view : HIDDEN;
}`;

const FACE_FRAGMENT = `
varying vec3 place;
varying vec3 colour;
varying float isWall;
varying float isFlat;
uniform float opacity;
uniform bool isPerspective;
uniform bool isOpen;
uniform vec3 middle; // of the scene
void main() {
    vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
    vec3 eye = isPerspective ? normalize(-place) : vec3(0.0, 0.0, 1.0);
    normal *= dot(normal, eye) < 0.0 ? -1.0 : 1.0;
    if (isOpen && isWall > 0.5 && dot(normal, middle - place) < 0.0)
        discard;
    // Mostly by the angle to the viewer; a little from above and the left, so that edges between equal angles are seen.
    float light = 0.42 + 0.46 * dot(normal, eye) + 0.12 * dot(normal, vec3(-0.5, 0.75, 0.43));
    gl_FragColor = vec4(colour * mix(light, 1.0, 0.8 * isFlat), opacity); // colours that are read keep nearly all of their light
}`;

const EDGE_VERTEX = `${PLACE_GLSL}
varying vec3 colour;
void main() {
    vec4 entryValue = entryColour();
    colour = entryValue.rgb;
    gl_Position = entryValue.a > 0.0 ? projectionMatrix * viewPlace() : HIDDEN;
}`;

const EDGE_FRAGMENT = `
varying vec3 colour;
void main() {
    gl_FragColor = vec4(colour, 1.0);
}`;

/* The entries of a scene: where the first of each instance is, and the texture. */
function createTable(instances, contents) {
    const firsts = [];
    let count = 0;
    for (const instance of instances) {
        firsts.push(count);
        count += contents.get(instance.content)?.geometries.length ?? 0;
    }
    const height = Math.max(Math.ceil(count / TABLE_WIDTH), 1);
    const pixels = new Uint8Array(4 * TABLE_WIDTH * height).fill(255);
    const texture = new DataTexture(pixels, TABLE_WIDTH, height);
    texture.minFilter = texture.magFilter = NearestFilter;
    texture.needsUpdate = true;
    return {firsts, pixels, texture};
}

/* What all draws of one content share: its instances' transforms, without `centre`, and their entries. */
function instancedGeometry(numbers, instances, firsts, centre) {
    const geometry = new InstancedBufferGeometry();
    for (let row = 0; row < 3; ++row) {
        const values = numbers.flatMap(number => {
            const part = instances[number].transform.slice(4 * row, 4 * row + 4);
            part[3] -= centre[row];
            return part;
        });
        geometry.setAttribute(`row${row}`, new InstancedBufferAttribute(Float32Array.from(values), 4));
    }
    const entries = Float32Array.from(numbers, number => firsts[number]);
    geometry.setAttribute("entry", new InstancedBufferAttribute(entries, 1));
    geometry.instanceCount = numbers.length;
    return geometry;
}

function addVertices(geometry, drawn, indices) {
    geometry.setAttribute("position", new BufferAttribute(drawn.positions, 3));
    geometry.setAttribute("geometryIndex", new BufferAttribute(drawn.geometries, 1));
    geometry.setIndex(new BufferAttribute(indices, 1));
    return geometry;
}

/**
 * Makes the meshes in `parent`. `model` is of scene_model.js; `load(content, detail)` gives answers of `mesh`; `loaded(text)`
 * is called as they come; `loadRates(content, of)` gives answers of `rates`. Returns {start(), paint(colourOf), setRates(rate),
 * setMode(mode), prepare(isMoving), counts(), contents, destroy()}.
 */
export function createMeshes(parent, {model, centre, isSoftware, load, loadRates, loaded, fail}) {
    const {instances, contents} = model;
    const table = createTable(instances, contents);
    const materials = createMaterials(table.texture);
    const made = new Map(); // content -> {numbers, full, rough, drawn}
    let isStopped = false;
    let mode = "open";
    let rated = null; // the hit rate that triangles are coloured by

    for (const [number, instance] of instances.entries()) {
        if (contents.has(instance.content)) {
            const entry = made.get(instance.content) ?? {numbers: [], full: null, rough: null, drawn: null, rated: null, ratedBy: null};
            entry.numbers.push(number);
            made.set(instance.content, entry);
        }
    }
    const wanted = [...made].reduce((sum, [content, entry]) => sum + contents.get(content).primitives * entry.numbers.length, 0);
    const isTooMany = wanted > DRAWN_MOST[isSoftware];

    function makeDraw(entry, drawn) {
        const objects = [];
        const add = (object, order) => {
            object.frustumCulled = false;
            object.renderOrder = order;
            object.visible = false;
            parent.add(object);
            objects.push(object);
        };
        const geometry = () => instancedGeometry(entry.numbers, instances, table.firsts, centre);
        const faces = addVertices(geometry(), drawn, drawn.indices);
        add(new Mesh(faces, drawn.boxes > 0 ? materials.boxes : materials.faces), drawn.boxes > 0 ? 2 : 0);
        if (drawn.boxes > 0)
            add(new LineSegments(addVertices(geometry(), drawn, drawn.edges), materials.edges), 0);
        const {length} = entry.numbers;
        return {objects, triangles: (drawn.triangles - 12 * drawn.boxes) * length, boxes: drawn.boxes * length};
    }

    async function loadOne(content, entry) {
        const {detail} = contents.get(content); // 0: it is small enough to be drawn in full while the camera moves
        if (detail > 0) {
            try {
                entry.rough = makeDraw(entry, drawnOf(readMesh(await load(content, detail))));
            } catch (error) {
                if (!error.leftOut) // a single file may hold only one of the two
                    throw error;
            }
            loaded();
        }
        if (isStopped || (isTooMany && entry.rough))
            return;
        const drawn = drawnOf(readMesh(await load(content, null)));
        entry.drawn = drawn;
        entry.full = makeDraw(entry, drawn);
        loaded();
        await rateOne(content, entry);
    }

    function drop(draw) {
        draw?.objects.forEach(object => {
            parent.remove(object);
            object.geometry.dispose();
        });
    }

    /* Draws a content by the hit rate that is chosen, once its triangles are there. */
    async function rateOne(content, entry) {
        const mine = rated;
        if (!entry.drawn || entry.ratedBy === mine)
            return;
        drop(entry.rated);
        entry.rated = null;
        entry.ratedBy = mine;
        if (mine === null)
            return;
        const rows = await loadRates(content, mine.of);
        if (isStopped || entry.ratedBy !== mine)
            return;
        const apart = ratedOf(entry.drawn, rows, mine.column, mine.map);
        const geometry = instancedGeometry(entry.numbers, instances, table.firsts, centre);
        geometry.setAttribute("position", new BufferAttribute(apart.positions, 3));
        geometry.setAttribute("geometryIndex", new BufferAttribute(apart.geometries, 1));
        geometry.setAttribute("rated", new BufferAttribute(apart.colours, 4, true));
        const object = new Mesh(geometry, materials.rated);
        object.frustumCulled = object.visible = false;
        parent.add(object);
        entry.rated = {objects: [object]};
        loaded();
    }

    return {
        contents: made,
        /** Loads everything, the smallest first; one content that fails does not stop the others. */
        async start() {
            const list = [...made].sort((a, b) => contents.get(a[0]).primitives - contents.get(b[0]).primitives);
            for (const [content, entry] of list) {
                if (isStopped)
                    return;
                try {
                    await loadOne(content, entry);
                } catch (error) {
                    entry.error = error;
                    fail(error);
                }
            }
        },
        /** `colourOf(instance number, geometry)` gives [r, g, b], or null for what is hidden. */
        paint(colourOf) {
            for (const [number, instance] of instances.entries()) {
                const count = contents.get(instance.content)?.geometries.length ?? 0;
                for (let geometry = 0; geometry < count; ++geometry) {
                    const colour = colourOf(number, geometry);
                    table.pixels.set(colour ? [...colour, model.isWall(number) ? 254 : 255] : [0, 0, 0, 0],
                        4 * (table.firsts[number] + geometry));
                }
            }
            table.texture.needsUpdate = true;
        },
        /** Colours triangles by a hit rate: {of, column, map}; null = by nothing of their own. */
        async setRates(next) {
            rated = next;
            for (const [content, entry] of made) {
                try {
                    await rateOne(content, entry);
                } catch (error) {
                    fail(error);
                    return;
                }
            }
            loaded();
        },
        setMode(next) {
            mode = next;
            materials.setMode(next);
        },
        /** Before a frame. `middle` of the scene is in the camera's space; null where it stands within the scene. */
        prepare(isMoving, isPerspective, middle) {
            materials.setView(isPerspective, mode === "open" ? middle : null);
            for (const entry of made.values()) {
                const whole = entry.rated ?? entry.full;
                const shown = isMoving ? entry.rough ?? whole : whole ?? entry.rough;
                for (const draw of [entry.rough, entry.full, entry.rated])
                    draw?.objects.forEach(object => {
                        object.visible = draw === shown && mode !== "none";
                    });
            }
        },
        /**
         * {instances, triangles, boxes: what is drawn while nothing moves, isSimplified, plain: triangles and boxes that have no colour
         * of the chosen hit rate, since they are of less detail, isLoading}.
         */
        counts() {
            const entries = [...made.values()];
            const sumOf = (draws, name) => draws.reduce((sum, draw) => sum + (draw?.[name] ?? 0), 0);
            const drawn = entries.map(entry => entry.full ?? entry.rough);
            const rough = entries.filter(entry => !entry.full).map(entry => entry.rough);
            return {
                instances: instances.length, isSimplified: isTooMany,
                triangles: sumOf(drawn, "triangles"), boxes: sumOf(drawn, "boxes"),
                plain: rated === null || !isTooMany ? 0 : sumOf(rough, "triangles") + sumOf(rough, "boxes"),
                isLoading: entries.some(entry => !entry.full && !entry.error && !(isTooMany && entry.rough)),
            };
        },
        destroy() {
            isStopped = true;
            for (const entry of made.values())
                [entry.rough, entry.full, entry.rated].forEach(drop);
            table.texture.dispose();
            materials.destroy();
        },
    };
}

/* How faces are drawn: [name, label]. */
export const MODES = [
    ["open", "Without the walls in front"],
    ["solid", "All"],
    ["front", "Front faces only"],
    ["back", "Back faces only"],
    ["through", "See-through"],
    ["none", "Hidden"],
];

function createMaterials(texture) {
    const uniforms = () => ({
        table: {value: texture}, opacity: {value: 1}, isPerspective: {value: true}, isOpen: {value: false}, middle: {value: new Vector3()},
    });
    const faces = new ShaderMaterial({
        vertexShader: FACE_VERTEX, fragmentShader: FACE_FRAGMENT, uniforms: uniforms(), side: DoubleSide,
    });
    const boxes = new ShaderMaterial({
        vertexShader: FACE_VERTEX, fragmentShader: FACE_FRAGMENT, uniforms: uniforms(), side: DoubleSide,
        transparent: true, depthWrite: false,
    });
    const edges = new ShaderMaterial({vertexShader: EDGE_VERTEX, fragmentShader: EDGE_FRAGMENT, uniforms: uniforms()});
    boxes.uniforms.opacity.value = 0.22;
    const rated = new ShaderMaterial({
        vertexShader: FACE_VERTEX, fragmentShader: FACE_FRAGMENT, uniforms: uniforms(), side: DoubleSide, defines: {RATED: 1},
    });
    return {
        faces, boxes, edges, rated,
        setMode(mode) {
            const isThrough = mode === "through";
            for (const material of [faces, rated]) {
                material.side = mode === "front" ? FrontSide : mode === "back" ? BackSide : DoubleSide;
                material.transparent = isThrough;
                material.depthWrite = !isThrough;
                material.uniforms.opacity.value = isThrough ? 0.16 : 1;
                material.needsUpdate = true;
            }
        },
        setView(isPerspective, middle) {
            for (const {uniforms: own} of [faces, boxes, rated]) {
                own.isPerspective.value = isPerspective;
                own.isOpen.value = middle !== null;
                own.middle.value.set(...middle ?? [0, 0, 0]);
            }
        },
        destroy() {
            [faces, boxes, edges, rated].forEach(material => material.dispose());
        },
    };
}
