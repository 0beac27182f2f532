/* Ray events: what the pass `ray_events` records of rays and ray queries, and how it is read. The one
 * definition of each event and of its words; the pass writes them, analyses read them.
 *
 * The event of a record is the tag of its site (passes.h). No event repeats what its record or the context's entry
 * record say: thread, warp and lane come from there, the order of a thread's events is the order of its records, call
 * site and recursion depth follow from site and contexts.
 *
 * Events without words (W = 0) are place records; those of MISS and CALLABLE are the shader's entry record. Events
 * with words are data records of W words per lane. Floats are their bits.
 *
 *   event          where                                             W
 *   TRACE          before OpTraceRayKHR, OpTraceNV                  10  below
 *   TRACE          before OpTraceRayMotionNV, OpTraceMotionNV       11  below; word 10: time
 *   RETURN         after each of these                               0  the lanes whose ray is done
 *   MISS           entry of a miss shader                            0
 *   CLOSEST_HIT    entry of a closest hit shader                     7  hit words
 *   ANY_HIT        entry of an any-hit shader                        7  hit words
 *   INTERSECTION   entry of an intersection shader                   4  hit words 1 to 4; kind is 0
 *   REPORT         after OpReportIntersectionKHR (= NV)              2  t; hit kind | accepted << 31;
 *                                                                       none where an any-hit shader ended
 *                                                                       the ray
 *   INTERSECTION_END end of an intersection shader by OpReturn       0  an any-hit shader that runs next was not
 *                                                                       called by a report of it
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
 *
 * Ray words (TRACE, INITIALIZE): 0-2 origin; 3-5 direction; 6 tmin; 7 tmax; 8 ray flags;
 *   9 cull mask (8 bits) | SBT record offset (4 bits) << 8 | SBT record stride (4 bits) << 12 |
 *   miss index (16 bits) << 16: of each operand the bits that the specification says are used.
 *
 * Hit words: 0 t (RayTmax at that point: in an intersection shader it is the current interval's end and not
 *   recorded); 1 instance index (InstanceId); 2 custom index (24 bits) | hit kind (low 8 bits) << 24;
 *   3 geometry index, 0 in modules of SPV_NV_ray_tracing, which has no built-in of it; 4 primitive index
 *   (PrimitiveId); 5, 6 the first two numbers of the hit attributes, those of another width converted to 32
 *   bits, which for triangles are the barycentrics of the second and third vertex; 0 where the shader's own
 *   attribute variable has fewer, and, counted as skipped, where it cannot be read as numbers.
 *
 * Query words (PROCEED): 0 query key; 1 state: bits 0-7 the candidate type (0 triangle, 1 AABB) where
 *   proceed returned true, the committed type (0 none, 1 triangle, 2 generated) where it returned false;
 *   bit 8 what proceed returned; bit 9 front face (triangles); bit 10 candidate AABB opaque;
 *   2 t (0 for a candidate AABB and for none); 3 instance index; 4 custom index; 5 geometry index;
 *   6 primitive index; 7, 8 barycentrics (0 unless a triangle). Where there is nothing (committed none) words
 *   2 to 8 are 0.
 *
 * Query key: which query of its thread: result id of the OpVariable (as in the original module) in the low 24
 * bits, and its array index, if it is one of an array, in the high 8; where neither is known
 * WS_QUERY_UNKNOWN. Equal keys in one context are one query, initialised again by each INITIALIZE.
 *
 * An any-hit and a closest hit shader may share a function: its event is CLOSEST_HIT for both, and the stage of the
 * shader tells them apart. A miss and a callable shader that share one have MISS.
 *
 * SPIR-V without the instruction for an event records nothing of it: e.g. hit objects
 * (SPV_NV_shader_invocation_reorder, SPV_EXT_shader_invocation_reorder) are skipped with the reason. */
#ifndef WARPSCOPE_RAY_EVENTS_H
#define WARPSCOPE_RAY_EVENTS_H

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
    WS_RAY_EVENT_COUNT
};

#define WS_RAY_TRACE_WORDS        10
#define WS_RAY_TRACE_MOTION_WORDS 11
#define WS_RAY_HIT_WORDS          7
#define WS_RAY_INTERSECTION_WORDS 4
#define WS_RAY_REPORT_WORDS       2
#define WS_RAY_INITIALIZE_WORDS   11
#define WS_RAY_PROCEED_WORDS      9
#define WS_RAY_GENERATE_WORDS     2
#define WS_RAY_KEY_WORDS          1 /* CONFIRM, TERMINATE_QUERY */
#define WS_RAY_ACCEPTED           0x80000000u
#define WS_QUERY_PROCEEDED        0x100u
#define WS_QUERY_FRONT            0x200u
#define WS_QUERY_OPAQUE           0x400u
#define WS_QUERY_UNKNOWN          0xffffffffu

/* Its name in exports and reports, such as "closest_hit". Static. */
const char *ws_ray_event_name(enum ws_ray_event event);

#endif
