// What each shader knows of its rays: events and their words, as ray_events.h has them, thread by thread in order.
layout(binding = 0) uniform accelerationStructureEXT scene;
layout(binding = 1) coherent buffer Log { uint log_words[]; };

#define LOG_WORDS 1024

#define TRACE           1
#define RETURN          2
#define MISS            3
#define CLOSEST_HIT     4
#define ANY_HIT         5
#define INTERSECTION    6
#define REPORT          7
#define ACCEPT          8
#define IGNORE          9
#define TERMINATE       10
#define INITIALIZE      11
#define PROCEED         12
#define CONFIRM         13
#define GENERATE        14
#define TERMINATE_QUERY 15
#define CALL            16
#define CALLABLE        17

#define NEARLY 0x100 // the last two words are computed, and not those that the device has

#ifdef RAYS
uint thread()
{
    return gl_LaunchIDEXT.y * gl_LaunchSizeEXT.x + gl_LaunchIDEXT.x;
}
#else
uint thread()
{
    return gl_GlobalInvocationID.x;
}
#endif

// Room for an event and its words: where the words go.
uint log_event(const uint event, const uint words)
{
    const uint first = thread() * LOG_WORDS;
    const uint count = log_words[first] + 1;
    log_words[first] = count + words;
    log_words[first + count] = event;
    return first + count + 1;
}

void log_word(const uint event)
{
    log_event(event, 0);
}

void log_vector(const uint at, const vec3 value)
{
    log_words[at] = floatBitsToUint(value.x);
    log_words[at + 1] = floatBitsToUint(value.y);
    log_words[at + 2] = floatBitsToUint(value.z);
}

uint log_ray(const uint event, const uint words, const vec3 origin, const vec3 direction, const float t_min,
             const float t_max, const uint flags, const uint packed)
{
    const uint at = log_event(event, words);
    log_vector(at, origin);
    log_vector(at + 3, direction);
    log_words[at + 6] = floatBitsToUint(t_min);
    log_words[at + 7] = floatBitsToUint(t_max);
    log_words[at + 8] = flags;
    log_words[at + 9] = packed;
    return at;
}

#ifdef HIT
void log_hit(const uint event, const uint a, const uint b)
{
    const uint at = log_event(event, 7);
    log_words[at] = floatBitsToUint(gl_HitTEXT);
    log_words[at + 1] = gl_InstanceID;
    log_words[at + 2] = gl_InstanceCustomIndexEXT | gl_HitKindEXT << 24;
    log_words[at + 3] = gl_GeometryIndexEXT;
    log_words[at + 4] = gl_PrimitiveID;
    log_words[at + 5] = a;
    log_words[at + 6] = b;
}
#endif

#ifdef BOXED
void log_intersection()
{
    const uint at = log_event(INTERSECTION, 4);
    log_words[at] = gl_InstanceID;
    log_words[at + 1] = gl_InstanceCustomIndexEXT;
    log_words[at + 2] = gl_GeometryIndexEXT;
    log_words[at + 3] = gl_PrimitiveID;
}

void log_report(const float t, const uint kind, const bool is_accepted)
{
    const uint at = log_event(REPORT, 2);
    log_words[at] = floatBitsToUint(t);
    log_words[at + 1] = is_accepted ? kind | 0x80000000u : kind;
}
#endif
