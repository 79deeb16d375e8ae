// SPDX-License-Identifier: GPL-2.0-only
#include "kern/known_programs.h"

#include "kern/object.h"

int kernel_know_program(struct kernel *k, const struct program_file *file, const struct known_program *p)
{
	return table_set(&k->side.known_programs, file, p);
}

void kernel_forget_program(struct kernel *k, const struct program_file *file)
{
	table_remove(&k->side.known_programs, file);
}

void known_programs_forget_layout(const struct table *t, __u32 layout)
{
	struct program_file files[KNOWN_PROGRAMS];
	struct known_program programs[KNOWN_PROGRAMS];
	__u32 count = 0;

	if (t->entries > KNOWN_PROGRAMS || table_all(t, files, programs, &count))
		return;
	for (__u32 i = 0; i < count; i++)
		if (programs[i].layout == layout)
			table_remove(t, &files[i]);
}
