/* The one WebGL 2 context of a scene. It draws on demand: a change asks for a frame by `invalidate`, and nothing is drawn
 * while nothing changes. While something moves, less is drawn: `isMoving` is true until it rests for a moment, then one
 * last frame is drawn with everything.
 *
 * Software renderers get no antialiasing, and fewer pixels while something moves: pixels are what costs there. */

import {Scene, WebGLRenderer} from "three";

const REST_MS = 180;
const SLOW_MS = 40;
const LEAST_RATIO = 0.5;

/* Asked of a context of its own, which is given back at once: antialiasing is chosen when a context is made. */
function rendererName() {
    const probe = document.createElement("canvas").getContext("webgl2");
    if (!probe)
        return null;
    const info = probe.getExtension("WEBGL_debug_renderer_info");
    const name = info ? probe.getParameter(info.UNMASKED_RENDERER_WEBGL) : "unknown";
    probe.getExtension("WEBGL_lose_context")?.loseContext();
    return String(name);
}

/**
 * Makes the renderer of `canvas`, or throws an Error that says what is missing. `camera()` gives the three.js camera, `before`
 * is called before each frame, `after` behind it with the milliseconds that the last frame took, `lost(isLost)` when the
 * device takes the context away and when it gives it back; `isShown` says whether the canvas is seen. Returns {scene, canvas,
 * name, isSoftware, isMoving(), size(), invalidate(), moved(), destroy()}.
 */
export function createRenderer(canvas, {camera, before, after, lost, isShown}) {
    const name = rendererName();
    if (name === null)
        throw new Error("the scene needs WebGL 2, which this browser does not offer: see its settings for graphics acceleration");
    const isSoftware = /swiftshader|llvmpipe|software/i.test(name);
    const gl = new WebGLRenderer({canvas, alpha: true, antialias: !isSoftware, powerPreference: "high-performance"});
    const scene = new Scene();
    let size = [0, 0];
    let planned = 0;
    let restTimer = 0;
    let isMoving = false;
    let movingRatio = 1;
    gl.setClearColor(0x000000, 0);
    gl.info.autoReset = true;

    function ratioNow() {
        const ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
        return isMoving ? ratio * movingRatio : ratio;
    }

    function resize() {
        const next = [canvas.clientWidth, canvas.clientHeight];
        const ratio = ratioNow();
        if (next[0] !== size[0] || next[1] !== size[1] || gl.getPixelRatio() !== ratio) {
            size = next;
            gl.setPixelRatio(ratio);
            gl.setSize(size[0], size[1], false);
        }
    }

    function draw() {
        planned = 0;
        if (!isShown() || canvas.clientWidth === 0 || canvas.clientHeight === 0)
            return;
        const begun = performance.now();
        resize();
        before(size);
        gl.render(scene, camera());
        if (isSoftware && isMoving) {
            gl.getContext().finish(); // else only the calls are measured
            const took = performance.now() - begun;
            movingRatio = Math.min(1, Math.max(LEAST_RATIO, movingRatio * Math.min(1.1, Math.sqrt(SLOW_MS / took))));
        }
        after(performance.now() - begun);
    }

    function invalidate() {
        if (planned === 0)
            planned = requestAnimationFrame(draw);
    }

    function rest() {
        isMoving = false;
        invalidate();
    }

    const observer = new ResizeObserver(() => {
        if (isShown())
            invalidate();
    });
    observer.observe(canvas);
    const lose = () => lost(true);
    const restore = () => {
        lost(false);
        invalidate();
    };
    canvas.addEventListener("webglcontextlost", lose);
    canvas.addEventListener("webglcontextrestored", restore);

    return {
        scene, canvas, name, isSoftware, invalidate,
        isMoving: () => isMoving,
        size: () => [canvas.clientWidth, canvas.clientHeight],
        triangles: () => gl.info.render.triangles,
        /** The camera moves now: less is drawn until it rests. */
        moved() {
            isMoving = true;
            clearTimeout(restTimer);
            restTimer = setTimeout(rest, REST_MS);
            invalidate();
        },
        destroy() {
            observer.disconnect();
            cancelAnimationFrame(planned);
            clearTimeout(restTimer);
            canvas.removeEventListener("webglcontextlost", lose);
            canvas.removeEventListener("webglcontextrestored", restore);
            // The canvas keeps its context, which the next renderer of the canvas gets: in the state of a new one.
            gl.resetState();
            gl.dispose();
        },
    };
}
