// The work id of a thread, kept where its entry point begins: WORK IDS in records.h, the first word; in compute, task and mesh
// stages the index of GlobalInvocationId in the launch, which does not begin at 0 where vkCmdDispatchBase does not (records.h,
// SAMPLING). And x and y of the thread: in its launch, of fragments in the image; other stages have only x. Compiled once per
// family of stages, WS_WORK_*.
#version 460
#ifdef WS_WORK_RAY
#extension GL_EXT_ray_tracing : require
#endif

uint ws_work_id;
uvec2 ws_work_pixel;

#if defined(WS_WORK_RAY)
void ws_work()
{
    const uvec3 id = gl_LaunchIDEXT;
    const uvec3 size = gl_LaunchSizeEXT;
    ws_work_id = (id.z * size.y + id.y) * size.x + id.x;
    ws_work_pixel = id.xy;
}
#elif defined(WS_WORK_COMPUTE)
// `width` and `height` are the workgroup's, which no variable tells.
void ws_work(const uint width, const uint height)
{
    const uvec3 groups = gl_NumWorkGroups;
    const uvec3 id = gl_GlobalInvocationID;
    ws_work_id = (id.z * (groups.y * height) + id.y) * (groups.x * width) + id.x;
    ws_work_pixel = id.xy;
}
#elif defined(WS_WORK_VERTEX)
void ws_work()
{
    ws_work_id = uint(gl_VertexIndex);
    ws_work_pixel = uvec2(ws_work_id, 0);
}
#elif defined(WS_WORK_GEOMETRY)
layout(points) in;
layout(points, max_vertices = 1) out;
void ws_work()
{
    ws_work_id = uint(gl_PrimitiveIDIn);
    ws_work_pixel = uvec2(ws_work_id, 0);
}
#elif defined(WS_WORK_TESS_CONTROL)
layout(vertices = 1) out;
void ws_work()
{
    ws_work_id = uint(gl_PrimitiveID);
    ws_work_pixel = uvec2(ws_work_id, 0);
}
#elif defined(WS_WORK_TESS_EVALUATION)
layout(triangles) in;
void ws_work()
{
    ws_work_id = uint(gl_PrimitiveID);
    ws_work_pixel = uvec2(ws_work_id, 0);
}
#elif defined(WS_WORK_FRAGMENT)
void ws_work()
{
    const uvec2 pixel = uvec2(gl_FragCoord.xy);
    ws_work_id = pixel.x | pixel.y << 16;
    ws_work_pixel = pixel;
}
#endif

void main()
{
}
