// SPDX-License-Identifier: GPL-2.0-only
#include "elf/gaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/rule.h"

#define PLT_HEADER   32 /* bytes before the first entry, which call what finds the function */
#define SEARCHED_MAX (1U << 20) /* of a segment: the kernel's page of code, or musl */

static void add(struct gaps *gaps, __u32 begin, __u32 end, __u32 rule)
{
	int at = gaps->count;

	if (at == GAPS_MAX || begin >= end)
		return;
	for (; at && gaps->list[at - 1].begin > begin; at--)
		gaps->list[at] = gaps->list[at - 1];
	gaps->list[at] = (struct gap){ begin, end, rule };
	gaps->count++;
}

static void find_plt(Elf *elf, const struct code_loads *loads, struct gaps *gaps)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		__u32 begin, end;
		GElf_Shdr header;
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, ".plt") || header.sh_size <= PLT_HEADER ||
		    !code_loads_find(loads, header.sh_addr, header.sh_size, &begin, &end))
			continue;
		add(gaps, begin + PLT_HEADER, end, rule_make(RULE_SP, 0, RULE_SLOT_SAME));
	}
}

/*
 * "mov x8, #139; svc #0", the system call rt_sigreturn, which no other code makes. The address that the
 * handler returns to is its first byte. What is looked up is one less, as for the return address of a call.
 */
static int find_sigreturn(int fd, const struct code_load *load, struct gaps *gaps)
{
	static const __u32 wanted[] = { 0xd2801168, 0xd4000001 };
	_cleanup_free_ char *code = NULL;
	int err;

	if (load->size > SEARCHED_MAX || load->offset % sizeof(__u32))
		return 0;
	code = malloc(load->size);
	if (!code)
		return -ENOMEM;
	err = elf_file_read(fd, code, load->size, load->offset);
	for (__u64 at = 4; !err && at + sizeof(wanted) <= load->size; at += 4)
		if (!memcmp(code + at, wanted, sizeof(wanted)))
			add(gaps, load->offset + at - 4, load->offset + at + sizeof(wanted),
			    rule_make_small(RULE_SPECIAL, RULE_SIGNAL, 0, 0));
	return err;
}

int gaps_find(int fd, Elf *elf, const struct code_loads *loads, struct gaps *ret)
{
	int err = 0;

	find_plt(elf, loads, ret);
	for (int i = 0; !err && i < loads->count; i++)
		err = find_sigreturn(fd, &loads->list[i], ret);
	return err;
}
