/* Ray events: what the pass ray_events records of rays and ray queries. The pass writes events and the
 * analyses read them; both take each event and its words from here.
 *
 * The event of a record is the tag of its site (passes.h). An event does not repeat what other records say.
 * Thread, warp and lane are in the entry record of the context (records.h). The order of a thread's events is
 * the order of its records. The site gives the call site, and the contexts give the recursion depth. For
 * example, a ray that hits a triangle has these records, one after the other: TRACE, CLOSEST_HIT, RETURN.
 *
 * An event with words is a data record of W words per lane. An event without words (W = 0) is a place record;
 * for MISS and CALLABLE it is the entry record of the shader. A word that is a float has the bits of the
 * float.
 *
 * A word whose value is a constant of the module is not in the records, but once in SITE (instrument.h, struct ws_fixed_word):
 * mostly words 6, 8 and 9 of TRACE, and often 7; query keys. Readers put it back, so that an event has W words all the same.
 *
 * A reader leaves out, and counts, events of so many words as it does not know.
 *
 *   event          where                                             W
 *   TRACE          before OpTraceRayKHR, OpTraceNV                  10  below
 *   TRACE          before OpTraceRayMotionNV, OpTraceMotionNV       11  below; word 10: time
 *   RETURN         after each of these                               0  the lanes whose ray is done
 *   MISS           entry of a miss shader                            0
 *   CLOSEST_HIT    entry of a closest hit shader                     7  hit words
 *   ANY_HIT        entry of an any-hit shader                        7  hit words
 *   INTERSECTION   entry of an intersection shader                   4  hit words 1 to 4; kind is 0
 *   REPORT         after OpReportIntersectionKHR (= NV)              2  t; hit kind | not known whether it was
 *                                                                       accepted << 30 | accepted << 31.
 *                                                                       No event if the ray was ended
 *   INTERSECTION_END end of an intersection shader by OpReturn       0  no later any-hit shader is of
 *                                                                       a report of this shader
 *   THREAD_END     end of a launched shader                          0  nothing of the thread is missing
 *   ACCEPT         end of an any-hit shader by OpReturn              0
 *   IGNORE         OpIgnoreIntersectionKHR, NV                       0
 *   TERMINATE      OpTerminateRayKHR, NV                             0
 *   INITIALIZE     before OpRayQueryInitializeKHR                   11  below; word 9: cull mask | 0;
 *                                                                       word 10: query key
 *   PROCEED        after OpRayQueryProceedKHR                        9  query words
 *   CONFIRM        before OpRayQueryConfirmIntersectionKHR           1  query key
 *   GENERATE       before OpRayQueryGenerateIntersectionKHR          2  query key; t
 *   TERMINATE_QUERY before OpRayQueryTerminateKHR                    1  query key
 *   CALL           before OpExecuteCallableKHR, NV                   0
 *   CALLABLE       entry of a callable shader                        0
 *   OBJECT_TRACE   before OpHitObjectTraceRay...,                   11  below; word 10: object key
 *                  OpHitObjectTrace...ReorderExecuteEXT
 *   OBJECT_TRACE   before the forms of these with motion            12  below; word 10: object key; word 11: time
 *   OBJECT_TRACED  after OpHitObjectTraceRay...                      8  object words
 *   OBJECT_RECORD  before OpHitObjectRecord...                       1  object key
 *   EXECUTE        before OpHitObject...ExecuteShader...             1  object key
 *   RETURN         after OpHitObject...Execute...                    0
 *
 * Ray words (TRACE, INITIALIZE, OBJECT_TRACE): 0-2 origin; 3-5 direction; 6 tmin; 7 tmax; 8 ray flags;
 *   9 cull mask (8 bits) | SBT record offset (4 bits) << 8 | SBT record stride (4 bits) << 12 |
 *   miss index (16 bits) << 16: each operand has only the bits that the specification uses.
 *
 * Structure words, behind all others of these three where the shader chooses the acceleration structure. Where it is made of a
 *   device address (OpConvertUToAccelerationStructureKHR): the low half of the address, the high half. Where it is an element
 *   of an array of descriptors, and the index is no constant: the index, then WS_RAY_STRUCTURE_ELEMENT, which is the high half
 *   of no address. So TRACE has 10 words, one more with motion, and two more where the shader chooses. Elsewhere the code says
 *   which descriptor it is, and the capture what was bound there. A reader that does not know elements looks for an address
 *   where no structure is: then it is not said, and no ray is lost.
 *
 * Hit words:
 *   0    t: RayTmax at that point. INTERSECTION does not have it, for there it is the end of the interval;
 *   1    instance index (InstanceId);
 *   2    custom index (24 bits) | hit kind (low 8 bits) << 24;
 *   3    geometry index; 0 in modules of SPV_NV_ray_tracing, which has no built-in for it;
 *   4    primitive index (PrimitiveId);
 *   5, 6 the first two numbers of the hit attributes, converted to 32 bits. For a triangle they are the
 *   barycentrics of
 *        the second and third vertex. A number that the shader's attribute variable does not have is 0. If
 *        the variable cannot be read as numbers, both are 0, and the site is also counted as skipped.
 *
 * Query words (PROCEED):
 *   0    query key;
 *   1    state: bits 0-7 the candidate type (0 triangle, 1 AABB) if proceed returned true, the committed type
 *   (0 none,
 *        1 triangle, 2 generated) if it returned false; bit 8 what proceed returned; bit 9 front face
 *        (triangles); bit 10 candidate AABB opaque;
 *   2    t; 0 for a candidate AABB;
 *   3    instance index; 4 custom index; 5 geometry index; 6 primitive index;
 *   7, 8 barycentrics; 0 if it is no triangle.
 *   Words 2 to 8 are 0 where nothing is committed.
 *
 * Query key: which query of its thread. The low 24 bits are the result id of the OpVariable in the original
 * module. The high 8 bits are the index in an array of queries; 0 for a query that is in none. If the
 * variable is not known, the key is WS_QUERY_UNKNOWN. Equal keys in one context are one query; each
 * INITIALIZE begins it again.
 *
 * An any-hit and a closest hit shader may share a function. Then its event is CLOSEST_HIT for both, and the
 * stage of the shader says which it is. A miss and a callable shader that share a function have MISS.
 *
 * Hit objects (SPV_NV_shader_invocation_reorder, SPV_EXT_shader_invocation_reorder). A trace into a hit object runs any-hit
 * and intersection shaders only; OBJECT_TRACED says what the ray hit. EXECUTE tells that the closest hit or miss shader
 * which then runs is that of the object's ray. A trace that also executes (OpHitObjectTraceReorderExecuteEXT) has no
 * OBJECT_TRACED: the shaders say what it hit. What OpHitObjectRecord... made is no ray.
 *
 * Object words (OBJECT_TRACED):
 *   0    object key: like a query key, of the variable that is the hit object;
 *   1    1 = it holds a hit; 0 = a miss: then the other words are 0;
 *   2    t; 3 instance index; 4 custom index; 5 geometry index; 6 primitive index; 7 hit kind. */
#ifndef WARPSCOPE_RAY_EVENTS_H
#define WARPSCOPE_RAY_EVENTS_H

/* Ray word 9. GLSL includes this too. */
#define WS_RAY_PACK(cull_mask, offset, stride, miss)                                                         \
    (((cull_mask)&0xffu) | ((offset)&0xfu) << 8 | ((stride)&0xfu) << 12 | (miss) << 16)

#ifndef WS_GLSL

#include <stdint.h>

/* The tags of the pass ray_events. Numbers stay: captures hold them. */
enum ws_ray_event {
    WS_RAY_NONE = 0, /* not an event of rays */
    WS_RAY_TRACE,
    WS_RAY_RETURN,
    WS_RAY_MISS,
    WS_RAY_CLOSEST_HIT,
    WS_RAY_ANY_HIT,
    WS_RAY_INTERSECTION,
    WS_RAY_REPORT,
    WS_RAY_ACCEPT,
    WS_RAY_IGNORE,
    WS_RAY_TERMINATE,
    WS_RAY_INITIALIZE,
    WS_RAY_PROCEED,
    WS_RAY_CONFIRM,
    WS_RAY_GENERATE,
    WS_RAY_TERMINATE_QUERY,
    WS_RAY_CALL,
    WS_RAY_CALLABLE,
    WS_RAY_INTERSECTION_END,
    WS_RAY_THREAD_END,
    WS_RAY_OBJECT_TRACE,
    WS_RAY_OBJECT_TRACED,
    WS_RAY_OBJECT_RECORD,
    WS_RAY_EXECUTE,
    WS_RAY_EVENT_COUNT
};

#define WS_RAY_TRACE_WORDS               10
#define WS_RAY_TRACE_MOTION_WORDS        11
#define WS_RAY_HIT_WORDS                 7
#define WS_RAY_INTERSECTION_WORDS        4
#define WS_RAY_REPORT_WORDS              2
#define WS_RAY_INITIALIZE_WORDS          11
#define WS_RAY_PROCEED_WORDS             9
#define WS_RAY_GENERATE_WORDS            2
#define WS_RAY_KEY_WORDS                 1 /* CONFIRM, TERMINATE_QUERY, OBJECT_RECORD, EXECUTE */
#define WS_RAY_OBJECT_TRACE_WORDS        11
#define WS_RAY_OBJECT_TRACE_MOTION_WORDS 12
#define WS_RAY_OBJECT_TRACED_WORDS       8
#define WS_RAY_STRUCTURE_WORDS           2
#define WS_RAY_STRUCTURE_ELEMENT         0xffffffffu
#define WS_RAY_ACCEPTED                  0x80000000u
#define WS_RAY_ACCEPTANCE_OPEN           0x40000000u /* an any-hit shader that ran for the report tells */
#define WS_QUERY_PROCEEDED               0x100u
#define WS_QUERY_FRONT                   0x200u
#define WS_QUERY_OPAQUE                  0x400u
#define WS_QUERY_UNKNOWN                 0xffffffffu

/* The name of an event in exports and reports, such as "closest_hit"; "none" for a number that is no event.
 * Static string. */
const char *ws_ray_event_name(enum ws_ray_event event);

#endif

#endif
