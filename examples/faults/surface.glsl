// Triangles and balls as the ray sees them.
layout(binding = BINDING_POSITIONS, std430) readonly buffer Positions { float positions[]; };
layout(binding = BINDING_INDICES, std430) readonly buffer Indices { uint indices[]; };
layout(binding = BINDING_OBJECTS, std430) readonly buffer Objects { Object objects[]; };
layout(binding = BINDING_SPHERES, std430) readonly buffer Spheres { vec4 spheres[]; }; // centre, radius

vec3 position_of(uint vertex)
{
    return vec3(positions[3 * vertex], positions[3 * vertex + 1], positions[3 * vertex + 2]);
}

// A triangle of `object`; normals go through the transposed inverse.
Hit triangle_hit(float t, uint object_index, uint primitive, mat4x3 world_to_object)
{
    Object object = objects[object_index];
    uint first = object.first_index + 3u * primitive;
    uvec3 vertices = object.first_vertex + uvec3(indices[first], indices[first + 1u], indices[first + 2u]);
    vec3 a = position_of(vertices.x);
    vec3 face = cross(position_of(vertices.y) - a, position_of(vertices.z) - a);
    Hit hit;

    hit.t = t;
    hit.normal = normalize(face * mat3(world_to_object));
    // Walls of one colour would be hard to tell apart.
    hit.colour = object.colour.rgb;
    if (object.kind == KIND_DIFFUSE) {
        hit.colour *= 0.9 + 0.1 * hit.normal.zxy;
    }
    hit.kind = object.kind;
    return hit;
}

vec3 ball_colour(uint ball)
{
    uint word = hash(ball + 3u);
    return 0.3 + 0.6 * vec3(word & 255u, word >> 8u & 255u, word >> 16u & 255u) / 255.0;
}

// Where a ray meets a ball: the nearer place in its range; below 0 = nowhere.
float ball_distance(vec4 ball, vec3 origin, vec3 direction, float least, float most)
{
    vec3 from = origin - ball.xyz;
    float a = dot(direction, direction);
    float b = dot(from, direction);
    vec3 nearest = from - b / a * direction;
    float discriminant = a * (ball.w * ball.w - dot(nearest, nearest));

    if (discriminant < 0.0) {
        return -1.0;
    }
    float root = sqrt(discriminant);
    float near = (-b - root) / a;
    float t = near >= least ? near : (-b + root) / a;
    return t >= least && t <= most ? t : -1.0;
}

// Whether a leaf's quad, of two triangles, has a hole where its triangle was met: outside of a pointed oval.
bool leaf_hole(uint primitive, vec2 barycentrics)
{
    vec2 place = (primitive & 1u) == 0u ? vec2(barycentrics.x + barycentrics.y, barycentrics.y)
                                        : vec2(barycentrics.x, barycentrics.x + barycentrics.y);
    float across = abs(place.x - 0.5);
    return across > 1.6 * place.y * (1.0 - place.y);
}
