/* Linking: brings functions of the library of primitives (passes/primitives, compiled into the generated
 * primitives.h) into a module, with all that they need and nothing else: types and constants shared with the
 * module's (types.h), built-in variables reused, entry-point interfaces, capabilities, extensions, addressing
 * model and version raised. */
#ifndef WS_PASSES_LINK_LINK_H
#define WS_PASSES_LINK_LINK_H

#include "passes/primitives.h"
#include "passes/spirv/builder.h"
#include "passes/spirv/edit.h"

/* Which lanes of a warp a primitive counts: the rest are helper invocations, which must not be counted and
 * whose atomics do nothing. */
enum ws_link_lanes {
    WS_LANES_ALL,      /* any stage but fragment */
    WS_LANES_FRAGMENT, /* fragment: those that are no helpers by the HelperInvocation built-in */
    WS_LANES_DEMOTE,   /* fragment, module with OpDemoteToHelperInvocation, which changes who is one */
    WS_LANES_COUNT,
};

/* The lanes that probes in this entry point must use. */
enum ws_link_lanes ws_link_lanes(const struct ws_module *module, uint32_t entry_point);

/* The variant for these lanes of a primitive that has variants (names without suffix: see primitives.h);
 * of one that has none, itself. */
enum ws_primitive ws_primitive_variant(enum ws_primitive primitive, enum ws_link_lanes lanes);

/* The id of the primitive's function, linked into the module by the first call. `entry_points` are the
 * indices of the entry points that can reach a call of it: their interfaces get the variables that it needs.
 * Later calls with other entry points add to them. 0 when it cannot be: the editor has failed, or (the editor
 * has not) these entry points have built-in variables of their own that one function cannot serve, such as
 * two entry points that each declare the same built-in: then link per entry point, or leave the site alone.
 */
uint32_t ws_link_primitive(struct ws_editor *editor, enum ws_primitive primitive,
                           const uint32_t *entry_points, uint32_t entry_point_count);

/* Reasons why a function cannot be linked. */
extern const char *const ws_link_no_variable;
extern const char *const ws_link_too_many;
extern const char *const ws_link_failed; /* the editor has failed */

/* Adds a unit of a probe (struct ws_library_unit, owner) to the library, which must outlive the editor. Returns its index,
 * WS_NONE after a failure. What it holds has been checked (passes/probe/parts.h). */
struct ws_library_unit;
uint32_t ws_link_add_unit(struct ws_editor *editor, const struct ws_library_unit *unit);

/* Lets units of probes use a capability (SpvCapability) that only some of their functions need, though the module does not
 * declare it. To be called before the first link. */
void ws_link_grant(struct ws_editor *editor, uint32_t capability);

/* Has the module declare a capability that code of the runner needs, unless it does. */
void ws_link_declare(struct ws_editor *editor, uint32_t capability);

/* Links a function of a unit, like ws_link_primitive: `function` is its id in the unit. A function that uses instanced
 * variables exists once for each number `instance`, which is not 0; all other functions exist once. Returns NULL and sets
 * `*id`, or why it cannot be linked there, a static string. */
const char *ws_link_function(struct ws_editor *editor, uint32_t unit, uint32_t function, uint32_t instance,
                             const uint32_t *entry_points, uint32_t entry_point_count, uint32_t *id);

/* What a call of a function of a unit costs, in counters: its blocks, atomics and subgroup operations, and those of all
 * that it calls, as often as it does. At least 1; 1 after a failure. */
uint32_t ws_link_weight(struct ws_editor *editor, uint32_t unit, uint32_t function);

/* Whether a function of a unit does the same wherever the same lanes call it with the same arguments: neither it nor what it
 * calls has state of the probe, or reads a clock. Private variables whose names begin with "ws_" are no state: they hold
 * parameters of the call (probe.h). False after a failure. */
bool ws_link_is_stateless(struct ws_editor *editor, uint32_t unit, uint32_t function);

/* Whether what a function does cannot depend on a parameter, by its index. False where that is not known. */
bool ws_link_ignores(struct ws_editor *editor, uint32_t unit, uint32_t function, uint32_t parameter);

/* Adds a Private variable for code of the runner, of this type of pointer, and lists it in the interfaces of all entry
 * points. Its id; 0 after a failure, or where there are too many. */
uint32_t ws_link_private(struct ws_editor *editor, uint32_t pointer_type, uint32_t initializer);

/* Operand of an OpEntryPoint where the list of its interface begins. */
uint32_t ws_link_interface_first(const struct ws_module *module, const struct ws_instruction *entry_point);

/* Whether the entry point's interface has an Input variable of this built-in. False after a failure. */
bool ws_link_has_built_in(struct ws_editor *editor, uint32_t entry_point, uint32_t built_in);

/* What a variable of the module holds; 0 if it is none. Pointer types may be declared twice (SPIR-V 2.8), so
 * what counts is what they point to. */
uint32_t ws_link_pointee(const struct ws_module *module, uint32_t variable);

/* The variable in which an any-hit or closest-hit entry point, which reaches these functions, has the
 * attributes of a hit: in its interface, and before SPIR-V 1.4, whose interfaces do not list it, the one that
 * the functions read. 0 if none. */
uint32_t ws_link_own_attributes(const struct ws_module *module, uint32_t entry_point,
                                const uint32_t *functions, uint32_t function_count);

/* A variable for entry points that have none: two floats, as triangles have them (`*type`). 0 after a
 * failure. */
uint32_t ws_link_add_attributes(struct ws_editor *editor, const uint32_t *entry_points,
                                uint32_t entry_point_count, uint32_t *type);

/* A call where an entry point begins, such as the one that appends the entry record of records.h. */
struct ws_enter {
    enum ws_primitive primitive; /* the variant to link: it needs no ws_primitive_variant */
    uint32_t arguments[3];       /* ids */
    uint32_t argument_count;
};

/* Which call to put where the function of these entry points (at least one) begins; `site` is the number that
 * its record carries. False where there is none: the entry points are of stages with different work ids, or
 * of a stage that has no records; or the editor has failed. */
bool ws_link_enter(struct ws_editor *editor, const uint32_t *entry_points, uint32_t entry_point_count,
                   uint32_t site, struct ws_enter *enter);

/* Which call to put there to set ws_work_id (passes/primitives/work.glsl). False likewise. */
bool ws_link_work(struct ws_editor *editor, const uint32_t *entry_points, uint32_t entry_point_count,
                  struct ws_enter *work);

/* The SpecId that constant `spec` (WS_SPEC_* of root.h) has in the edited module; WS_NONE while nothing
 * linked uses it. */
uint32_t ws_link_spec_id(const struct ws_editor *editor, uint32_t spec);

/* Return type of a function that was linked, for ws_link_call; 0 if it is none. Receives its parameters'
 * number. */
uint32_t ws_link_return_type(const struct ws_editor *editor, uint32_t function, uint32_t *parameter_count);

/* Emits a call of a function that ws_link_primitive gave. `arguments` are `count` ids of 32-bit unsigned
 * integers, as many as the primitive has parameters. Returns the id of the result, even where that is of type
 * void. */
uint32_t ws_link_call(struct ws_editor *editor, struct ws_cursor cursor, uint32_t function,
                      const uint32_t *arguments, uint32_t count);

/* Writes the entry-point interfaces and the memory model that linked primitives need. Call it once, right before
 * ws_editor_finish; does nothing where nothing was linked. */
void ws_linker_finish(struct ws_editor *editor);

#endif
