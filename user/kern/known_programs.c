// SPDX-License-Identifier: GPL-2.0-only
#include "kern/known_programs.h"

#include <bpf/libbpf.h>

#include "kern/object.h"
#include "pyperf.skel.h"

int kernel_know_program(struct kernel *k, const struct program_file *file, const struct known_program *p)
{
	return bpf_map__update_elem(k->skel->maps.known_programs, file, sizeof(*file), p, sizeof(*p),
				    BPF_ANY);
}

void kernel_forget_program(struct kernel *k, const struct program_file *file)
{
	bpf_map__delete_elem(k->skel->maps.known_programs, file, sizeof(*file), 0);
}

/* After an entry was deleted its key leads to the first one again. */
void known_programs_forget_layout(const struct bpf_map *map, __u32 layout)
{
	struct program_file file, *last = NULL;
	struct known_program p;

	for (int i = 0; i < 2 * KNOWN_PROGRAMS; i++) {
		if (bpf_map__get_next_key(map, last, &file, sizeof(file)))
			return;
		last = &file;
		if (bpf_map__lookup_elem(map, &file, sizeof(file), &p, sizeof(p), 0) || p.layout != layout)
			continue;
		bpf_map__delete_elem(map, &file, sizeof(file), 0);
	}
}
