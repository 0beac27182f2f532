// One function that needs all that only some devices have: `probe --on` takes a device for one that has it.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
//! output n: sum uint
//! after OpFAdd
void f(float result)
{
    uint m = uint(int8_t(result)) + uint(int16_t(result)) + uint(float16_t(result)) + uint(double(result)) + uint(int64_t(result));
    m += subgroupShuffleUp(m, 1u) + subgroupQuadSwapHorizontal(m) + subgroupShuffle(m, 0u) + subgroupAdd(m) + clock();
    if (subgroupAny(m > 7u))
        add(m);
}
