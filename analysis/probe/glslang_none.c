/* A build without glslang. */
#include "analysis/probe/glslang.h"

bool ws_glslang_is_built(void)
{
    return false;
}

bool ws_glslang_compile(const char *text, bool is_fragment, bool only_read, struct ws_glslang_result *result)
{
    (void)text, (void)is_fragment, (void)only_read;
    *result = (struct ws_glslang_result){0};
    return false;
}
