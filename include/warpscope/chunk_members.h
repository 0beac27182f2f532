/* How the payload of each chunk (capture.h) is laid out: one table for writers and readers.
 *
 * A payload is its members one after the other, in the order of the table, with nothing between them. The
 * structs are those of chunks.h, which says what each member means. For example, PIPE is
 *
 *     U32(id), U32(device), U32(kind), WORDS(shaders, shader_count), U32(flags)
 *
 * so its payload is the u32 id, the u32 device, the u32 kind, the u32 shader_count, that many u32, the u32
 * flags. All integers are little-endian. A reader skips bytes behind the members that it knows. A member in
 * LATER() came after the first captures of this version: where a payload ends before it, it is 0 or empty.
 *
 * The macros check that a member has the type that its name in the table says, so a table that does not fit
 * its struct does not compile. */
#ifndef WARPSCOPE_CHUNK_MEMBERS_H
#define WARPSCOPE_CHUNK_MEMBERS_H

#include "warpscope/chunks.h"

enum ws_member_kind {
    WS_MEMBER_U32,   /* uint32_t: 4 bytes */
    WS_MEMBER_U64,   /* uint64_t: 8 bytes */
    WS_MEMBER_BOOL,  /* bool: u32, 0 = false */
    WS_MEMBER_TEXT,  /* const char *: u32 length and that many bytes */
    WS_MEMBER_TEXTS, /* const char *const *: u32 count and that many texts */
    WS_MEMBER_BYTES, /* const uint8_t *: u32 count and that many bytes */
    WS_MEMBER_WORDS, /* const uint32_t *: u32 count and that many u32 */
    /* The same, but first the lowest byte of every word, then the next byte of every word, and so on.
     * Neighbouring words of records differ mostly in their low bytes, so they compress half again as well as
     * word by word. */
    WS_MEMBER_PLANES,
    WS_MEMBER_ROWS,   /* const uint32_t *: rows x bins u32; both numbers are members before it */
    WS_MEMBER_STRUCT, /* a struct, or an array of so many: the members of each */
    WS_MEMBER_LIST,   /* a pointer to structs: u32 count and the members of each */
};

struct ws_members;

struct ws_chunk_member {
    const char *name; /* in its struct */
    enum ws_member_kind kind;
    uint32_t offset; /* of the member in its struct, in bytes; so are the next two */
    /* Of the uint32_t that counts the elements: TEXTS, BYTES, WORDS, PLANES, ROWS, LIST. */
    uint32_t count_offset;
    uint32_t bins_offset;             /* of the uint32_t that says how many words a row has: ROWS */
    uint32_t repeat;                  /* how many stand one after the other: U32, U64, STRUCT */
    bool later;                       /* a payload may end before it; only last members of a chunk */
    const struct ws_members *element; /* STRUCT, LIST */
};

/* The members of one struct. */
struct ws_members {
    const struct ws_chunk_member *list;
    uint32_t count;
    uint32_t size; /* of the struct, in bytes */
};

/* S is the struct whose table is being written. */
/* clang-format off */
#define AT(member)    offsetof(S, member)
#define OF(member)    (((S *)0)->member)
#define NAMED(member) .name = #member, .offset = AT(member)
#define COUNT(member) (AT(member) + _Generic(OF(member), uint32_t: 0))
#define U32(member)   {NAMED(member), .kind = _Generic(OF(member), uint32_t: WS_MEMBER_U32), .repeat = 1}
#define U64(member)   {NAMED(member), .kind = _Generic(OF(member), uint64_t: WS_MEMBER_U64), .repeat = 1}
#define BOOL(member)  {NAMED(member), .kind = _Generic(OF(member), bool: WS_MEMBER_BOOL)}
#define TEXT(member)  {NAMED(member), .kind = _Generic(OF(member), const char *: WS_MEMBER_TEXT)}
#define U32_N(member, n) \
    {NAMED(member), .kind = _Generic(&OF(member), uint32_t (*)[n]: WS_MEMBER_U32), .repeat = (n)}
#define U64_N(member, n) \
    {NAMED(member), .kind = _Generic(&OF(member), uint64_t (*)[n]: WS_MEMBER_U64), .repeat = (n)}
#define COUNTED(member_kind, type, member, count_) \
    {NAMED(member), .kind = _Generic(OF(member), type: member_kind), .count_offset = COUNT(count_)}
#define TEXTS(member, count_)  COUNTED(WS_MEMBER_TEXTS, const char *const *, member, count_)
#define BYTES(member, count_)  COUNTED(WS_MEMBER_BYTES, const uint8_t *, member, count_)
#define WORDS(member, count_)  COUNTED(WS_MEMBER_WORDS, const uint32_t *, member, count_)
#define PLANES(member, count_) COUNTED(WS_MEMBER_PLANES, const uint32_t *, member, count_)
#define ROWS(member, rows, bins) \
    {NAMED(member), .kind = _Generic(OF(member), const uint32_t *: WS_MEMBER_ROWS), \
     .count_offset = COUNT(rows), .bins_offset = COUNT(bins)}
#define STRUCT_N(member, n, name) \
    {NAMED(member), .kind = _Generic(&OF(member), struct ws_##name (*)[n]: WS_MEMBER_STRUCT), \
     .repeat = (n), .element = &ws_##name##_members}
#define LIST(member, count_, name) \
    {NAMED(member), .kind = _Generic(OF(member), const struct ws_##name *: WS_MEMBER_LIST), \
     .count_offset = COUNT(count_), .element = &ws_##name##_members}
#define LATER(kind_, type, member, count_) \
    {NAMED(member), .kind = _Generic(OF(member), type: kind_), .count_offset = COUNT(count_), .later = true}
#define LATER_LIST(member, count_, name) \
    {NAMED(member), .kind = _Generic(OF(member), const struct ws_##name *: WS_MEMBER_LIST), \
     .count_offset = COUNT(count_), .element = &ws_##name##_members, .later = true}
#define LATER_U32(member) \
    {NAMED(member), .kind = _Generic(OF(member), uint32_t: WS_MEMBER_U32), .repeat = 1, .later = true}
#define LATER_U64(member) \
    {NAMED(member), .kind = _Generic(OF(member), uint64_t: WS_MEMBER_U64), .repeat = 1, .later = true}
#define MEMBERS(name, ...) \
    static const struct ws_chunk_member ws_##name##_list[] = {__VA_ARGS__}; \
    static const struct ws_members ws_##name##_members = { \
        ws_##name##_list, sizeof(ws_##name##_list) / sizeof(ws_##name##_list[0]), sizeof(S)};
/* clang-format on */

/* INFO */
#define S struct ws_text_pair
MEMBERS(text_pair, TEXT(key), TEXT(value))
#undef S
#define S struct ws_chunk_info
MEMBERS(chunk_info, TEXT(version), TEXT(application), TEXT(engine), TEXTS(arguments, argument_count),
        U32(process_id), U64(start), TEXTS(passes, pass_count), LIST(settings, setting_count, text_pair),
        LATER_U64(run))
#undef S

/* DEVC */
#define S struct ws_chunk_device
MEMBERS(chunk_device, U32(id), TEXT(name), TEXT(driver_name), TEXT(driver_info), U32(api_version),
        U32(vendor_id), U32(pci_device_id), U32(driver_version), U32(type), U32(subgroup_size),
        U32(subgroup_size_min), U32(subgroup_size_max), U32(bins), U32(subgroup_stages))
#undef S

/* MODL */
#define S struct ws_chunk_module
MEMBERS(chunk_module, U32(id), U64(hash), TEXT(name), WORDS(words, word_count))
#undef S

/* SITE */
#define S struct ws_entry_info
MEMBERS(entry_info, TEXT(name), U32(stage), U32(function), U32(row_first), U32(row_count), BOOL(per_thread),
        WORDS(functions, function_count))
#undef S
#define S struct ws_block_info
MEMBERS(block_info, U32(label), U32(offset), U32(length), U32(function), U32(instruction_count))
#undef S
#define S struct ws_site_info
MEMBERS(site_info, U32(pass), U32(tag), U32(kind), U32(block), U32(offset), U32(row))
#undef S
#define S struct ws_fixed_word
MEMBERS(fixed_word, U32(site), U32(word), U32(value))
#undef S
#define S struct ws_chunk_sites
MEMBERS(chunk_sites, U32(module), U32(row_count), TEXTS(passes, pass_count),
        LIST(entries, entry_count, entry_info), LIST(blocks, block_count, block_info),
        LIST(sites, site_count, site_info), LATER(WS_MEMBER_WORDS, const uint32_t *, yields, yield_count),
        LATER(WS_MEMBER_WORDS, const uint32_t *, shared_yields, shared_yield_count),
        LATER_LIST(fixed, fixed_count, fixed_word))
#undef S

/* SHDR */
#define S struct ws_specialization
MEMBERS(specialization, U32(constant_id), U32(size), U64(value))
#undef S
#define S struct ws_chunk_shader
MEMBERS(chunk_shader, U32(id), U32(module), U32(entry), U32(stage), TEXT(name),
        LIST(specialization, specialization_count, specialization), LATER_U32(flags))
#undef S

/* PIPE */
#define S struct ws_chunk_pipeline
MEMBERS(chunk_pipeline, U32(id), U32(device), U32(kind), WORDS(shaders, shader_count), U32(flags))
#undef S

/* NAME */
#define S struct ws_chunk_name
MEMBERS(chunk_name, U32(kind), U32(id), TEXT(name))
#undef S

/* SUBM */
#define S struct ws_shader_counters
MEMBERS(shader_counters, U32(shader), U32(row_first), U32(row_count), U32(bins), ROWS(words, row_count, bins))
#undef S
#define S struct ws_launch
MEMBERS(launch, U64(index), U32(kind), U32_N(size, 3), U32(flags), U32(draws), TEXT(label),
        TEXT(command_buffer), WORDS(pipelines, pipeline_count), LIST(shaders, shader_count, shader_counters))
#undef S
#define S struct ws_launch_base
MEMBERS(launch_base, U64(launch), U32_N(base, 3))
#undef S
#define S struct ws_chunk_submission
MEMBERS(chunk_submission, U64(index), U64(frame), U32(device), U32(queue_family), U32(queue_index),
        U32(flags), LIST(launches, launch_count, launch),
        LATER(WS_MEMBER_WORDS, const uint32_t *, weights, weight_count),
        LATER_LIST(bases, base_count, launch_base))
#undef S

/* RECS */
#define S struct ws_slot_shader
MEMBERS(slot_shader, U32(slot), U32(shader))
#undef S
#define S struct ws_chunk_records
MEMBERS(chunk_records, U64(submission), U64(launch), U32(device), U32(flags), U32(bins), U32(position),
        U32(first), U64(missing), U64(sufficient), LIST(slots, slot_count, slot_shader),
        PLANES(words, word_count))
#undef S

/* BLOB */
#define S struct ws_chunk_blob
MEMBERS(chunk_blob, U32(id), U64_N(hash, 2), U64(size), U64(offset), BYTES(bytes, count))
#undef S

/* ASTR */
#define S struct ws_chunk_structure
MEMBERS(chunk_structure, U32(id), U32(device), U32(type), U64(size), U64(address), TEXT(name))
#undef S

/* BILD */
#define S struct ws_build_geometry
MEMBERS(build_geometry, U32(type), U32(flags), U32(capture_flags), U32(primitive_count), U32(vertex_format),
        U32(index_type), U32(max_vertex), U64(stride), U32(data), U32(indices), U32(transform),
        WORDS(references, reference_count))
#undef S
#define S struct ws_micromap_usage
MEMBERS(micromap_usage, U32(count), U32(level), U32(format))
#undef S
#define S struct ws_build_micromap
MEMBERS(build_micromap, U32(geometry), U32(index_type), U64(stride), U32(indices), U32(base),
        LIST(usages, usage_count, micromap_usage))
#undef S
#define S struct ws_build_source
MEMBERS(build_source, U32(geometry), U32(buffer), U64(address), U64(size), U32(index_buffer),
        U64(index_address), U64(index_size))
#undef S
#define S struct ws_micromap_content
MEMBERS(micromap_content, U32(geometry), U32(data), U32(triangles), U32(triangle_count), U64(stride))
#undef S
#define S struct ws_chunk_build
MEMBERS(chunk_build, U32(structure), U64(moment), U32(flags), U32(build_flags), U32(source),
        LIST(geometries, geometry_count, build_geometry),
        LATER_LIST(micromaps, micromap_count, build_micromap),
        LATER_LIST(sources, source_count, build_source),
        LATER_LIST(contents, content_count, micromap_content))
#undef S

/* COPY */
#define S struct ws_chunk_copy
MEMBERS(chunk_copy, U32(source), U32(destination), U64(moment), U32(mode), U64_N(hash, 2))
#undef S

/* GONE */
#define S struct ws_chunk_gone
MEMBERS(chunk_gone, U32(structure), U64(moment))
#undef S

/* GRUP */
#define S struct ws_shader_group
MEMBERS(shader_group, U32(type), U32(general), U32(closest_hit), U32(any_hit), U32(intersection),
        BYTES(handle, handle_size))
#undef S
#define S struct ws_chunk_groups
MEMBERS(chunk_groups, U32(pipeline), U32(handle_size), LIST(groups, group_count, shader_group))
#undef S

/* TABL */
#define S struct ws_binding_table
MEMBERS(binding_table, U64(address), U64(stride), U64(size), U32(blob))
#undef S
#define S struct ws_chunk_tables
MEMBERS(chunk_tables, U64(launch), STRUCT_N(tables, 4, binding_table))
#undef S

/* IMAG */
#define S struct ws_chunk_image
MEMBERS(chunk_image, U32(source), U64(launch), U64(frame), U32(format), U32(width), U32(height), U64(pitch),
        U32(blob), U32(set), U32(binding), U32(others))
#undef S

/* TIME */
#define S struct ws_launch_time
MEMBERS(launch_time, U64(launch), U32(state), U64(begin), U64(end))
#undef S
#define S struct ws_chunk_times
MEMBERS(chunk_times, U64(submission), U32(device), U32(queue_family), U32(queue_index), U32(valid_bits),
        U64(period), LIST(launches, launch_count, launch_time))
#undef S

/* PROB */
#define S struct ws_chunk_probe
MEMBERS(chunk_probe, TEXT(name), WORDS(words, word_count))
#undef S

/* YLDS */
#define S struct ws_shader_yields
MEMBERS(shader_yields, U32(shader), U32(first), WORDS(words, word_count))
#undef S
#define S struct ws_chunk_yields
MEMBERS(chunk_yields, U64(submission), U64(launch), LIST(shaders, shader_count, shader_yields))
#undef S

/* RSRC */
#define S struct ws_resource
MEMBERS(resource, U32(id), U32(kind), U32(within), U64(offset), U64(size), U64(usage), U64(address),
        U32(memory_type), U32(properties), U32(format), U32_N(extent, 3), TEXT(name))
#undef S
#define S struct ws_chunk_resources
MEMBERS(chunk_resources, U32(device), U64(moment), LIST(resources, resource_count, resource),
        WORDS(gone, gone_count))
#undef S

/* DSET */
#define S struct ws_descriptor
MEMBERS(descriptor, U32(binding), U32(element), U32(type), U32(resource), U64(offset), U64(range))
#undef S
#define S struct ws_chunk_set
MEMBERS(chunk_set, U32(id), U32(owner), U32(left_out), LIST(descriptors, descriptor_count, descriptor))
#undef S

/* DSCH */
#define S struct ws_chunk_set_change
MEMBERS(chunk_set_change, U32(id), U32(base), LIST(descriptors, descriptor_count, descriptor))
#undef S

/* BIND */
#define S struct ws_bound_set
MEMBERS(bound_set, U32(set), U32(reason), U32(state), WORDS(offsets, offset_count))
#undef S
#define S struct ws_bound_use
MEMBERS(bound_use, U32(pipeline), LIST(sets, set_count, bound_set))
#undef S
#define S struct ws_bound_launch
MEMBERS(bound_launch, U64(launch), LIST(uses, use_count, bound_use))
#undef S
#define S struct ws_chunk_bound
MEMBERS(chunk_bound, LIST(launches, launch_count, bound_launch))
#undef S

/* SKIP */
#define S struct ws_chunk_skip
MEMBERS(chunk_skip, U32(kind), U32(id), U32(pass), U32(offset), U64(count), TEXT(reason),
        LATER(WS_MEMBER_WORDS, const uint32_t *, entries, entry_count))
#undef S

/* MESG */
#define S struct ws_chunk_message
MEMBERS(chunk_message, U32(severity), TEXT(text))
#undef S

/* DONE */
#define S struct ws_chunk_done
MEMBERS(chunk_done, U64(submissions), U64(launches), U64(frames), U64(outside))
#undef S

#undef AT
#undef OF
#undef NAMED
#undef COUNT
#undef U32
#undef U64
#undef BOOL
#undef TEXT
#undef U32_N
#undef U64_N
#undef COUNTED
#undef TEXTS
#undef BYTES
#undef WORDS
#undef PLANES
#undef ROWS
#undef STRUCT_N
#undef LIST
#undef LATER
#undef LATER_LIST
#undef LATER_U32
#undef LATER_U64
#undef MEMBERS

/* The members of the payload of a chunk of that type (enum ws_chunk_type); NULL where the type is not
 * known. */
static inline const struct ws_members *ws_chunk_members(uint32_t type)
{
    switch (type) {
    case WS_CHUNK_INFO: return &ws_chunk_info_members;
    case WS_CHUNK_DEVICE: return &ws_chunk_device_members;
    case WS_CHUNK_MODULE: return &ws_chunk_module_members;
    case WS_CHUNK_SITES: return &ws_chunk_sites_members;
    case WS_CHUNK_SHADER: return &ws_chunk_shader_members;
    case WS_CHUNK_PIPELINE: return &ws_chunk_pipeline_members;
    case WS_CHUNK_NAME: return &ws_chunk_name_members;
    case WS_CHUNK_SUBMISSION: return &ws_chunk_submission_members;
    case WS_CHUNK_RECORDS: return &ws_chunk_records_members;
    case WS_CHUNK_BLOB: return &ws_chunk_blob_members;
    case WS_CHUNK_STRUCTURE: return &ws_chunk_structure_members;
    case WS_CHUNK_BUILD: return &ws_chunk_build_members;
    case WS_CHUNK_COPY: return &ws_chunk_copy_members;
    case WS_CHUNK_GONE: return &ws_chunk_gone_members;
    case WS_CHUNK_GROUPS: return &ws_chunk_groups_members;
    case WS_CHUNK_TABLES: return &ws_chunk_tables_members;
    case WS_CHUNK_IMAGE: return &ws_chunk_image_members;
    case WS_CHUNK_TIMES: return &ws_chunk_times_members;
    case WS_CHUNK_PROBE: return &ws_chunk_probe_members;
    case WS_CHUNK_YIELDS: return &ws_chunk_yields_members;
    case WS_CHUNK_RESOURCES: return &ws_chunk_resources_members;
    case WS_CHUNK_SET: return &ws_chunk_set_members;
    case WS_CHUNK_SET_CHANGE: return &ws_chunk_set_change_members;
    case WS_CHUNK_BOUND: return &ws_chunk_bound_members;
    case WS_CHUNK_SKIP: return &ws_chunk_skip_members;
    case WS_CHUNK_MESSAGE: return &ws_chunk_message_members;
    case WS_CHUNK_DONE: return &ws_chunk_done_members;
    default: return NULL;
    }
}

#endif
