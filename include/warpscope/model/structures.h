/* Which acceleration structure a place of a shader, or a device address, was in a launch.
 *
 * A place is a set, a binding and an element (bound.h). Of several structures at one address, which share memory, it is the one
 * that was built or copied to last before the launch.
 *
 * Not thread-safe, but for look-ups while nothing is recorded. */
#ifndef WARPSCOPE_MODEL_STRUCTURES_H
#define WARPSCOPE_MODEL_STRUCTURES_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/model/bound.h"
#include "warpscope/reader.h"

struct ws_catalog;
struct ws_code;
struct ws_module_record;
struct ws_structure_table; /* of a catalog; NULL = nothing is known */

/* Takes in what a chunk says of structures. False when there is no memory. */
bool ws_structures_record(struct ws_catalog *catalog, const struct ws_chunk *chunk);
void ws_structure_table_destroy(struct ws_structure_table *table); /* NULL is accepted */

/* Its name, by its id; "" = it has none. `name` lives as long as the catalog. */
void ws_structure_set_name(struct ws_catalog *catalog, uint32_t id, const char *name);
const char *ws_structure_name(const struct ws_catalog *catalog, uint32_t id);

/* Fills the structures of a module from its code: of each site of the pass ray_events where the structure is bound that its ray
 * is traced through. False when there is no memory. */
bool ws_catalog_structures_add(struct ws_module_record *module, const struct ws_code *code);

/* The id of the structure with that device address in a launch; WS_NONE = none is known. */
uint32_t ws_structure_at(const struct ws_catalog *catalog, uint64_t launch, uint64_t address);

/* The id of the structure that the ray of a site of a shader, both by their index, is traced through: as it was bound.
 * WS_NONE where that is not known: the site's code does not say which descriptor it is, there are several, ... */
uint32_t ws_structure_bound(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                            uint32_t site);

/* The same of a ray whose shader chose that element of an array of descriptors. */
uint32_t ws_structure_chosen(const struct ws_catalog *catalog, uint64_t launch, uint32_t shader,
                             uint32_t site, uint32_t element);

#endif
