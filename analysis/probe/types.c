/* The types that parameters of probes can have. */
#include <stdio.h>
#include <string.h>

#include "analysis/probe/program.h"

static const struct {
    const char *name;
    struct ws_probe_type type;
} types[] = {
    {"float", {WS_PROBE_FLOAT, 32, 1, 1}},   {"vec2", {WS_PROBE_FLOAT, 32, 2, 1}},
    {"vec3", {WS_PROBE_FLOAT, 32, 3, 1}},    {"vec4", {WS_PROBE_FLOAT, 32, 4, 1}},
    {"int", {WS_PROBE_INT, 32, 1, 1}},       {"ivec2", {WS_PROBE_INT, 32, 2, 1}},
    {"ivec3", {WS_PROBE_INT, 32, 3, 1}},     {"ivec4", {WS_PROBE_INT, 32, 4, 1}},
    {"uint", {WS_PROBE_UINT, 32, 1, 1}},     {"uvec2", {WS_PROBE_UINT, 32, 2, 1}},
    {"uvec3", {WS_PROBE_UINT, 32, 3, 1}},    {"uvec4", {WS_PROBE_UINT, 32, 4, 1}},
    {"bool", {WS_PROBE_BOOL, 0, 1, 1}},      {"bvec2", {WS_PROBE_BOOL, 0, 2, 1}},
    {"bvec3", {WS_PROBE_BOOL, 0, 3, 1}},     {"bvec4", {WS_PROBE_BOOL, 0, 4, 1}},
    {"double", {WS_PROBE_FLOAT, 64, 1, 1}},  {"dvec2", {WS_PROBE_FLOAT, 64, 2, 1}},
    {"dvec3", {WS_PROBE_FLOAT, 64, 3, 1}},   {"dvec4", {WS_PROBE_FLOAT, 64, 4, 1}},
    {"int64_t", {WS_PROBE_INT, 64, 1, 1}},   {"i64vec2", {WS_PROBE_INT, 64, 2, 1}},
    {"i64vec3", {WS_PROBE_INT, 64, 3, 1}},   {"i64vec4", {WS_PROBE_INT, 64, 4, 1}},
    {"uint64_t", {WS_PROBE_UINT, 64, 1, 1}}, {"u64vec2", {WS_PROBE_UINT, 64, 2, 1}},
    {"u64vec3", {WS_PROBE_UINT, 64, 3, 1}},  {"u64vec4", {WS_PROBE_UINT, 64, 4, 1}},
    {"mat2", {WS_PROBE_FLOAT, 32, 2, 2}},    {"mat3", {WS_PROBE_FLOAT, 32, 3, 3}},
    {"mat4", {WS_PROBE_FLOAT, 32, 4, 4}},    {"mat2x2", {WS_PROBE_FLOAT, 32, 2, 2}},
    {"mat2x3", {WS_PROBE_FLOAT, 32, 3, 2}},  {"mat2x4", {WS_PROBE_FLOAT, 32, 4, 2}},
    {"mat3x2", {WS_PROBE_FLOAT, 32, 2, 3}},  {"mat3x3", {WS_PROBE_FLOAT, 32, 3, 3}},
    {"mat3x4", {WS_PROBE_FLOAT, 32, 4, 3}},  {"mat4x2", {WS_PROBE_FLOAT, 32, 2, 4}},
    {"mat4x3", {WS_PROBE_FLOAT, 32, 3, 4}},  {"mat4x4", {WS_PROBE_FLOAT, 32, 4, 4}},
};

bool ws_probe_type_find(const char *name, struct ws_probe_type *type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i].name, name) == 0) {
            *type = types[i].type;
            return true;
        }
    return false;
}

const char *ws_probe_type_name(const struct ws_probe_type *type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (memcmp(&types[i].type, type, sizeof(*type)) == 0)
            return types[i].name;
    return type->columns > 1 ? "a matrix of another type" : "another type";
}
