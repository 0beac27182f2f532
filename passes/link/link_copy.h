/* Inside the linker: its state, the units (link_unit.c) and the copying of their functions (link_copy.c). Only these and
 * link.c include this. */
#ifndef WS_PASSES_LINK_LINK_COPY_H
#define WS_PASSES_LINK_LINK_COPY_H

#include "passes/link/library.h"
#include "passes/link/link.h"
#include "passes/link/unit.h"
#include "warpscope/root.h"

#define WS_PRIVATES_MAX   4096 /* and all in all: bits of ws_interface.privates */
#define WS_VARIABLES_MAX  32   /* built-in variables added to a module */
#define WS_BUILT_INS_MAX  16   /* different built-ins that the library uses */
#define WS_INSTANCE_LISTS 256

/* A built-in input variable of a unit. */
struct ws_variable {
    uint32_t id; /* in the unit */
    uint32_t built_in;
    uint32_t type;     /* its pointer type, in the module */
    uint32_t pointee;  /* and what that points to */
    uint32_t integers; /* how many integers it is; 0 = of another type */
};

/* The variable of the module that stands for it. */
struct ws_choice {
    uint32_t id; /* 0 = the primitive does not use it */
    uint32_t built_in;
    uint32_t
        member; /* the variable is a block, and this member of it is meant; WS_NONE = the variable itself */
    bool is_flat;
    bool is_volatile; /* decorated Volatile, or read so under the Vulkan memory model */
    uint32_t
        load_type; /* what it holds, where that is integers of the other signedness, or a member; else 0 */
};

/* A private variable in the module. */
struct ws_private {
    const uint32_t *name;
    uint32_t name_length;
    uint32_t owner;    /* of the units that have it (struct ws_link_unit); 0 = of all */
    uint32_t instance; /* for which it is; 0 = for all */
    uint32_t id;       /* 0 = not there yet */
};

/* A unit of the library or of a probe, and what came of its ids so far. */
struct ws_unit {
    const struct ws_library_unit *source;
    uint32_t index; /* in the library; WS_NONE = it is none of it, and does not outlive the module */
    struct ws_unit_code *code; /* NULL = not asked for yet */
    uint32_t *map;             /* per id of the unit: its id in the edited module, 0 = not there yet */
    uint32_t instance;         /* for which functions were copied last */
    struct ws_variable variables[WS_UNIT_VARIABLES_MAX]; /* per variable of the code */
};

/* A primitive's function in the module. Primitives that read built-ins may have one per entry point, so that
 * they are found by hash: by what they are made of, and by the function's id. */
struct ws_link_instance {
    const struct ws_unit *unit;
    uint32_t source;   /* id of the function in the unit */
    uint32_t instance; /* for which it was copied; 0 = for all */
    uint32_t function;
    uint32_t return_type;
    uint32_t parameter_count;
    struct ws_choice choices[WS_UNIT_VARIABLES_MAX];
    struct ws_link_instance *next;             /* of the same list in ws_linker.instances */
    struct ws_link_instance *next_by_function; /* and in ws_linker.functions */
};

/* A built-in in an entry point's interface. */
struct ws_interface_variable {
    uint32_t built_in;
    uint32_t id;     /* the variable, the module's own or one that was added; 0 = there is none */
    uint32_t member; /* as in struct ws_choice */
    bool is_added;
};

/* The built-ins of an entry point's interface that were asked for: the interface itself is read once for
 * each. */
struct ws_interface {
    struct ws_interface_variable variables[WS_BUILT_INS_MAX];
    uint32_t count;
    uint32_t *privates; /* bit set of those in ws_linker.privates that the entry point reaches; NULL = none */
    bool has_attributes; /* ws_linker.hit_attributes was added to it */
};

/* A member of a struct that is decorated as a built-in. */
struct ws_built_in_member {
    uint32_t type; /* the struct */
    uint32_t member;
    uint32_t built_in;
};

struct ws_linker {
    struct ws_unit **units; /* per unit of the library, then those that were added */
    uint32_t unit_count;
    uint32_t unit_capacity;
    uint32_t granted; /* mask of what units may need (unit.h) */
    struct ws_link_instance *instances[WS_INSTANCE_LISTS];
    struct ws_link_instance *functions[WS_INSTANCE_LISTS];
    bool has_instances;
    struct ws_interface *interfaces;              /* per entry point */
    struct ws_choice variables[WS_VARIABLES_MAX]; /* for interfaces that list none of the built-in */
    uint32_t variable_count;
    struct ws_private *privates;
    uint32_t private_count;
    uint32_t private_capacity;
    uint32_t hit_attributes;            /* variable for triangles; 0 = not there yet */
    uint32_t *built_ins;                /* per id of the module: its BuiltIn, or WS_NONE */
    struct ws_built_in_member *members; /* members that are one */
    uint32_t member_count;
    uint32_t member_capacity;
    uint32_t spec_id;                       /* SpecId of WS_SPEC_* number 0; the others follow */
    uint32_t spec_constants[WS_SPEC_COUNT]; /* their ids, 0 = not there yet */
    bool vulkan_memory_model;
    bool device_scope; /* VulkanMemoryModelDeviceScope */
};

/* The editor's linker, made when first asked for. NULL after a failure. */
struct ws_linker *ws_linker_get(struct ws_editor *editor);

/* Reads a unit on first use, and raises what the module must declare for it. False after a failure. */
bool ws_link_prepare_unit(struct ws_editor *editor, struct ws_unit *unit);

/* NULL where the module may have all that a function of the unit needs; else what is missing, a static string. */
const char *ws_link_refuse(const struct ws_editor *editor, const struct ws_unit *unit, uint32_t function);

/* Declares what a function needs (struct ws_unit_uses). */
void ws_link_declare_needs(struct ws_editor *editor, uint32_t needs);

/* Index in ws_linker.privates of a variable with this name, owner and instance, added if it is new. WS_NONE where there are
 * too many, or after a failure. */
uint32_t ws_link_get_private(struct ws_editor *editor, const struct ws_private *wanted);

/* The entry of ws_linker.privates for a variable of a unit, for an instance; WS_NONE as above. */
uint32_t ws_link_private_of(struct ws_editor *editor, const struct ws_unit *unit,
                            const struct ws_unit_private *private, uint32_t instance);

/* The module's id for one of the unit's that is global. */
uint32_t ws_link_resolve(struct ws_editor *editor, struct ws_unit *unit, uint32_t id);

/* Adds a variable for a built-in that no interface has; its id, 0 after a failure. */
uint32_t ws_link_add_variable(struct ws_editor *editor, const struct ws_variable *variable,
                              const struct ws_choice *choice);

/* Copies a function with all that it needs, for an instance; its id, 0 after a failure. */
uint32_t ws_link_copy_function(struct ws_editor *editor, struct ws_unit *unit, uint32_t function,
                               uint32_t instance, const struct ws_choice *choices, uint32_t *return_type);

#endif
