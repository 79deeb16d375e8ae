// SPDX-License-Identifier: GPL-2.0-only
#include "targets/no_frames.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "proc/forbidden.h"
#include "python/identify.h"

#define SAID_MAX 256 /* reasons; whoever starts programs can make up as many as they like */

/* A reason that was said; each is said once. */
struct said {
	UT_hash_handle hh;
	char text[];
};

/* Whether a reason is one that has not been said yet, and from now on has. */
static bool is_new(struct no_frames *n, const char *reason)
{
	size_t length = strlen(reason);
	struct said *s;

	HASH_FIND(hh, n->said, reason, length, s);
	if (s)
		return false;
	if (HASH_COUNT(n->said) == SAID_MAX) {
		if (!n->unsaid++)
			log_warning("no Python frames for more processes, for more reasons than the %d that "
				    "were said: from now on they are only counted",
				    SAID_MAX);
		return false;
	}
	s = malloc(sizeof(*s) + length + 1);
	if (!s)
		return true;
	memcpy(s->text, reason, length + 1);
	HASH_ADD(hh, n->said, text, length, s);
	if (!s->hh.tbl)
		free(s);
	return true;
}

static void say_once(struct no_frames *n, __u32 pid, const char *text)
{
	if (is_new(n, text))
		log_warning("no Python frames for pid %u, %s", pid, text);
}

/* Not by path: a copy of the program under another name is no news. */
void no_frames_refused(struct no_frames *n, __u32 pid, const struct identity *i)
{
	const char *version = *i->version ? i->version : "unknown version";
	char reason[sizeof(i->version) + sizeof(i->reason) + 32];

	snprintf(reason, sizeof(reason), "%s: %s", version, i->reason);
	if (is_new(n, reason))
		log_warning("no Python frames for pid %u, %s (%s): %s", pid, i->path, version, i->reason);
}

/* The worker's errors, whose words are of sockets. */
static const char *why_unknown(int err)
{
	return err == -EPIPE	 ? "the worker ended over it" :
	       err == -ETIMEDOUT ? "it took too long" :
				   strerror(-err);
}

void no_frames_unknown(struct no_frames *n, __u32 pid, int err)
{
	char text[128];

	snprintf(text, sizeof(text),
		 "nor perhaps for others: it could not be looked at (%s); asked again later",
		 why_unknown(err));
	say_once(n, pid, text);
}

void no_frames_no_gil(struct no_frames *n, __u32 pid, const struct identity *i)
{
	const struct layout *l = &i->layout;
	const char *reason = l->free_threaded ? "a free-threaded build has none, unless it is switched on" :
						"they are seen from 3.8 on";
	char text[sizeof(i->version) + 32];

	if (!l->free_threaded && (l->runtime_gil || l->interp_gil))
		return;
	snprintf(text, sizeof(text), "%s: no GIL", i->version);
	if (is_new(n, text))
		log_warning("no waits for the GIL of pid %u, %s (%s): %s", pid, i->path, i->version, reason);
}

void no_frames_full(struct no_frames *n)
{
	complain(&n->full,
		 "more processes than the table of them has room for: those met from now on are not "
		 "profiled (--stats: processes_full)");
}

void no_frames_no_layout(struct no_frames *n, __u32 pid)
{
	complain(&n->layouts,
		 "more builds of Python run at once than its user may have of %d: pid %u is not profiled, "
		 "nor are others that come (--stats: layouts_full)",
		 LAYOUTS_MAX, pid);
}

void no_frames_forbidden(struct no_frames *n, __u32 pid, const char comm[16])
{
	char text[FORBIDDEN_SIZE + 32], why[FORBIDDEN_SIZE];

	if (n->counts) {
		n->forbidden++;
		n->forbidden_pythons += !strncmp(comm, "python", 6);
		return;
	}
	snprintf(text, sizeof(text), "nor for others like it: %s", forbidden_why((pid_t)pid, why));
	say_once(n, pid, text);
}

void no_frames_count(struct no_frames *n)
{
	n->counts = true;
}

void no_frames_counted(const struct no_frames *n)
{
	char ways[FORBIDDEN_SIZE];

	if (n->forbidden)
		log_warning("%u process%s may not be read, of which %u %s called python: %s", n->forbidden,
			    n->forbidden > 1 ? "es" : "", n->forbidden_pythons,
			    n->forbidden_pythons == 1 ? "is" : "are", forbidden_ways(ways));
}

void no_frames_end(struct no_frames *n)
{
	struct said *s, *next;

	if (n->unsaid)
		log_warning("%llu more times no Python frames for a process, for reasons that were not said",
			    (unsigned long long)n->unsaid);
	HASH_ITER(hh, n->said, s, next) {
		HASH_DEL(n->said, s);
		free(s);
	}
}
