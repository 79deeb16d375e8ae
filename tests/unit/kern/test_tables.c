// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tables.c - the maps of the BPF object, loaded without its programs: their sizes, that nobody can write
 * to them here by mistake, and that emptying a half leaves the other half and what is reserved alone. Needs
 * the right to load BPF.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "kern/banks.h"
#include "kern/kernel.h"
#include "kern/tables.h"
#include "kern/home.h"
#include "bpf/abi.h"
#include "pyperf.skel.h"
#include "tests/forge/test.h"

static const struct kernel_options small = { .tree_size = 4096, .cache_threads = 8 };

static struct pyperf *skel;
static struct side side;
static struct kernel_tables tables;
static const struct cpu_stats *stats;
static int cpus;

static void open_sized(const struct kernel_options *o)
{
	struct bpf_program *program;

	skel = pyperf__open();
	assert_non_null(skel);
	bpf_object__for_each_program(program, skel->obj) bpf_program__set_autoload(program, false);
	assert_int_equal(tables_size(skel, o, cpus, &tables), 0);
}

static int setup(void **state)
{
	(void)state;
	libbpf_set_print(NULL);
	cpus = libbpf_num_possible_cpus();
	tables = (struct kernel_tables){ 0 };
	stats = NULL;
	return cpus > 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	tables_unmap(&side, &tables, stats);
	pyperf__destroy(skel);
	skel = NULL;
	return 0;
}

static void load(void)
{
	int err;

	open_sized(&small);
	err = pyperf__load(skel);
	if (err == -EPERM || err == -EACCES) {
		print_message("SKIP: BPF maps may not be made: %s\n", strerror(-err));
		skip();
	}
	assert_int_equal(err, 0);
	side_of_object(skel, &side);
	assert_int_equal(tables_map(&side, &tables, &stats), 0);
}

/* --- before loading ------------------------------------------------------------------------------------ */

TEST(sizes_of_the_document)
{
	const struct kernel_options usual = { .cache_threads = 512 };

	open_sized(&usual);
	/* docs/internals/tree.md has the same figures. */
	assert_int_equal(tables.node_count, 524288);
	assert_int_equal(tables.code_count, 131072);
	assert_int_equal(tables.owner_count, 16384);
	assert_int_equal(bpf_map__max_entries(skel->maps.nodes), 524288);
	assert_int_equal(bpf_map__max_entries(skel->maps.codes), 131072);
	assert_int_equal(bpf_map__max_entries(skel->maps.owners), 16384);
	assert_int_equal(bpf_map__max_entries(skel->maps.threads), 512);
	assert_int_equal(bpf_map__max_entries(skel->maps.processes), 8192);
	assert_int_equal(bpf_map__max_entries(skel->maps.records), 2 << 20);
	assert_int_equal(bpf_map__max_entries(skel->maps.stats), cpus + 1);
	assert_int_equal(bpf_map__max_entries(skel->maps.scratches), cpus + 1);
	assert_int_equal(skel->rodata->opt_spare, cpus);
}

/*
 * The programs find entries by a mask, so every table is a power of two, and no smaller than what was asked
 * for.
 */
TEST(sizes_are_rounded_up)
{
	static const struct {
		__u32 asked, nodes;
	} cases[] = { { 4096, 4096 }, { 4097, 8192 }, { 100000, 131072 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct kernel_options o = { .tree_size = cases[i].asked };

		open_sized(&o);
		assert_int_equal(tables.node_count, cases[i].nodes);
		assert_int_equal(bpf_map__max_entries(skel->maps.nodes), cases[i].nodes);
		assert_int_equal(bpf_map__max_entries(skel->maps.codes), tables.code_count);
		assert_int_equal(bpf_map__max_entries(skel->maps.owners), tables.owner_count);
		pyperf__destroy(skel);
		skel = NULL;
	}
}

TEST(threads_are_in_sets_of_four)
{
	static const struct {
		__u32 threads, sets;
	} cases[] = { { 0, 1 }, { 1, 1 }, { 4, 1 }, { 5, 2 }, { 512, 128 }, { 513, 256 } };

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct kernel_options o = { .cache_threads = cases[i].threads };

		assert_int_equal(tables_thread_sets(&o), cases[i].sets);
	}
}

/* Every entry that is not reserved is of one bank, and of one alone. */
TEST(banks_share_nothing)
{
	struct kernel_bank low, high;

	open_sized(&small);
	low = tables_bank(&tables, 0);
	high = tables_bank(&tables, 1);
	assert_int_equal(low.nodes.first, EVENT_KINDS);
	assert_int_equal(low.codes.first, CODE_FIRST);
	assert_int_equal(low.owners.first, 0);
	assert_int_equal(low.nodes.end, high.nodes.first);
	assert_int_equal(low.codes.end, high.codes.first);
	assert_int_equal(low.owners.end, high.owners.first);
	assert_int_equal(high.nodes.end, tables.node_count);
	assert_int_equal(high.codes.end, tables.code_count);
	assert_int_equal(high.owners.end, tables.owner_count);
	assert_int_equal(high.nodes.end - high.nodes.first, tables.node_count / BANKS);
}

/* --- loaded --------------------------------------------------------------------------------------------- */

static void put_node(__u32 i, __u64 key)
{
	struct node node = { .key = key };

	assert_int_equal(bpf_map__update_elem(skel->maps.nodes, &i, sizeof(i), &node, sizeof(node), BPF_ANY),
			 0);
}

static void put_code(__u32 i, __u64 identity)
{
	struct code code = { .identity = identity };

	assert_int_equal(bpf_map__update_elem(skel->maps.codes, &i, sizeof(i), &code, sizeof(code), BPF_ANY),
			 0);
}

static void put_owner(__u32 i, __u64 key)
{
	struct owner owner = { .key = key };

	assert_int_equal(
		bpf_map__update_elem(skel->maps.owners, &i, sizeof(i), &owner, sizeof(owner), BPF_ANY), 0);
}

TEST(reserved_entries_are_taken)
{
	load();
	for (__u32 i = 0; i < tables.node_count; i++)
		assert_true(tables.nodes[i].key == (i < EVENT_KINDS ? KEY_RESERVED : 0));
	for (__u32 i = 0; i < tables.code_count; i++)
		assert_true(tables.codes[i].identity == (i < CODE_FIRST ? KEY_RESERVED : 0));
	for (__u32 i = 0; i < tables.owner_count; i++)
		assert_true(tables.owners[i].key == 0);
	for (int i = 0; i < cpus; i++)
		assert_true(stats[i].ticks == 0);
}

TEST(shows_what_the_maps_have)
{
	load();
	put_node(tables.node_count - 1, 7);
	put_code(tables.code_count - 1, 8);
	put_owner(tables.owner_count - 1, 9);
	assert_true(tables.nodes[tables.node_count - 1].key == 7);
	assert_true(tables.codes[tables.code_count - 1].identity == 8);
	assert_true(tables.owners[tables.owner_count - 1].key == 9);
}

/* In a child of its own: it dies of it. */
static int end_of_write(const void *p)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGSEGV, SIG_DFL); /* cmocka's */
		*(volatile char *)(uintptr_t)p = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

TEST(nobody_writes_to_them)
{
	const void *const places[] = { &tables.nodes, &tables.codes, &tables.owners, &stats };

	load();
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int status = end_of_write(*(const void *const *)places[i]);

		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	}
}

/* Bytes of all maps, by what the kernel charges for each: /proc/self/fdinfo. */
static size_t charged(void)
{
	struct bpf_map *map;
	size_t sum = 0;

	bpf_object__for_each_map(map, skel->obj)
	{
		_cleanup_fclose_ FILE *f = NULL;
		char path[64], line[128];
		size_t bytes;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", bpf_map__fd(map));
		f = fopen(path, "re");
		assert_non_null(f);
		while (fgets(line, sizeof(line), f))
			if (sscanf(line, "memlock: %zu", &bytes) == 1)
				sum += bytes;
	}
	return sum;
}

/* It is reckoned, since old kernels charge little: within a tenth of what this one says. */
TEST(memory_is_what_the_kernel_charges)
{
	size_t bytes;

	load();
	bytes = charged();
	assert_true(tables_bytes(skel) > bytes - bytes / 10 && tables_bytes(skel) < bytes + bytes / 10);
}

static void fill(void)
{
	for (__u32 i = EVENT_KINDS; i < tables.node_count; i++)
		put_node(i, i);
	for (__u32 i = CODE_FIRST; i < tables.code_count; i++)
		put_code(i, i);
	for (__u32 i = 0; i < tables.owner_count; i++)
		put_owner(i, i + 1);
	skel->bss->banks_used[0].owners = 100;
	skel->bss->banks_used[1].owners = 101;
}

/* What fill() has put into a bank is there, or nothing is. */
static void bank_is(unsigned int bank, bool full)
{
	const struct kernel_bank b = tables_bank(&tables, bank);

	for (__u32 i = b.nodes.first; i < b.nodes.end; i++)
		assert_true(tables.nodes[i].key == (full ? i : 0));
	for (__u32 i = b.codes.first; i < b.codes.end; i++)
		assert_true(tables.codes[i].identity == (full ? i : 0));
	for (__u32 i = b.owners.first; i < b.owners.end; i++)
		assert_true(tables.owners[i].key == (full ? i + 1 : 0));
	assert_int_equal(skel->bss->banks_used[bank].owners, full ? 100 + bank : 0);
}

static void reserved_are_still_there(void)
{
	for (__u32 i = 0; i < EVENT_KINDS; i++)
		assert_true(tables.nodes[i].key == KEY_RESERVED);
	for (__u32 i = 0; i < CODE_FIRST; i++)
		assert_true(tables.codes[i].identity == KEY_RESERVED);
}

TEST(clears_one_bank_alone)
{
	load();
	for (unsigned int bank = 0; bank < BANKS; bank++) {
		fill();
		assert_int_equal(tables_clear(&side, &tables, bank), 0);
		bank_is(bank, false);
		bank_is(!bank, true);
		reserved_are_still_there();
	}
	assert_int_equal(tables_clear(&side, &tables, 0), 0);
	bank_is(0, false);
	bank_is(1, false);
	reserved_are_still_there();
}

static size_t address_space(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/statm", "re");
	size_t pages = 0;

	assert_int_equal(fscanf(f, "%zu", &pages), 1);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Room to map nodes and codes for writing, but not the owners: neither of the three may be emptied then. */
TEST(clears_all_or_nothing)
{
	int status;
	pid_t pid;

#ifdef __SANITIZE_ADDRESS__
	print_message("SKIP: the sanitizer needs terabytes of address space\n");
	skip();
#endif
	load();
	fill();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

		limit.rlim_cur = address_space() + tables.node_count * sizeof(struct node) +
				 tables.code_count * sizeof(struct code);
		if (setrlimit(RLIMIT_AS, &limit))
			_exit(2);
		_exit(tables_clear(&side, &tables, 0) != -ENOMEM);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	bank_is(0, true);
	bank_is(1, true);
}

static int mappings(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	int n = 0;

	while (fgets(line, sizeof(line), f))
		n += strstr(line, "bpf-map") != NULL;
	return n;
}

/* Also what a clearing has mapped; the descriptors are the skeleton's. */
TEST(nothing_stays_mapped)
{
	int before;

	before = mappings();
	load();
	assert_true(mappings() >= before + 4);
	assert_int_equal(tables_clear(&side, &tables, 0), 0);
	tables_unmap(&side, &tables, stats);
	tables = (struct kernel_tables){ 0 };
	stats = NULL;
	pyperf__destroy(skel);
	skel = NULL;
	assert_int_equal(mappings(), before);
	tables_unmap(&side, &tables, NULL);
}

AROUND_EACH(setup, teardown);
