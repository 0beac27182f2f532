/* Which storage images an entry point can write, of a module written by hand. */
#include "passes/spirv/written_images.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/passes/spirv/assembly.h"

/* Function %70 loads image %40. %1 ("one") calls it, and points into the array %41; it hands %42 on to %71, which uses its
 * parameter alone. %3 ("two") loads the rest: read-only, of three dimensions, several samples, layers, sampled, without a
 * binding, a buffer. Nobody uses %49. */
static const char text[] =
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %1 \"one\"\nOpEntryPoint GLCompute %3 \"two\"\n"
    "OpDecorate %40 DescriptorSet 2\nOpDecorate %40 Binding 7\n"
    "OpDecorate %41 DescriptorSet 0\nOpDecorate %41 Binding 1\n"
    "OpDecorate %42 DescriptorSet 1\nOpDecorate %42 Binding 3\n"
    "OpDecorate %43 DescriptorSet 0\nOpDecorate %43 Binding 2\nOpDecorate %43 NonWritable\n"
    "OpDecorate %44 DescriptorSet 0\nOpDecorate %44 Binding 3\n"
    "OpDecorate %45 DescriptorSet 0\nOpDecorate %45 Binding 4\n"
    "OpDecorate %46 DescriptorSet 0\nOpDecorate %46 Binding 5\n"
    "OpDecorate %47 DescriptorSet 0\nOpDecorate %47 Binding 6\n"
    "OpDecorate %48 DescriptorSet 0\n"
    "OpDecorate %49 DescriptorSet 0\nOpDecorate %49 Binding 9\n"
    "%5 = OpTypeVoid\n%6 = OpTypeFunction %5\n%7 = OpTypeFloat 32\n%8 = OpTypeInt 32 0\n%9 = OpConstant %8 "
    "4\n"
    "%10 = OpTypeImage %7 2D 0 0 0 2 Rgba8\n%11 = OpTypeArray %10 %9\n"
    "%12 = OpTypeImage %7 3D 0 0 0 2 Rgba8\n%13 = OpTypeImage %7 2D 0 0 1 2 Rgba8\n"
    "%14 = OpTypeImage %7 2D 0 1 0 2 Rgba8\n%15 = OpTypeImage %7 2D 0 0 0 1 Unknown\n"
    "%20 = OpTypePointer UniformConstant %10\n%21 = OpTypePointer UniformConstant %11\n"
    "%22 = OpTypePointer UniformConstant %12\n%23 = OpTypePointer UniformConstant %13\n"
    "%24 = OpTypePointer UniformConstant %14\n%25 = OpTypePointer UniformConstant %15\n"
    "%26 = OpTypeFunction %5 %20\n"
    "%40 = OpVariable %20 UniformConstant\n%41 = OpVariable %21 UniformConstant\n"
    "%42 = OpVariable %20 UniformConstant\n%43 = OpVariable %20 UniformConstant\n"
    "%44 = OpVariable %22 UniformConstant\n%45 = OpVariable %23 UniformConstant\n"
    "%46 = OpVariable %24 UniformConstant\n%47 = OpVariable %25 UniformConstant\n"
    "%48 = OpVariable %20 UniformConstant\n%49 = OpVariable %20 UniformConstant\n"
    "%1 = OpFunction %5 None %6\n%50 = OpLabel\n%51 = OpFunctionCall %5 %70\n"
    "%52 = OpAccessChain %20 %41 %9\n%53 = OpFunctionCall %5 %71 %42\nOpReturn\nOpFunctionEnd\n"
    "%3 = OpFunction %5 None %6\n%54 = OpLabel\n%55 = OpLoad %10 %43\n%56 = OpLoad %12 %44\n"
    "%57 = OpLoad %13 %45\n%58 = OpLoad %14 %46\n%59 = OpLoad %15 %47\n%60 = OpLoad %10 "
    "%48\nOpReturn\nOpFunctionEnd\n"
    "%70 = OpFunction %5 None %6\n%61 = OpLabel\n%62 = OpLoad %10 %40\n%63 = OpLoad %10 %40\n"
    "%69 = OpFunctionCall %5 %70\nOpReturn\nOpFunctionEnd\n"
    "%71 = OpFunction %5 None %26\n%64 = OpFunctionParameter %20\n%65 = OpLabel\n%66 = OpLoad %10 "
    "%64\nOpReturn\n"
    "OpFunctionEnd\n";

static bool has(const struct ws_written_image *images, uint32_t count, uint32_t set, uint32_t binding,
                bool array)
{
    for (uint32_t i = 0; i < count; i++)
        if (images[i].set == set && images[i].binding == binding && images[i].array == array)
            return true;
    return false;
}

static void test_reached(void **state)
{
    (void)state;
    struct ws_written_image *images;
    uint32_t count;
    size_t word_count = 0;
    uint32_t *words = assembly_read(text, 0x00010300, &word_count);
    assert_true(ws_written_images_find(words, word_count, "one", &images, &count));
    assert_int_equal(count, 3);
    assert_true(has(images, count, 2, 7, false));
    assert_true(has(images, count, 0, 1, true));
    assert_true(has(images, count, 1, 3, false));
    free(images);
    assert_true(ws_written_images_find(words, word_count, "two", &images, &count));
    assert_true(count == 0 && images == NULL);
    assert_true(ws_written_images_find(words, word_count, "three", &images, &count));
    assert_true(count == 0 && images == NULL);
    /* No module. */
    words[0] = 7;
    assert_false(ws_written_images_find(words, word_count, "one", &images, &count));
    assert_true(count == 0 && images == NULL);
    free(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reached)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
