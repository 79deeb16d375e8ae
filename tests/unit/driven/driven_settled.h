/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven_settled.h - tests of the driven sampler: which code objects may be among cached callers where there
 * is no code epoch (bpf/python/settled.h).
 */
#ifndef PYPERF_TESTS_DRIVEN_SETTLED_H
#define PYPERF_TESTS_DRIVEN_SETTLED_H

#include "tests/unit/driven/driven_usual.h"

#define WITHOUT_EPOCH 2 /* of forge_minors, the first: 3.11 and 3.12 */

/* Ticks of one jiffy are not told apart. */
static void next_jiffy(void)
{
	usleep(20000);
}

/* A stack of settled code objects, which the thread's cache has if there is one. */
static struct py_thread *forge_settled(__u32 minor, __u64 ret_codes[3])
{
	struct py_thread *t = forge_usual(minor, ret_codes);

	assert_int_equal(drive(), OUTCOME_WHOLE);
	driven_settle();
	assert_int_equal(drive(), OUTCOME_WHOLE);
	return t;
}

/*
 * Callers are cached once all of their code objects have been there for long. By a new one, which is not
 * cached, and by the next sample after it, all of them are read once more.
 */
static void test_callers_settle(void **state)
{
	const bool caching = driven.o.cache == CACHE_VERIFIED;

	(void)state;
	for (size_t v = 0; v < WITHOUT_EPOCH; v++) {
		__u64 codes[3], read;
		struct py_thread *t = forge_usual(forge_minors[v], codes);

		for (int i = 0; i < 3; i++)
			assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven_stat(cache_frames), 0);
		/* 3.12's entry frame is no code object of anybody's, so it may be remembered. */
		assert_int_equal(driven_stat(cache_miss), driven_stat(cache_unsettled) + caching);
		assert_int_equal(driven_stat(cache_unsettled), v ? 0 : 2 * caching);
		driven_settle();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven_stat(cache_full), caching);
		read = driven_stat(cache_reread);
		py_push(t, py_code("new"), 4);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is(USUAL ";new:4");
		assert_int_equal(driven_stat(cache_frames), 6 * caching);
		/* All of them, an entry frame too, after perhaps the one whose turn it is. */
		assert_in_range(driven_stat(cache_reread) - read, 3 * caching, 5 * caching);
		read = driven_stat(cache_reread);
		next_jiffy();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_in_range(driven_stat(cache_reread) - read, 3 * caching, 4 * caching);
		read = driven_stat(cache_reread);
		next_jiffy();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is(USUAL ";new:4");
		assert_int_equal(driven_stat(cache_full), caching);
		assert_int_equal(driven_stat(cache_frames), 12 * caching);
		assert_int_equal(driven_stat(cache_reread) - read, caching);
		assert_int_equal(driven_stat(cache_dropped), 0);
	}
}

/* At an address where two were met none settles, and what is called from there is never cached. */
static void test_recycled_address_never_settles(void **state)
{
	const bool caching = driven.o.cache == CACHE_VERIFIED;

	(void)state;
	for (size_t v = 0; v < WITHOUT_EPOCH; v++) {
		__u64 codes[3];

		forge_usual(forge_minors[v], codes);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		py_write_code((void *)codes[1], "two", "/srv/app.py", 10);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("main:3;two:7;<lambda>:-1");
		assert_int_equal(driven_stat(codes_reused), 1);
		assert_true(driven_process().unsettled != UNSETTLED_ALWAYS);
		driven_settle();
		for (int i = 0; i < 3; i++)
			assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven_stat(cache_full), 0);
		assert_int_equal(driven_stat(cache_frames), 2 * caching);
		/* So the third is seen at once, though nothing else has changed. */
		py_write_code((void *)codes[1], "three", "/srv/app.py", 10);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("main:3;three:7;<lambda>:-1");
		/* And the first, if it comes back. */
		py_write_code((void *)codes[1], "two", "/srv/app.py", 10);
		driven_settle();
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		assert_int_equal(driven_stat(cache_full), 0);
	}
}

/*
 * A caller's code object is replaced by another one, and its frame looks the same. A new one that is met by
 * the same sample tells; and from then on the process is read in full.
 */
static void test_settled_object_is_replaced(void **state)
{
	(void)state;
	for (size_t v = 0; v < WITHOUT_EPOCH; v++) {
		__u64 codes[3];
		struct py_thread *t = forge_settled(forge_minors[v], codes);

		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is(USUAL);
		if (py.l.code_version) {
			py_write_code((void *)codes[0], "main", "/srv/app.py", 10);
		} else { /* the text alone is another, at the same address */
			__u64 name;

			memcpy(&name, (void *)codes[0] + py.l.code_qualname, 8);
			forge_put((void *)name, py.l.str_length + 8, 1, 8);
		}
		py_push(t, py_code("new"), 4);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("main:3;App.work:7;<lambda>:-1;new:4");
		assert_int_equal(driven_stat(codes_new), 5);
		assert_int_equal(driven_stat(codes_reused), 1);
		assert_true(driven_process().unsettled == UNSETTLED_ALWAYS);
		/* All of them have settled but one, and none is trusted. */
		assert_int_equal(drive(), OUTCOME_WHOLE);
		next_jiffy();
		py_write_code((void *)codes[1], "two", "/srv/app.py", 10);
		assert_int_equal(drive(), OUTCOME_WHOLE);
		driven_newest_path_is("main:3;two:7;<lambda>:-1;new:4");
	}
}

/*
 * A caller's code object is replaced, its frame looks the same, and no new one is met. It is seen as soon as
 * each of the callers was read again in its turn.
 */
static void test_header_of_each_caller_has_its_turn(void **state)
{
	(void)state;
	if (driven.o.cache != CACHE_VERIFIED)
		return; /* the walk that checks would count a difference: there is one until then */
	for (size_t v = 0; v < WITHOUT_EPOCH; v++)
		for (int caller = 0; caller < 3; caller++) {
			__u64 codes[3];

			forge_settled(forge_minors[v], codes);
			assert_int_equal(drive(), OUTCOME_WHOLE);
			assert_int_equal(driven_stat(cache_full), 1);
			py_write_code((void *)codes[caller], "other", "/srv/app.py", 10);
			for (int i = 0; i < 3; i++) {
				next_jiffy();
				assert_int_equal(drive(), OUTCOME_WHOLE);
			}
			assert_int_equal(driven_stat(codes_reused), 1);
			assert_true(driven_stat(cache_new_code) >= 1);
			assert_true(driven_process().unsettled == UNSETTLED_ALWAYS);
			assert_true(driven_stat(cache_reread) <= 4);
		}
}

/*
 * A caller's code object cannot be read for a moment. The cache goes on with what it was, unless it was its
 * turn to be read again. A full walk has no name for it, so the two are not compared.
 */
static void test_unreadable_code_is_not_compared(void **state)
{
	(void)state;
	for (size_t v = 0; v < WITHOUT_EPOCH; v++) {
		__u64 unread = 0, cached = 0;

		for (int caller = 0; caller < 3; caller++) {
			struct py_thread *t = py_begin_with_thread(forge_minors[v]);
			void *page = py_pages(PY_PAGE);

			for (int i = 0; i < 3; i++)
				py_push(t, i == caller ? py_address(page) : py_code("other"), 3);
			py_write_code(page, "away", "/srv/app.py", 10);
			driven_watch();
			assert_int_equal(drive(), OUTCOME_WHOLE);
			driven_settle();
			assert_int_equal(drive(), OUTCOME_WHOLE);
			py_protect(page, PY_PAGE, PROT_NONE);
			next_jiffy();
			assert_int_equal(drive(), OUTCOME_WHOLE);
			py_protect(page, PY_PAGE, PROT_READ);
			unread += driven_stat(cache_unread);
			cached += driven_stat(cache_full);
		}
		/* Of the three callers it was the turn of one. */
		assert_int_equal(unread, driven.o.cache == CACHE_CHECK ? 2 : 0);
		assert_int_equal(cached, driven.o.cache == CACHE_OFF ? 0 : 2);
	}
}

/*
 * The text of a settled object's name cannot be read for a moment. Its fingerprint is another one then, but
 * that does not say that the object was replaced: the process goes on with its cache.
 */
static void test_unreadable_name_replaces_nothing(void **state)
{
	struct py_thread *t = py_begin_with_thread(forge_minors[0]);
	void *page = py_pages(PY_PAGE);
	__u64 code = py_code("away"), name;

	(void)state;
	memcpy(&name, (void *)code + py.l.code_qualname, 8);
	memcpy(page, (void *)name, 64);
	forge_put((void *)code, py.l.code_qualname, py_address(page), 8);
	py_push(t, code, 3);
	py_push(t, py_code("leaf"), 5);
	driven_watch();
	assert_int_equal(drive(), OUTCOME_WHOLE);
	driven_settle();
	assert_int_equal(drive(), OUTCOME_WHOLE);
	py_protect(page, PY_PAGE, PROT_NONE);
	for (int i = 0; i < 3; i++) {
		py_push(t, py_code("new"), 4); /* so that everything is read again */
		next_jiffy();
		assert_int_equal(drive(), OUTCOME_WHOLE);
	}
	py_protect(page, PY_PAGE, PROT_READ);
	assert_int_equal(driven_stat(codes_reused), 0);
	assert_true(driven_process().unsettled != UNSETTLED_ALWAYS);
	next_jiffy();
	assert_int_equal(drive(), OUTCOME_WHOLE);
	driven_newest_path_is("away:3;leaf:5;new:4;new:4;new:4");
}

/* The leaf's code object is replaced, and what its header says is other in one place. */
static void test_settled_leaf_is_replaced(void **state)
{
	(void)state;
	for (size_t v = 0; v < WITHOUT_EPOCH; v++)
		for (int field = 0; field < 4; field++) {
			__u64 codes[3];
			struct py_thread *t = forge_settled(forge_minors[v], codes);
			void *code = (void *)codes[2];

			if (field == 0)
				forge_put(code, py.l.code_first_line, 11, 4);
			else if (field == 1)
				forge_put(code, py.l.code_filename, py_string("/srv/app.py"), 8);
			else if (field == 2)
				forge_put(code, py.l.code_linetable, py_bytes(py_table, sizeof(py_table)), 8);
			else
				forge_put(code, py.l.code_qualname, py_string("<lambda>"), 8);
			py_move(t, codes[2], 5);
			assert_int_equal(drive(), OUTCOME_WHOLE);
			driven_newest_path_is("main:3;App.work:7;<lambda>:5");
			assert_int_equal(driven_stat(codes_new), 4);
			assert_int_equal(driven_stat(codes_reused), 1);
			assert_true(driven_process().unsettled == UNSETTLED_ALWAYS);
		}
}

#endif
