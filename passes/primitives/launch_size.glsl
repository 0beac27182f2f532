// Atomics throughout: all warps write the same words, at the same time.
void write_launch(const uvec2 rows, const uint row, const uint subgroup_size)
{
    const uint first = ws_bins * row;
    atomicOr(WsWords(rows).word[first + WS_LAUNCH_SUBGROUP_SIZES], subgroup_size);
#if defined(WS_LAUNCH_RAYGEN)
    const uvec3 size = gl_LaunchSizeEXT;
#elif defined(WS_LAUNCH_COMPUTE)
    const uvec3 size = gl_NumWorkGroups;
#endif
#if defined(WS_LAUNCH_RAYGEN) || defined(WS_LAUNCH_COMPUTE)
    atomicMax(WsWords(rows).word[first + WS_LAUNCH_SIZE], size.x);
    atomicMax(WsWords(rows).word[first + WS_LAUNCH_SIZE + 1], size.y);
    atomicMax(WsWords(rows).word[first + WS_LAUNCH_SIZE + 2], size.z);
#endif
}
