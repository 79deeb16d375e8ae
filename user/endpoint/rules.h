/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - which functions call the handlers of requests, and which of the functions that those call is the
 * handler: rules.def, and what --endpoint-rule adds. There are names and files of functions only. They are
 * foreign; the rules decide nothing but a label. And how an endpoint is called.
 */
#ifndef PYPERF_ENDPOINT_RULES_H
#define PYPERF_ENDPOINT_RULES_H

#include <stddef.h>

#include "base/buf.h"
#include "base/cleanup.h"

#define RULES_OWN_MAX 64 /* of --endpoint-rule */

struct rules;

/*
 * own: "FILE:NAME[,FILE:NAME...]" or NULL, which must outlive the rules. FILE is the end of a path, NAME a
 * qualified name. 0; -EINVAL if it is no such list, or has more than RULES_OWN_MAX; -ENOMEM.
 */
int rules_new(const char *own, struct rules **ret);
void rules_free(struct rules *r);

/* The number of the rule by which this function calls handlers, from 1; 0 = it does not. */
unsigned int rules_dispatcher(const struct rules *r, const char *file, const char *name);

enum rules_verdict { RULES_HANDLER, RULES_PASSES, RULES_ASIDE };

struct rules_function {
	const char *file, *name;
};

/*
 * What function f is, which was called by the dispatcher of this rule, or by something to which that one's
 * request was passed on.
 */
enum rules_verdict rules_below(unsigned int rule, const struct rules_function *dispatcher,
			       const struct rules_function *f);

/*
 * How an endpoint is called: appends "module:name". The module of a library is as it is imported. Of any
 * other file only its path is known, not from where on it is a module: its last two parts are taken
 * (short_path.h). 0 or -ENOMEM.
 */
int rules_name(const char *file, const char *name, struct buf *out);

static inline void rules_cleanup(struct rules **r)
{
	rules_free(*r);
}

#define _cleanup_rules_ _cleanup_(rules_cleanup)

#endif
