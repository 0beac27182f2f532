// Places one knot of the grid: they stand side by side, each turned and coloured in its own way.
#version 460

layout(push_constant) uniform Parameters
{
    float aspect; // width over height
    uint columns;
    uint rows;
} parameters;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

layout(location = 0) out vec3 out_normal;
layout(location = 1) out vec3 out_position; // before it was placed
layout(location = 2) out vec3 out_view;     // from the eye
layout(location = 3) flat out uint out_knot;

mat3 turn(float a, float b)
{
    mat3 around_x = mat3(1.0, 0.0, 0.0, 0.0, cos(a), sin(a), 0.0, -sin(a), cos(a));
    mat3 around_y = mat3(cos(b), 0.0, -sin(b), 0.0, 1.0, 0.0, sin(b), 0.0, cos(b));
    return around_y * around_x;
}

void main()
{
    uint knot = gl_InstanceIndex;
    vec2 cell = vec2(knot % parameters.columns, knot / parameters.columns) -
                0.5 * vec2(parameters.columns - 1u, parameters.rows - 1u);
    float larger = max(float(parameters.columns), float(parameters.rows));
    vec3 place = position - vec3(0.0, 0.5, 0.0);

    if ((knot & 1u) == 1u) { // every other knot is twisted
        place.xz = mat2(cos(2.0 * place.y), sin(2.0 * place.y), -sin(2.0 * place.y), cos(2.0 * place.y)) * place.xz;
    }
    mat3 turned = turn(0.5 + 0.35 * float(knot), 0.4 * float(knot));
    vec3 view = turned * place * 1.15 + vec3(cell.x, -cell.y, -1.25 * larger - 0.4 * sin(float(knot)));

    out_normal = turned * normal;
    out_position = position;
    out_view = view;
    out_knot = knot;
    // Distances from 0.1 to 100; y down, z from 0 to 1: Vulkan's clip space. The shorter side shows the grid.
    vec2 scale = 2.0 * vec2(1.0 / max(parameters.aspect, 1.0), -min(parameters.aspect, 1.0));
    gl_Position = vec4(scale * view.xy, -100.0 / 99.9 * view.z - 10.0 / 99.9, -view.z);
}
