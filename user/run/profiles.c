// SPDX-License-Identifier: GPL-2.0-only
#include "run/profiles.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/privileges.h"
#include "guard/isolate.h"
#include "profile/short_path.h"
#include "recorded/files.h"
#include "run/give_up.h"
#include "run/served.h"
#include "run/stored.h"

/* What profiles of the largest size take, two of them, and as much again for the tables. */
#define MEMORY_MAX ((__u64)4 << 30)

int profiles_begin(const struct options *o)
{
	char folder[PATH_MAX];
	int err = log_failure(isolate_limit_memory(MEMORY_MAX), "memory cannot be limited") ?:
		  log_failure(privileges_keep(PRIVILEGE(CAP_DAC_READ_SEARCH)),
			      "capabilities cannot be given up") ?: give_up_calls();

	if (!err && o->paths == PATHS_SHORT)
		short_path_begin(getcwd(folder, sizeof(folder)));
	return err;
}

int profiles_read(const struct options *o, const char *path, const char *labels, bool by_node,
		  struct recorded *r)
{
	char error[512] = "";
	int err;

	r->from_ns = o->from_ns;
	r->to_ns = o->to_ns;
	r->trace = o->trace_id ? o->trace_digits : NULL;
	r->is_wary = o->wary;
	if (labels && !stored_is_source(path)) {
		log_error("--base and --new are of a store of profiles, such as pyroscope+http://..., not "
			  "of '%s'",
			  path);
		return -EINVAL;
	}
	if (stored_is_source(path))
		return o->wary && !stored_is_permitted(path) ?
			       served_refuse(path) :
			       stored_read(o, path, labels, by_node, r);
	if (served_is_source(path))
		return served_read(o, path, r);
	err = files_read(r, path, error, sizeof(error));
	if (o->wary && (err || (!r->files && !r->left_out)))
		return served_refuse(path);
	if (err)
		log_error("%s", error);
	return err;
}
