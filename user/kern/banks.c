// SPDX-License-Identifier: GPL-2.0-only
#include "kern/banks.h"

#include "kern/object.h"
#include "kern/stats.h"
#include "kern/tables.h"
#include "pyperf.skel.h"

const struct kernel_tables *kernel_tables(const struct kernel *k)
{
	return &k->tables;
}

int kernel_wait(const struct kernel *k)
{
	return k->home->wait(k);
}

void kernel_flip(struct kernel *k)
{
	struct kernel_stats s;

	kernel_settle(k);
	kernel_stats(k, &s);
	k->nodes_before = s.sum.nodes_new;
	k->codes_before = s.sum.codes_new;
	__atomic_add_fetch(&k->side.bss->tree_generation, 1, __ATOMIC_SEQ_CST);
}

/* The bank that the ticks of this generation of the tree use. */
static unsigned int used_bank(const struct kernel *k)
{
	return k->side.bss->tree_generation & 1;
}

struct kernel_bank kernel_other_bank(const struct kernel *k)
{
	return tables_bank(&k->tables, !used_bank(k));
}

int kernel_clear(struct kernel *k)
{
	return tables_clear(&k->side, &k->tables, !used_bank(k));
}

double kernel_fullness(const struct kernel *k)
{
	const unsigned int bank = used_bank(k);
	const struct kernel_bank b = tables_bank(&k->tables, bank);
	struct kernel_stats s;
	double nodes, codes, owners;

	kernel_stats(k, &s);
	nodes = (double)(s.sum.nodes_new - k->nodes_before) / (b.nodes.end - b.nodes.first);
	codes = (double)(s.sum.codes_new - k->codes_before) / (b.codes.end - b.codes.first);
	owners = (double)k->side.bss->banks_used[bank].owners / (b.owners.end - b.owners.first);
	if (codes > nodes)
		nodes = codes;
	return owners > nodes ? owners : nodes;
}
