// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - the command line to an exit code.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/lacking.h"
#include "base/log.h"
#include "base/standard_fds.h"
#include "commit.inc" /* PYPERF_COMMIT, made by the Makefile */
#include "run/commands.h"
#include "run/printed.h"
#include "run/version.h"

#define PAGE_BYTES  (256 * 1024) /* more than `help all` has */
#define LARGE_BYTES (1 << 20)

/* By number in command_rows. */
static int (*const runs[COMMANDS])(struct options *o) = {
#define COMMAND(name, run, ...) run,
#include "options/commands.def"
};

int main(int argc, char **argv)
{
	struct options o;
	char error[256];
	int code;

	if (standard_fds_open())
		return EXIT_FAILURE;
	if (options_parse(&o, argc, argv, error, sizeof(error))) {
		log_error("%s", error);
		options_free(&o);
		return EXIT_USAGE;
	}
	if (o.help || o.version) {
		/* All of it at once: what stdio writes before its end loses the reason why it could not. */
		setvbuf(stdout, NULL, _IOFBF, PAGE_BYTES);
		if (o.help)
			options_help(&o, stdout, isatty(STDOUT_FILENO));
		else
			version_print(stdout, PYPERF_COMMIT);
		return printed_flush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
	}
	/* Large arrays go back to the system at once. By itself glibc stops that after the first one. */
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	log_set_level(options_log_level(&o));
	lacking_remember();
	code = runs[o.subcommand - command_rows](&o);
	options_free(&o);
	return code;
}
