// SPDX-License-Identifier: GPL-2.0-only
/*
 * verifier.c - loads the programs as the profiler does, once for each combination of options that makes
 * another program of them, and prints what this kernel's verifier had to look at: a line "PROGRAM CACHE
 * INSTRUCTIONS" each. Exits with 1 when a program is refused, or needs more than INSTRUCTIONS_MAX. Needs what
 * the profiler needs. verifier.py makes docs/verifier.md of the lines.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "kern/kernel.h"

/* Six tenths of the million that the kernel allows: kernels and compilers that nobody tried may need more. */
#define INSTRUCTIONS_MAX 600000

static const char *const cache_names[] = { "verified", "off", "check" };

static void close_kernel(struct kernel **k)
{
	kernel_close(*k);
}

static void close_directory(DIR **directory)
{
	if (*directory)
		closedir(*directory);
}

/* Prints the line of one program. 0, or 1 if it needs too much. */
static int print_program(int fd, const char *cache)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &size)) {
		fprintf(stderr, "verifier: a program cannot be asked: %s\n", strerror(errno));
		return 1;
	}
	printf("%s %s %u\n", info.name, cache, info.verified_insns);
	if (info.verified_insns >= 1 && info.verified_insns <= INSTRUCTIONS_MAX)
		return 0;
	fprintf(stderr, "verifier: %s is to need 1 to %d instructions\n", info.name, INSTRUCTIONS_MAX);
	return 1;
}

/* Every descriptor of this process that is a BPF program's. */
static int print_programs(const char *cache)
{
	_cleanup_(close_directory) DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	char target[64];
	int failed = 0, count = 0;

	while (directory && (entry = readdir(directory))) {
		ssize_t n = readlinkat(dirfd(directory), entry->d_name, target, sizeof(target) - 1);

		if (n <= 0)
			continue;
		target[n] = '\0';
		if (strcmp(target, "anon_inode:bpf-prog"))
			continue;
		failed |= print_program(atoi(entry->d_name), cache);
		count++;
	}
	if (!count)
		fprintf(stderr, "verifier: no program is loaded\n");
	return failed || !count;
}

static int try_options(enum trigger_kind trigger, enum cache_mode cache, bool native)
{
	struct kernel_options options = {
		.needs = NEEDS_TICKS | NEEDS_WAITS | NEEDS_GIL | NEEDS_MEMORY | NEEDS_TASKS | NEEDS_LOOP |
			 NEEDS_POLLS,
		.trigger = trigger,
		.frequency = 99,
		.by_thread = true,
		.states = true,
		.all = true,
		.programs = native,
		.follow = true,
		.measure = true,
		.async = true,
		.contexts = CONTEXT_LABELS,
		.log = true,
		.trace = true,
		.max_depth = 1024,
		.cache = cache,
		.cache_threads = 512,
		.cache_depth = 1024,
		.budget = 0.01,
		.native = native ? NATIVE_MODE_FULL : NATIVE_MODE_OFF,
		.native_memory = 1 << 20,
		.native_lines = native,
		.kernel = native ? KERNEL_MODE_FULL : KERNEL_MODE_OFF,
	};
	_cleanup_(close_kernel) struct kernel *k = NULL;

	if (kernel_open(&k, &options)) {
		fprintf(stderr, "verifier: %s\n", kernel_reason(k));
		return 1;
	}
	return print_programs(native ? "native" : cache_names[cache]);
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc > 1 && !strcmp(argv[1], "-v"))
		log_set_level(LOG_DEBUG);
	for (int trigger = TRIGGER_PERF; trigger <= TRIGGER_TIMER; trigger++) {
		for (int cache = CACHE_VERIFIED; cache <= CACHE_CHECK; cache++)
			failed |= try_options(trigger, cache, false);
		failed |= try_options(trigger, CACHE_CHECK, true); /* the most that there is */
	}
	return failed;
}
