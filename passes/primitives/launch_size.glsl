#extension GL_KHR_memory_scope_semantics : require

uint read_now(const uvec2 rows, const uint word)
{
    return atomicLoad(WsWords(rows).word[word], gl_ScopeDevice, gl_StorageSemanticsNone, gl_SemanticsRelaxed);
}

// All warps of a launch write the same words, so atomics; but most find that all is there, and write nothing. What a lane reads may
// be from before another one wrote it: then it writes it once more, which changes nothing. Addresses of words are even, which a compiler
// cannot know: so it keeps the loops, and software devices jump over a branch that has one (counters.glsl, RUNS).
void write_launch(const uvec2 rows, const uint row, const uint subgroup_size)
{
    const uint first = ws_bins * row;
    bool known = (read_now(rows, first + WS_LAUNCH_SUBGROUP_SIZES) & subgroup_size) == subgroup_size;
#if defined(WS_LAUNCH_RAYGEN)
    const uvec3 size = gl_LaunchSizeEXT;
#elif defined(WS_LAUNCH_COMPUTE)
    const uvec3 size = gl_NumWorkGroups;
#endif
#if defined(WS_LAUNCH_RAYGEN) || defined(WS_LAUNCH_COMPUTE)
    const uvec3 known_size = uvec3(read_now(rows, first + WS_LAUNCH_SIZE), read_now(rows, first + WS_LAUNCH_SIZE + 1),
                                   read_now(rows, first + WS_LAUNCH_SIZE + 2));
    const bool size_known = all(greaterThanEqual(known_size, size));
    known = known && size_known;
#endif
    if (!known) {
        uint word = 0;
        do {
            atomicOr(WsWords(rows).word[first + WS_LAUNCH_SUBGROUP_SIZES], subgroup_size);
        } while ((rows.x & 1u) != 0);
#if defined(WS_LAUNCH_RAYGEN) || defined(WS_LAUNCH_COMPUTE)
        do {
            atomicMax(WsWords(rows).word[first + WS_LAUNCH_SIZE + word], word == 0 ? size.x : word == 1 ? size.y : size.z);
            word += 1 + (rows.x & 1u);
        } while (word < 3);
#endif
    }
}
