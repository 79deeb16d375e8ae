/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * name.h - how an endpoint is called: the module and the qualified name of its handler.
 */
#ifndef PYPERF_ENDPOINT_NAME_H
#define PYPERF_ENDPOINT_NAME_H

#include "base/buf.h"

/*
 * Appends "module:name". The module of a library is as it is imported. Of any other file only its path is
 * known, not from where on it is a module: its last two parts are taken (short_path.h). 0 or -ENOMEM.
 */
int name_add(const char *file, const char *name, struct buf *out);

#endif
