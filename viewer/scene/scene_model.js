/* What the scene of a launch is, from the answer scene.json (analysis/viewer/scene_json.c): instances with their transforms,
 * the contents that they show, cameras, and the figures that geometry can be coloured by. */

const EMPTY_BOX = [-1, -1, -1, 1, 1, 1];

function isBox(box) {
    return Array.isArray(box) && box.every(Number.isFinite);
}

/** The box around some boxes; null where there is none. */
export function unionOf(boxes) {
    const list = boxes.filter(isBox);
    if (list.length === 0)
        return null;
    return [0, 1, 2, 3, 4, 5].map(i => (i < 3 ? Math.min : Math.max)(...list.map(box => box[i])));
}

/** The box in the world of a box in the space of a content. */
export function transformBox(transform, box) {
    const low = [0, 0, 0];
    const high = [0, 0, 0];
    for (let row = 0; row < 3; ++row) {
        low[row] = high[row] = transform[4 * row + 3];
        for (let column = 0; column < 3; ++column) {
            const ends = [box[column], box[3 + column]].map(value => transform[4 * row + column] * value);
            low[row] += Math.min(...ends);
            high[row] += Math.max(...ends);
        }
    }
    return [...low, ...high];
}

/** The name of an instance in texts, such as "instance 3 (statue)". */
export function instanceName(model, number) {
    const instance = model.instances[number];
    const name = model.contents.get(instance.content)?.name;
    const top = model.tops.length > 1 ? ` of ${model.tops[instance.top]?.name || `structure ${model.tops[instance.top]?.structure}`}` : "";
    return `instance ${instance.index}${name ? ` (${name})` : ""}${top}`;
}

/** The name of all instances with an index: several structures may have one. */
export function indexName(model, index) {
    const numbers = model.numbersOf(index);
    if (numbers.length === 1)
        return instanceName(model, numbers[0]);
    const tops = numbers.map(number => model.tops[model.instances[number].top])
        .map(top => top?.name || `structure ${top?.structure}`);
    return `instance ${index}${tops.length > 1 ? ` of ${tops.join(" or ")}` : ""}`;
}

/** Numbers of the instances with an index that are of a structure, by its id; of all where it is not known. */
export function numbersIn(model, index, structure) {
    const numbers = model.numbersOf(index);
    const own = numbers.filter(number => model.tops[model.instances[number].top]?.structure === structure);
    return own.length > 0 ? own : numbers;
}

function isInside(box, point) {
    return point.every((part, axis) => part >= box[axis] && part <= box[3 + axis]);
}

/* Numbers of the instances that are around the scene, where the launch's own camera stands within it. */
function wallsOf(model) {
    const camera = model.cameras.find(one => one.name !== "all");
    if (!camera || !isInside(model.bounds, [3, 7, 11].map(i => camera.transform[i])))
        return new Set();
    const sides = box => [0, 1, 2].map(axis => box[3 + axis] - box[axis]);
    const whole = sides(model.bounds);
    // Boxes of AABBs hide nothing: only their edges are drawn. Such a box may be as large as a planet of one sphere.
    const hides = number => model.contents.get(model.instances[number].content)?.geometries.some(one => one.type !== "aabbs");
    return new Set(model.instances.map((_, number) => number).filter(number => {
        const box = model.boxOf(number);
        return box !== null && hides(number) && sides(box).filter((side, axis) => side >= 0.9 * whole[axis]).length >= 2;
    }));
}

/**
 * Makes the model: {instances, contents: Map by content, tops, cameras, fields, bounds, leftOut, figureOf(number, geometry)}.
 * `rayBox` stands in where there is no geometry.
 */
export function createModel(answer, rayBox = null) {
    const contents = new Map(answer.contents.map(content => [content.content, content]));
    const figures = new Map((answer.figures?.geometries ?? []).map(row => [`${row.instance} ${row.custom_index} ${row.geometry}`, row]));
    const model = {
        instances: answer.instances, contents, tops: answer.tops, cameras: answer.cameras ?? [], fields: answer.fields ?? [],
        rates: answer.rates ?? [],
        hasFigures: Boolean(answer.figures), leftOut: answer.left_out ?? {instances: 0},
        bounds: [answer.bounds, rayBox].find(isBox) ?? EMPTY_BOX,
        hasGeometry: isBox(answer.bounds),
        /** The figures of a geometry of an instance (number in `instances`); undefined where no ray met it. */
        figureOf(number, geometry) {
            const {index, custom_index: custom} = answer.instances[number];
            return figures.get(`${index} ${custom} ${geometry}`);
        },
        /** Numbers of the instances with that index: several where there are several top-level structures. */
        numbersOf: index => answer.instances.flatMap((instance, number) => instance.index === index ? [number] : []),
        /** The box of an instance in the world; null where it has none. */
        boxOf(number) {
            const box = contents.get(answer.instances[number].content)?.bounds;
            return isBox(box) ? transformBox(answer.instances[number].transform, box) : null;
        },
    };
    const walls = wallsOf(model);
    return {...model, isWall: number => walls.has(number), hasWalls: walls.size > 0, isWithin: point => isInside(model.bounds, point)};
}
