/* Annotated GLSL in a build without SPIRV-Cross: there is none. */
#include "analysis/annotate/annotate.h"

bool ws_annotate_glsl(const struct ws_annotation *annotation, const struct ws_annotate_sink *sink, void *user,
                      struct ws_error *error)
{
    (void)annotation, (void)sink, (void)user;
    return ws_error_set(error, "this build of Warpscope lacks SPIRV-Cross, which makes GLSL of a module: "
                               "take --as source or --as spirv");
}
