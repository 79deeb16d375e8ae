// SPDX-License-Identifier: GPL-2.0-only
/*
 * mcp.c - `pyperf-bpf mcp`: answers programs, as long as one asks.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "mcp/server.h"
#include "run/commands.h"
#include "run/give_up.h"

int run_mcp(struct options *o)
{
	(void)o;
	if (isatty(STDIN_FILENO))
		log_info("this is for programs: they send JSON-RPC, a message a line; Ctrl-C ends it");
	if (give_up_but_for_tools())
		return EXIT_FAILURE;
	return log_failure(server_run(PYPERF_VERSION), "mcp") ? EXIT_FAILURE : EXIT_SUCCESS;
}
