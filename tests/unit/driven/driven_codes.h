/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven_codes.h - tests of the driven sampler: code objects that change under their address.
 */
#include "tests/unit/driven/driven_usual.h"

static inline int mem_read(void *dst, __u32 size, __u64 address)
{
	memcpy(dst, (const void *)address, size);
	return 0;
}

#include "bpf/python/digest.h"

/* So that it finds the entry that the sampler made: user/remote/sleepers.c. */
static void test_fingerprint_is_that_of_the_worker(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u8 header[HEADER_BYTES] __attribute__((aligned(8))) = { 0 };
		__u64 codes[3], end[FILE_END / 8];
		__u32 fault = 0;

		forge_usual(forge_minors[v], codes);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		for (int i = 0; i < 3; i++) {
			memcpy(header, (const void *)codes[i], py.l.code_size);
			assert_int_equal(digest_code(header, &py.l, end, &fault),
					 driven_record(codes[i])->fingerprint);
			assert_int_equal(fault, 0);
		}
	}
}

static void test_code_replaced_in_place(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		__u64 codes[3];
		struct py_thread *t = forge_usual(forge_minors[v], codes);
		__u32 before;

		assert_int_equal(drive(), OUTCOME_WHOLE);
		before = driven_record(codes[2])->code;
		py_write_code((void *)codes[2], "other", "/srv/app.py", 99);
		py_next_epoch();
		py_move(t, codes[2], 5);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven.record_count, 4);
		record_is(codes[2], "other", 99);
		assert_int_not_equal(driven_record(codes[2])->code, before);
		assert_int_equal(driven_stat(codes_reused), 1);
		driven_newest_path_is("main:3;App.work:7;other:5");
		/* From now on callers are not trusted either, whatever the version. */
		py_write_code((void *)codes[0], "main2", "/srv/app.py", 99);
		py_next_epoch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		record_is(codes[0], "main2", 99);
		driven_newest_path_is("main2:3;App.work:7;other:5");
		assert_int_equal(driven_stat(codes_new), 5);
	}
}

/* Every field that the fingerprint covers, alone. */
static void test_each_field_tells_code_objects_apart(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++)
		for (int field = 0; field < 5; field++) {
			__u64 codes[3], name;
			struct py_thread *t = forge_usual(forge_minors[v], codes);
			void *code;

			assert_int_equal(drive(), OUTCOME_WHOLE);
			code = (void *)codes[2];
			memcpy(&name, code + py.l.code_qualname, 8);
			if (field == 0)
				forge_put(code, py.l.code_first_line, 11, 4);
			else if (field == 1)
				forge_put(code, py.l.code_filename, py_string("/srv/app.py"), 8);
			else if (field == 2)
				forge_put(code, py.l.code_linetable, py_bytes(py_table, sizeof(py_table)), 8);
			else if (field == 3)
				forge_put(code, py.l.code_qualname, py_string("<lambda>"), 8);
			else if (py.l.code_version)
				forge_put(code, py.l.code_version, 4711, 4);
			else /* 3.11: another string at the same address */
				forge_put((void *)name, py.l.str_length + 8, 1, 8);
			py_next_epoch();
			py_move(t, codes[2], 5);
			assert_int_equal(drive(), OUTCOME_WHOLE);
			assert_int_equal(driven_stat(codes_new), 4);
			assert_int_equal(driven_stat(codes_reused), 1);
		}
}

/* Reads of one more tick. */
static __u64 reads_of_tick(void)
{
	__u64 before = driven_stat(reads);

	assert_int_equal(drive(), OUTCOME_WHOLE);
	return driven_stat(reads) - before;
}

/* While nothing was freed (3.14) or made (3.13), no header is read, and when something was, each is, once. */
static void test_code_epoch_saves_headers(void **state)
{
	(void)state;
	for (size_t v = 2; v < FORGE_VERSIONS; v++) {
		__u64 codes[3], proved, without;
		struct py_thread *t = forge_usual(forge_minors[v], codes);
		const bool cached = driven.o.cache == CACHE_VERIFIED;
		const int counts = py.l.interp_tlbc_generation ? 2 : 1;
		/*
		 * For each frame that the cache does not lead to: how long its bytecode is, where there may
		 * be copies.
		 */
		const int length = cached && py.l.code_tlbc;

		reads_of_tick();
		proved = reads_of_tick();
		py_next_epoch();
		assert_int_equal(reads_of_tick(), proved + 3 + 3 * length);
		assert_int_equal(reads_of_tick(), proved);
		py_move(t, codes[2], 5);
		assert_int_equal(reads_of_tick(), proved + length);
		assert_int_equal(driven_stat(codes_new), 3);
		/* A count that cannot be read proves nothing. */
		forge_put(t->tstate, py.l.tstate_interp, 0, 8);
		reads_of_tick(); /* of another interpreter than before: it is looked for once more */
		without = reads_of_tick();
		assert_int_equal(without, proved - counts + 3 + 3 * length);
		py_move(t, codes[2], 6);
		assert_int_equal(reads_of_tick(), without);
		/* With the cache, of a process without new code objects only new frames' headers. */
		driven_settle();
		assert_int_equal(reads_of_tick(), without);
		py_move(t, codes[2], 7);
		assert_int_equal(reads_of_tick(), cached ? without - 2 - 2 * length : without);
	}
}

/*
 * 3.13 has no such count in its debug offsets. A co_version not given out yet shows that the word is another.
 */
static void test_count_of_versions_that_is_none(void **state)
{
	__u64 codes[3], proved;
	struct py_thread *t = forge_usual(0x030d, codes);

	(void)state;
	py.epoch = 2;
	py_next_epoch(); /* next_version is 3, and the leaf has version 3 */
	reads_of_tick();
	proved = reads_of_tick();
	py_move(t, codes[2], 5);
	assert_true(reads_of_tick() > proved - 1);
	/* The word is not looked at again, though it moves on. */
	py.epoch = 1000;
	py_next_epoch();
	py_write_code((void *)codes[2], "other", "/srv/app.py", 99);
	py_move(t, codes[2], 6);
	assert_int_equal(drive(), OUTCOME_WHOLE);
	driven_newest_path_is("main:3;App.work:7;other:6");
}

/* The header's page is not there: a number all the same, and the record asks the worker to read it. */
static void test_code_not_resident(void **state)
{
	struct py_thread *t = py_begin_with_thread(0x030d);
	void *page = py_pages(PY_PAGE);
	const struct record_code *e;

	(void)state;
	py_write_code(page, "late", "/srv/app.py", 10);
	py_push(t, py_address(page), 5);
	py_protect(page, PY_PAGE, PROT_NONE);
	driven_watch();
	assert_int_equal(drive(), OUTCOME_WHOLE);
	e = driven_record(py_address(page));
	assert_non_null(e);
	assert_int_equal(e->fingerprint, FINGERPRINT_UNREAD);
	assert_int_equal(e->name.flags, PART_FAULT);
	driven_path_is(":5");
	assert_int_equal(drive(), OUTCOME_WHOLE);
	assert_int_equal(driven.record_count, 1);
	py_protect(page, PY_PAGE, PROT_READ);
	py_next_epoch();
	assert_int_equal(drive(), OUTCOME_WHOLE);
	assert_int_equal(driven.record_count, 2);
	record_is(py_address(page), "late", 10);
}
