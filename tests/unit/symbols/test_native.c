// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_native.c - from a sample that could not place its program counter to all that the kernel side needs
 * for the next one: the mappings of its process, the functions of a file, the rows of a region. Each is asked
 * for once, and what cannot be had is not asked for by each sample.
 */
#include "tests/forge/test.h"
#include "tests/unit/symbols/native_parts.h"

#include <stdio.h>

#include "proc/owner.h"

/* Nobody needs a second sample for what comes next. */
TEST(one_sample_leads_from_mappings_to_rows)
{
	struct asked a;
	struct stat st;

	begin();
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	own_sample(true);
	a = take(WORKER_MAPS);
	assert_int_equal(a.request.pid, getpid());
	assert_int_equal(a.request.start_ticks, START);
	assert_null(mapping_at(getpid(), here()));
	answer(a);
	assert_int_equal(mapping_at(getpid(), here())->text, TEXT_NOT_LOADED);
	assert_true(mapping_at(getpid(), here())->position >= TEXT_FILES);
	a = take(WORKER_FUNCTIONS);
	assert_int_equal(a.request.functions.mapped.address, here());
	assert_int_equal(a.request.functions.mapped.file.inode, st.st_ino);
	answer(a);
	assert_true(mapping_at(getpid(), here())->text > TEXT_NONE);
	a = take(WORKER_ROWS);
	assert_int_equal(a.request.mapped.address, here());
	assert_int_equal(a.request.mapped.file.inode, st.st_ino);
}

/* They are of the region that the sample is in. Another sample in it needs nothing then. */
TEST(rows_get_into_the_table)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_buf_ struct buf b = { 0 };
	const struct text_mapping *m;
	__u64 position, offset;
	struct asked a;

	begin();
	a = get_functions();
	m = mapping_at(getpid(), here());
	position = m->position + (here() - m->start);
	assert_true(texts_want_rows(kernel_texts(kernel), m->text, position));
	offset = position - natives_get(natives, natives_file_at(natives, position))->base;
	assert_int_equal(rows_read(fd, offset >> REGION_SHIFT, &b), 0);
	answer_bytes(a, b.data, b.size, 0);
	assert_false(texts_want_rows(kernel_texts(kernel), m->text, position));
	own_sample(false);
	assert_int_equal(asked_count, 0);
}

/* When whoever was asked is gone, another process may have the file. A file without rules is left alone. */
TEST(rows_that_cannot_be_had)
{
	static const int errors[] = { -ESRCH, -ESTALE, -ENOENT };
	struct asked a;

	begin();
	a = get_functions();
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		answer_error(a, errors[i]);
		own_sample(false);
		a = take(WORKER_ROWS);
	}
	answer_error(a, -EBADMSG);
	own_sample(false);
	assert_int_equal(asked_count, 0);
}

/* As with --native leaf. */
TEST(no_rows_where_callers_are_not_wanted)
{
	begin();
	kernel_texts(kernel)->with_rows = false;
	answer(get_mappings());
	own_sample(false);
	assert_int_equal(asked_count, 0);
}

TEST(samples_that_lack_the_same_ask_once)
{
	struct asked a;

	begin();
	for (int i = 0; i < 5; i++)
		own_sample(true);
	answer(take(WORKER_MAPS));
	for (int i = 0; i < 5; i++)
		own_sample(false);
	a = take(WORKER_FUNCTIONS);
	answer(a);
	for (int i = 0; i < 5; i++)
		own_sample(false);
	take(WORKER_ROWS);
}

/* What is known of a file is for every process that has it, whenever its mappings have come. */
TEST(a_file_is_read_once_for_all_processes)
{
	struct asked functions;
	__u32 text;

	begin();
	add_child();
	functions = get_mappings();
	sample(CHILD_ID, child, true);
	answer(take(WORKER_MAPS)); /* while the functions are on their way */
	assert_int_equal(asked_count, 0);
	answer(functions);
	text = mapping_at(getpid(), here())->text;
	assert_true(text > TEXT_NONE);
	assert_int_equal(mapping_at(child, here())->text, text);
	asked_count = 0;
	sample(CHILD_ID, child, true); /* its mappings are others by now */
	answer(take(WORKER_MAPS));
	assert_int_equal(mapping_at(child, here())->text, text);
}

/* The file itself is the reason: its whole mapping is one function, and nobody asks again. */
TEST(a_file_that_cannot_be_read)
{
	begin();
	answer_error(get_mappings(), -ENOEXEC);
	assert_int_equal(mapping_at(getpid(), here())->text, TEXT_NONE);
	own_sample(false);
	assert_int_equal(asked_count, 0);
}

/* A debug file may be what was too much: from the second time on it is left out. */
TEST(a_file_at_which_its_reader_ends)
{
	struct asked a;

	begin();
	a = get_mappings();
	assert_int_equal(a.request.functions.plain, 0);
	for (int i = 0; i < 2; i++) {
		answer_error(a, -EPIPE);
		assert_int_equal(mapping_at(getpid(), here())->text, TEXT_NOT_LOADED);
		own_sample(false);
		a = take(WORKER_FUNCTIONS);
		assert_int_equal(a.request.functions.plain, 1);
	}
	answer_error(a, -EPIPE);
	assert_int_equal(mapping_at(getpid(), here())->text, TEXT_NONE);
}

TEST(mappings_that_cannot_be_had)
{
	_cleanup_buf_ struct buf b = { 0 };

	begin();
	own_sample(true);
	answer_error(take(WORKER_MAPS), -ETIMEDOUT);
	own_sample(true); /* at once: the answer is there */
	assert_int_equal(code_maps_read(getpid(), &b), 0);
	answer_bytes(take(WORKER_MAPS), b.data, b.size - 1, 0);
	assert_int_equal(space_of(getpid()), 0);
	own_sample(true);
	answer(take(WORKER_MAPS));
	assert_int_not_equal(space_of(getpid()), 0);
}

TEST(nobody_asks_of_a_process_that_is_gone)
{
	struct registry_entry e;

	begin();
	e = *registry_find(registry, OWN_ID);
	own_sample(true);
	kernel_remove_process(kernel, getpid());
	answer(take(WORKER_MAPS)); /* there is nobody to have them */
	assert_int_equal(asked_count, 0);
	add_process(OWN_ID, getpid());
	e.ended = true;
	assert_int_equal(registry_add(registry, &e), 0);
	own_sample(true);
	sample(OWN_ID + 5, getpid(), true); /* not in the registry */
	assert_int_equal(asked_count, 0);
}

/* Nothing is asked about it: the position says what it is. */
TEST(memory_of_no_file)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const __u64 vdso = getauxval(AT_SYSINFO_EHDR);

	begin();
	assert_true(memory != MAP_FAILED);
	get_mappings();
	assert_int_equal(mapping_at(getpid(), (uintptr_t)memory)->position, TEXT_JIT);
	assert_int_equal(mapping_at(getpid(), (uintptr_t)memory)->text, TEXT_NONE);
	if (vdso)
		assert_int_equal(mapping_at(getpid(), vdso)->position, TEXT_VDSO);
	munmap(memory, 4096);
}

/*
 * The table is begun anew for the process that needs room; the mappings of others are gone, and are asked for
 * when they are needed. What is known of a file is still known. That is not done again at once.
 */
TEST(a_table_that_is_full)
{
	struct texts *t;
	__u32 generation;

	begin();
	t = kernel_texts(kernel);
	add_child();
	answer_error(get_functions(), -ESTALE);
	generation = space_of(getpid()) >> SPACE_BLOCK_BITS;
	t->count = t->used + t->used / 3 + 2; /* of which one user may have three quarters */
	sample(CHILD_ID, child, true);
	answer(take(WORKER_MAPS));
	assert_int_equal(space_of(getpid()), 0);
	assert_int_equal(space_of(child) >> SPACE_BLOCK_BITS, generation + 1);
	assert_in_range(mapping_at(child, here())->text, TEXT_NONE + 1, t->used - 1);
	take(WORKER_ROWS); /* and none for functions */
	t->count = t->used;
	own_sample(true);
	answer(take(WORKER_MAPS));
	assert_int_equal(space_of(getpid()), 0);
	assert_int_equal(space_of(child) >> SPACE_BLOCK_BITS, generation + 1);
}

/* By it lines of source are asked for, of a process that has the file. */
TEST(where_a_process_has_a_file)
{
	const struct registry_entry *own;
	const struct text_mapping *m;
	struct process other;
	__u32 file;

	begin();
	own = registry_find(registry, OWN_ID);
	assert_int_equal(native_address(targets, own, 0), 0);
	get_mappings();
	m = mapping_at(getpid(), here());
	file = natives_file_at(natives, m->position);
	assert_int_equal(native_address(targets, own, file), m->start);
	assert_int_equal(native_address(targets, own, natives_get_stats(natives).files), 0);
	add_child();
	assert_int_equal(native_address(targets, registry_find(registry, CHILD_ID), file), 0);
	assert_int_equal(kernel_get_process(kernel, getpid(), &other), 0);
	other.id++; /* the pid is another process's by now */
	assert_int_equal(kernel_set_process(kernel, getpid(), &other), 0);
	assert_int_equal(native_address(targets, own, file), 0);
}

/*
 * A process that maps something new at each look takes what it may have of the table, and then the next
 * edition's. Whoever comes in between finds room.
 */
TEST(somebody_without_end_leaves_room)
{
	__u32 generation;

	if (geteuid()) {
		print_message("SKIP unit: only root starts processes of others\n");
		return;
	}
	begin();
	kernel_texts(kernel)->count = 4096;
	get_mappings();
	generation = space_of(getpid()) >> SPACE_BLOCK_BITS;
	for (int i = 0; i < 2000 && !natives_get_stats(natives).table_refused; i++) {
		own_sample(true);
		answer(take(WORKER_MAPS));
		asked_count = 0;
	}
	assert_int_equal(natives_get_stats(natives).table_refused, 1);
	assert_int_equal(space_of(getpid()) >> SPACE_BLOCK_BITS, generation + 1);
	add_child_of(4711);
	sample(CHILD_ID, child, true);
	answer(take(WORKER_MAPS));
	assert_non_null(mapping_at(child, here()));
	asked_count = 0;
	own_sample(true);
	answer(take(WORKER_MAPS));
	assert_int_equal(natives_get_stats(natives).table_refused, 2);
	assert_non_null(mapping_at(child, here())); /* and no edition is begun for it */
}

/* All that this owner may have of the text space. */
static void take_all(__u64 owner)
{
	struct code_map map = { 0x1000, 0x2000, 0, { .inode = 1 }, "/sparse", .owner = owner };
	__u32 file;

	for (__u64 size = 1ULL << 32; size >= 4096; size >>= 1) {
		map.file.size = size;
		while (!natives_file(natives, &map, &file))
			map.file.inode++;
	}
}

/* Puts a process into a cgroup that is called as that of a container. False: there is none to be had. */
static bool put_into_container(pid_t pid, char directory[160])
{
	static const char *const hierarchies[] = { "/unified", "/pids", "/systemd", "" };
	char path[200];

	for (size_t i = 0; i < ARRAY_SIZE(hierarchies); i++) {
		_cleanup_fclose_ FILE *f = NULL;

		snprintf(directory, 160, "/sys/fs/cgroup%s/docker-%064d.scope", hierarchies[i], getpid());
		if (mkdir(directory, 0755))
			continue;
		snprintf(path, sizeof(path), "%s/cgroup.procs", directory);
		f = fopen(path, "we");
		if (f && fprintf(f, "%d\n", pid) > 0 && !fflush(f))
			return true;
		rmdir(directory);
	}
	return false;
}

/* Root in a container is not root outside of it, though the worker says the same of both. */
TEST(a_container_has_a_share_of_its_own)
{
	const struct text_mapping *m;
	__u64 position = 0;
	char directory[160];

	begin();
	add_child();
	if (!put_into_container(child, directory)) {
		print_message("SKIP cgroups: no cgroup hierarchy can be written here\n");
		return;
	}
	take_all(owner_of(getpid()));
	own_sample(true);
	answer(take(WORKER_MAPS));
	assert_int_equal(mapping_at(getpid(), here())->position, NATIVE_FILE_NO_ROOM);
	sample(CHILD_ID, child, true);
	answer(take(WORKER_MAPS));
	m = mapping_at(child, here());
	if (m)
		position = m->position;
	end_child();
	assert_int_equal(rmdir(directory), 0);
	assert_in_range(position, TEXT_FILES, TEXT_JITS - 1);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(NULL, end);
AROUND_ALL(NULL, close_kernel);
