// SPDX-License-Identifier: GPL-2.0-only
/*
 * longest.c - measures how long switches of the threads of a process take in the profiler's program:
 *   longest PID
 * It is started before the profiler, and says "ready". It is told a line when the profiler has begun, and
 * says "ready" again. At the end of standard input it prints as JSON: how many switches there were, and the
 * ns of the middle one, of 99 of 100, and of the longest.
 */
#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/forge/longest.h"

#include "longest.skel.h"

static unsigned long long runs_of(const struct longest_runs *l)
{
	unsigned long long runs = 0;

	for (int i = 0; i < LONGEST_BUCKETS; i++)
		runs += l->counts[i];
	return runs;
}

/* The end of the bucket behind which this part of the switches is. */
static unsigned long long quantile(const struct longest_runs *l, double part)
{
	const double wanted = part * runs_of(l);
	unsigned long long sum = 0;

	for (int i = 0; i < LONGEST_BUCKETS - 1; i++) {
		sum += l->counts[i];
		if (sum >= wanted)
			return (i + 1ULL) * LONGEST_NS;
	}
	return l->max;
}

static void attach(struct bpf_program *program, struct bpf_link **ret)
{
	*ret = bpf_program__attach(program);
	if (!*ret) {
		fprintf(stderr, "%s: it cannot be attached\n", bpf_program__name(program));
		exit(1);
	}
	puts("ready");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct longest *s = longest__open();
	char line[8];

	if (argc != 2 || !s) {
		fprintf(stderr, "usage: longest PID\n");
		return 2;
	}
	s->rodata->of_process = atoi(argv[1]);
	if (longest__load(s))
		return 1;
	attach(s->progs.before, &s->links.before);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	attach(s->progs.behind, &s->links.behind);
	while (getchar() != EOF)
		;
	printf("{\"switches\": %llu, \"p50_ns\": %llu, \"p99_ns\": %llu, \"max_ns\": %llu}\n",
	       runs_of(&s->bss->all), quantile(&s->bss->all, 0.5), quantile(&s->bss->all, 0.99),
	       s->bss->all.max);
	longest__destroy(s);
	return 0;
}
