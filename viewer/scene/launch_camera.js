/* Cameras as values: what the state keeps and a link restores, and how they are made from the launch's own camera, a box,
 * or a direction.
 *
 *     {place: [x, y, z], target: [x, y, z], up: [x, y, z], fov: degrees, height: of what an orthographic camera sees}
 *
 * `height` is 0 for perspective cameras, `fov` the vertical field of view. `target` is what orbiting turns around. */

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scale = (a, by) => [a[0] * by, a[1] * by, a[2] * by];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = a => Math.hypot(a[0], a[1], a[2]);
const degrees = radians => radians * 180 / Math.PI;
const radians = angle => angle * Math.PI / 180;

const FOV = 40;

/** The middle of a box and half of its diagonal: what must be seen of it. */
export function sphereOf(box) {
    const middle = [0, 1, 2].map(i => (box[i] + box[3 + i]) / 2);
    const radius = Math.hypot(...[0, 1, 2].map(i => (box[3 + i] - box[i]) / 2));
    return {middle, radius: radius > 0 && Number.isFinite(radius) ? radius : 1};
}

/** The axis that a direction is nearest to: [0, -1, 0]. */
export function nearestAxis(direction) {
    const at = [0, 1, 2].reduce((best, i) => Math.abs(direction[i]) > Math.abs(direction[best]) ? i : best, 0);
    return [0, 1, 2].map(i => i === at ? Math.sign(direction[i]) || 1 : 0);
}

/* How often an axis is up in scenes, as what it adds to its part of the camera's own up. */
const UPS = [[[0, 1, 0], 0.35], [[0, 0, 1], 0.1], [[0, -1, 0], -0.5], [[0, 0, -1], -0.5], [[1, 0, 0], -0.5], [[-1, 0, 0], -0.5]];

/**
 * The axis that is up in the scene of a camera that looks along `ahead`, with `up` up in its picture. A camera looks down
 * rather than up: so one that looks straight down on the ground does not take its picture's up for the sky.
 */
export function upOf(ahead, up) {
    const score = ([axis, usual]) => dot(axis, up) - 0.6 * dot(axis, ahead) + usual;
    return UPS.reduce((best, one) => score(one) > score(best) ? one : best)[0];
}

/**
 * The launch's camera (of scene.json) on a canvas of `aspect` (width by height), so that all of the launch's picture is
 * seen. It turns around what it looks at at `distance`.
 */
export function fromLaunch(camera, aspect, distance) {
    const m = camera.transform; // rows of 4; columns are right, up, back, place
    const column = i => [m[i], m[4 + i], m[8 + i]];
    const place = column(3);
    const view = {place, target: sub(place, scale(column(2), distance)), up: column(1), fov: FOV, height: 0};
    if (camera.orthographic) {
        const wide = camera.magnify_x / camera.magnify_y > aspect;
        return {...view, height: wide ? 2 * camera.magnify_x / aspect : 2 * camera.magnify_y};
    }
    const half = Math.tan(camera.yfov / 2) * Math.max(1, camera.aspect / aspect);
    return {...view, fov: degrees(2 * Math.atan(half))};
}

/* How far the sides of a box reach on one axis of the picture, for a camera in its middle that sees `slope` at distance 1: where
 * the camera must stand. `along` are the corners' places on that axis, `ahead` how far ahead they are. */
function reachOf(along, ahead, slope) {
    const [one, other] = [1, -1].map(side => Math.max(...along.map((place, i) => side * place / slope - ahead[i])));
    return {distance: (one + other) / 2, shift: slope * (one - other) / 2};
}

/** A camera that looks along `direction` at all of a box, as near as it can. */
export function lookAlong(direction, up, box, aspect, fov = FOV, orthographic = false) {
    const {middle, radius} = sphereOf(box);
    const isParallel = length(cross(direction, up)) < 1e-3 * length(direction) * length(up);
    const axis = isParallel ? nearestAxis([up[1], up[2], up[0]]) : up;
    const {right, up: high, ahead} = axesOf({place: [0, 0, 0], target: direction, up: axis});
    const corners = Array.from({length: 8}, (_, i) => [0, 1, 2].map(j => box[j + 3 * (i >> j & 1)] - middle[j]));
    const [x, y, z] = [right, high, ahead].map(one => corners.map(corner => dot(corner, one)));
    const slope = Math.tan(radians(fov) / 2) * 0.9; // a little room around
    const [wide, tall] = [reachOf(x, z, slope * aspect), reachOf(y, z, slope)];
    const distance = Math.max(wide.distance, tall.distance, 1e-3 * radius);
    const target = add(middle, add(scale(right, wide.shift), scale(high, tall.shift)));
    const seen = Math.max(...y.map(Math.abs), ...x.map(part => Math.abs(part) / aspect), 1e-3 * radius);
    return {
        place: sub(orthographic ? middle : target, scale(ahead, orthographic ? 3 * radius : distance)),
        target: orthographic ? middle : target, fov, up: axis, height: orthographic ? 2.1 * seen : 0,
    };
}

/** The same camera, moved along its direction so that all of a box is seen. */
export function frameBox(camera, box, aspect) {
    const along = sub(camera.target, camera.place);
    return lookAlong(along, camera.up, box, aspect, camera.fov, camera.height > 0);
}

/** Turns the camera around its target by angles (radians) to the right and up; it never passes over the pole. */
export function turn(camera, right, up) {
    const away = sub(camera.place, camera.target);
    const distance = length(away);
    const axis = scale(camera.up, 1 / length(camera.up));
    const high = dot(away, axis);
    const flat = sub(away, scale(axis, high));
    const east = scale(flat, 1 / (length(flat) || 1));
    const north = cross(axis, east);
    const limit = Math.PI / 2 - 1e-3;
    const elevation = Math.min(Math.max(Math.asin(Math.min(Math.max(high / distance, -1), 1)) + up, -limit), limit);
    const around = add(scale(east, Math.cos(right)), scale(north, Math.sin(right)));
    const turned = add(scale(around, distance * Math.cos(elevation)), scale(axis, distance * Math.sin(elevation)));
    return {...camera, place: add(camera.target, turned)};
}

/** Turns the camera about its own place, by angles to the left and up: what flying does by the mouse. */
export function look(camera, right, up) {
    const back = {...camera, place: camera.target, target: camera.place};
    return {...camera, target: turn(back, right, up).place};
}

/** Moves camera and target by parts of the distance between them: to the right, up, and ahead. */
export function move(camera, right, up, ahead, step = length(sub(camera.target, camera.place))) {
    const forward = scale(sub(camera.target, camera.place), 1 / length(sub(camera.target, camera.place)));
    const aside = cross(forward, camera.up);
    const side = scale(aside, 1 / (length(aside) || 1));
    const by = scale(add(add(scale(side, right), scale(cross(side, forward), up)), scale(forward, ahead)), step);
    return {...camera, place: add(camera.place, by), target: add(camera.target, by)};
}

/** Goes nearer to the target (factor below 1) or away from it. */
export function zoom(camera, factor) {
    const away = scale(sub(camera.place, camera.target), factor);
    return {...camera, place: add(camera.target, away), height: camera.height * factor};
}

/** A camera as the state keeps it: six digits are enough to see the same. */
export function packCamera(camera) {
    const short = number => Number(number.toPrecision(6));
    return {
        place: camera.place.map(short), target: camera.target.map(short), up: camera.up.map(short),
        fov: short(camera.fov), height: short(camera.height),
    };
}

/** The camera that the state keeps, or null where it keeps none, or none that can be looked through. */
export function unpackCamera(kept) {
    const isPlace = list => Array.isArray(list) && list.length === 3 && list.every(Number.isFinite);
    if (!isPlace(kept.place) || !isPlace(kept.target) || !isPlace(kept.up))
        return null;
    if (length(sub(kept.place, kept.target)) === 0 || length(kept.up) === 0)
        return null;
    const fov = kept.fov > 0 && kept.fov < 175 ? kept.fov : FOV;
    return {place: kept.place, target: kept.target, up: kept.up, fov, height: kept.height > 0 ? kept.height : 0};
}

/** Right, up and ahead of a camera, and the distance to its target. */
export function axesOf(camera) {
    const along = sub(camera.target, camera.place);
    const distance = length(along);
    const ahead = scale(along, 1 / distance);
    const aside = cross(ahead, camera.up);
    const right = length(aside) > 1e-9 ? scale(aside, 1 / length(aside)) : nearestAxis(cross(ahead, [1, 2, 3]));
    return {right, up: cross(right, ahead), ahead, distance};
}

/** Half of what is seen of the plane through the target: [width, height]. */
export function halfSeen(camera, aspect) {
    const {distance} = axesOf(camera);
    const high = camera.height > 0 ? camera.height / 2 : distance * Math.tan(radians(camera.fov) / 2);
    return [high * aspect, high];
}

/** Goes nearer to, or away from, the point of that plane at x and y, from -1 to 1 on the canvas. */
export function zoomAt(camera, factor, x, y, aspect) {
    const {right, up} = axesOf(camera);
    const [wide, high] = halfSeen(camera, aspect);
    const point = add(camera.target, add(scale(right, x * wide), scale(up, y * high)));
    const towards = from => add(point, scale(sub(from, point), factor));
    return {...camera, place: towards(camera.place), target: towards(camera.target), height: camera.height * factor};
}

/** How near and how far something of a box can be: [near, far] for a projection. */
export function depthRange(camera, box) {
    const {middle, radius} = sphereOf(box);
    const {ahead} = axesOf(camera);
    const along = dot(sub(middle, camera.place), ahead);
    const far = Math.max(along + radius, radius) * 1.02;
    if (camera.height > 0)
        return [Math.min(along - radius * 1.02, -radius), far];
    return [Math.max(along - radius * 1.02, far / 20000), far];
}
