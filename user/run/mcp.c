// SPDX-License-Identifier: GPL-2.0-only
/*
 * mcp.c - `pyperf-bpf mcp`: answers programs, as long as one asks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "mcp/server.h"
#include "run/commands.h"
#include "run/give_up.h"
#include "run/stored.h"

/* The commands that answer are told of it by their environment, and so is nobody else. */
static int permit_store(const struct options *o)
{
	if (!o->store)
		return unsetenv(STORED_PERMITTED) ? -errno : 0;
	if (!stored_is_source(o->store) || strchr(o->store, '?')) {
		log_error("--store is one such as pyroscope+http://pyroscope:4040, without a query, not '%s'",
			  o->store);
		return -EINVAL;
	}
	return setenv(STORED_PERMITTED, o->store, 1) ? -errno : 0;
}

int run_mcp(struct options *o)
{
	if (permit_store(o))
		return EXIT_USAGE;
	if (isatty(STDIN_FILENO))
		log_info("this is for programs: they send JSON-RPC, a message a line; Ctrl-C ends it");
	if (give_up_but_for_tools())
		return EXIT_FAILURE;
	return log_failure(server_run(PYPERF_VERSION), "mcp") ? EXIT_FAILURE : EXIT_SUCCESS;
}
