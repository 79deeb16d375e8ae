// SPDX-License-Identifier: GPL-2.0-only
/*
 * switches.c - attaches the two empty programs of switches.bpf.c, says "ready", and keeps them until the end
 * of standard input. For tests/bench/switch_tables.py.
 */
#include <stdio.h>

#include "switches.skel.h"

int main(void)
{
	struct switches *s = switches__open_and_load();

	if (!s || switches__attach(s)) {
		fprintf(stderr, "the empty programs cannot be attached\n");
		switches__destroy(s);
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	switches__destroy(s);
	return 0;
}
