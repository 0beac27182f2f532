/* A build without glslang. */
#include "analysis/probe/glslang.h"

bool ws_glslang_is_built(void)
{
    return false;
}

bool ws_glslang_compile(const struct ws_glslang_request *request, struct ws_glslang_result *result)
{
    (void)request;
    *result = (struct ws_glslang_result){0};
    return false;
}
