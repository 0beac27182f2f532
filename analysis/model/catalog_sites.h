/* What the catalog keeps of a module's SITE chunk. */
#ifndef WS_ANALYSIS_MODEL_CATALOG_SITES_H
#define WS_ANALYSIS_MODEL_CATALOG_SITES_H

#include "analysis/model/catalog.h"

/* Fills the module's blocks, entries and tallies and frees its words. False when there is no memory. */
bool ws_catalog_sites_add(struct ws_catalog *catalog, const struct ws_chunk_sites *sites);

/* Frees what a module's record owns. */
void ws_catalog_sites_finish(struct ws_module_record *module);

#endif
