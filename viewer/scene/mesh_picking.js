/* Which geometry is under a place of the canvas: a ray through the scene, by a bounding volume hierarchy for each content
 * (three-mesh-bvh), made when it is first needed. The structure is of the content, not of the instance: the ray goes to
 * the space of each instance instead. */

import {BufferAttribute, BufferGeometry, DoubleSide, Matrix4, Ray, Vector3} from "three";
import {MeshBVH} from "three-mesh-bvh";

import {primitiveOf} from "./mesh_answer.js";

/** The 16 numbers of a transform of rows, column by column. */
export function matrixOf(transform) {
    return new Matrix4().set(...transform, 0, 0, 0, 1);
}

function hierarchyOf(entry) {
    if (!entry.hierarchy) {
        const geometry = new BufferGeometry();
        geometry.setAttribute("position", new BufferAttribute(entry.drawn.positions, 3));
        geometry.setIndex(new BufferAttribute(entry.drawn.indices, 1));
        entry.hierarchy = new MeshBVH(geometry, {indirect: true}); // triangles keep their order
    }
    return entry.hierarchy;
}

/* Whether a wall is left out at a hit (meshes.js, OPEN): it stands between the viewer and the middle. */
function isInFront(hit, toWorld, place, ray, middle) {
    const normal = hit.face.normal.clone().transformDirection(toWorld);
    const side = point => Math.sign(normal.dot(new Vector3().subVectors(point, place)));
    return side(ray.origin) * side(middle) < 0;
}

/* The nearest hit of one instance: {distance, place, geometry, primitive}, or null. `middle`: of the scene, where walls in
 * front of it are left out. */
function pickInstance(entry, transform, ray, isShown, middle) {
    const toWorld = matrixOf(transform);
    const toObject = toWorld.clone().invert();
    const local = new Ray(ray.origin.clone().applyMatrix4(toObject), ray.direction.clone().transformDirection(toObject));
    let best = null;
    for (const hit of hierarchyOf(entry).raycast(local, DoubleSide)) {
        const found = primitiveOf(entry.drawn, hit.faceIndex);
        if (!isShown(found.geometry))
            continue;
        const place = hit.point.clone().applyMatrix4(toWorld);
        if (middle !== null && isInFront(hit, toWorld, place, ray, middle))
            continue;
        const distance = place.distanceTo(ray.origin);
        if (best === null || distance < best.distance)
            best = {distance, place: place.toArray(), ...found};
    }
    return best;
}

/**
 * The nearest shown geometry on a ray from `origin` along `direction`: {instance (number in the model), geometry, primitive,
 * distance, place}, or null. `contents` are those of meshes.js; `isShown(instance, geometry)` leaves out what is hidden,
 * `middle` (of the scene, or null) the walls in front of it.
 */
export function pickMesh(model, contents, origin, direction, isShown, middle = null) {
    const ray = new Ray(new Vector3(...origin), new Vector3(...direction).normalize());
    let best = null;
    for (const entry of contents.values()) {
        for (const number of entry.drawn && entry.drawn.triangles > 0 ? entry.numbers : []) {
            const before = middle !== null && model.isWall(number) ? new Vector3(...middle) : null;
            const hit = pickInstance(entry, model.instances[number].transform, ray, geometry => isShown(number, geometry), before);
            if (hit !== null && (best === null || hit.distance < best.distance))
                best = {instance: number, ...hit};
        }
    }
    return best;
}

/** The corners of a primitive in the world: three of a triangle, eight of a box; null where it is not drawn. */
export function cornersOf(entry, transform, geometry, primitive) {
    const found = entry.drawn?.faceParts.find(({part}) => part.geometry === geometry);
    if (!found)
        return null;
    const {part, first} = found;
    const place = part.numbers ? part.numbers.indexOf(primitive) : primitive;
    if (place < 0 || place >= part.drawn)
        return null;
    const toWorld = matrixOf(transform);
    const corners = part.isBoxes
        ? [...new Set(entry.drawn.indices.subarray(3 * (first + 12 * place), 3 * (first + 12 * place + 12)))].sort((a, b) => a - b)
        : [...entry.drawn.indices.subarray(3 * (first + place), 3 * (first + place + 1))];
    return corners.map(vertex => new Vector3().fromArray(entry.drawn.positions, 3 * vertex).applyMatrix4(toWorld).toArray());
}
