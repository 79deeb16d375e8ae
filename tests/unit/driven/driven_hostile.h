/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * driven_hostile.h - memory that a process has forged to make ticks long, and processes that take more than
 * their share of the tables. The bounds are of bytes and entries: what a busy machine can change is not
 * asserted.
 */
#include "bpf/data/budget.h"
#include "tests/unit/driven/driven_usual.h"

#define CHUNKS 300

static __u8 *forged[CHUNKS];

/*
 * Frames that call each other in a ring, each at the end of a data-stack chunk of its own, so that each could
 * be read with a whole block. Each chunk names the next frame's as the one before it.
 */
static void forge_ring(struct py_thread *t, __u64 code, __u8 owner)
{
	const size_t at = CHUNK_SIZE - 256;

	for (int i = 0; i < CHUNKS; i++)
		forged[i] = py_pages(CHUNK_SIZE);
	for (int i = 0; i < CHUNKS; i++) {
		const struct forge_frame f = {
			.code = code,
			.previous = py_address(forged[(i + 1) % CHUNKS] + at),
			.instr = py_instr(code, 1),
			.owner = owner,
		};

		forge_chunk(forged[i], py_address(forged[(i + 1) % CHUNKS]), CHUNK_SIZE);
		forge_frame(forged[i] + at, &py.l, &f);
	}
	forge_put(t->tstate, py.l.tstate_chunk, py_address(forged[0]), 8);
	py_set_frame(t, py_address(forged[0] + at));
}

/* What all walks of one tick may read. */
static __u64 bytes_allowed(void)
{
	const __u64 blocks = BLOCK_BYTES_MIN + BLOCK_BYTES * driven.o.max_depth + BLOCK_SIZE;
	const __u64 steps = 3 * (4 * driven.o.max_depth + 64); /* with the cache, in full, and the callers */

	return blocks + steps * FRAME_READ_MAX;
}

static void test_ring_of_chunks(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		struct py_thread *t = py_begin_with_thread(forge_minors[v]);

		if (!py.l.tstate_chunk)
			continue;
		forge_ring(t, py_code("ring"), OWNED_BY_THREAD);
		driven_watch();
		for (int i = 0; i < 5; i++) {
			enum outcome outcome = drive();
			__u64 most = (i + 1) * bytes_allowed();

			assert_true(outcome == OUTCOME_TRUNCATED || outcome == OUTCOME_OVER_BUDGET ||
				    outcome == OUTCOME_INCOMPLETE);
			assert_in_range(driven_stat(read_bytes), 1, most);
		}
	}
}

/* They use up no depth. */
static void test_ring_of_shims(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		struct py_thread *t = py_begin_with_thread(forge_minors[v]);

		if (!py.l.tstate_chunk || py.l.owner_shim > UINT8_MAX)
			continue;
		forge_ring(t, py_address(py.interp), py.l.owner_shim);
		driven_watch();
		for (int i = 0; i < 5; i++) {
			assert_int_equal(drive(), OUTCOME_OVER_BUDGET);
			driven_newest_path_is("[over budget]");
			assert_in_range(driven_stat(read_bytes), 1, (i + 1) * bytes_allowed());
		}
	}
}

/* The deepest honest stack: generators, each in a place of its own, called through C. */
static void test_deepest_honest_stack(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		struct py_thread *t = py_begin_with_thread(forge_minors[v]);
		__u64 code = py_code("generator");

		py_push(t, py_code("main"), 1);
		for (__u32 i = 1; i < driven.o.max_depth; i++) {
			py_push_shim(t);
			py_push_generator(t, code, 2);
		}
		driven_watch();
		for (int i = 0; i < 3; i++)
			assert_int_equal(drive(), OUTCOME_WHOLE);
	}
}

/* Tables of a sampler that has no patience at all: what it has when the clock is asked is all there is. */
static void test_out_of_time(void **state)
{
	(void)state;
	for (size_t v = 0; v < FORGE_VERSIONS; v++) {
		struct py_thread *t = py_begin_with_thread(forge_minors[v]);
		__u64 code = py_code("generator");
		__u32 depth = 0;

		py_push(t, py_code("main"), 1);
		for (__u32 i = 1; i < 200; i++)
			py_push_generator(t, code, i);
		driven_watch();
		for (int i = 0; i < 3; i++) {
			assert_int_equal(drive(), OUTCOME_OVER_BUDGET);
			depth = 0;
			for (__u32 n = driven.newest; node_parent(driven.nodes[n].key);
			     n = node_parent(driven.nodes[n].key))
				depth++;
			/* The marker, and frames of the leaf's side. */
			assert_in_range(depth, 2, 1 + LATE_DEPTH);
		}
		/* A stack of a few frames never asks. */
		t = py_begin_with_thread(forge_minors[v]);
		py_push(t, py_code("main"), 1);
		driven_watch();
		assert_int_equal(drive(), OUTCOME_WHOLE);
	}
}

/* One process fills the table up to its bound; there is room for another one's stacks. */
static void test_one_process_takes_too_much(void **state)
{
	struct py_thread *t = py_begin_with_thread(0x030d);
	__u64 code = py_code("same"), used;
	__u32 short_from = driven.o.nodes - 1 - (driven.o.nodes - 1) / 4, whole = 0;

	(void)state;
	driven_watch();
	py_push(t, code, 0);
	for (__u32 unit = 1; driven.skel->bss->banks_used[0].nodes <= short_from; unit++) {
		assert_true(unit < 2 * driven.o.nodes);
		drive(); /* some find no place before the table is full */
		t->leaf = 0;
		t->top = py_address(t->first_chunk) + FORGE_CHUNK_HEADER;
		py_push_shim(t);
		py_push(t, code, unit);
	}
	assert_int_equal(drive(), OUTCOME_TABLE_FULL);
	used = driven_stat(nodes_new);
	assert_int_equal(driven.skel->bss->banks_used[0].nodes, used);
	driven_newest_path_is("[table full]");
	driven_set_process(PROCESS_PYTHON, DRIVEN_ID + 1);
	for (__u32 unit = 0; unit < 100; unit++) {
		py_move(t, code, unit);
		whole += drive() == OUTCOME_WHOLE;
	}
	assert_in_range(whole, 90, 100);
}

/* Of one user's account: the table is in sets, and nobody else is there. */
static struct share driven_share(void)
{
	struct share h = {}, found = {};

	for (__u32 i = 0; i < SHARES; i++) {
		assert_int_equal(bpf_map__lookup_elem(driven.skel->maps.shares, &i, 4, &h, sizeof(h), 0), 0);
		if (!h.user)
			continue;
		assert_int_equal(found.user, 0);
		found = h;
	}
	return found;
}

static void driven_set_share(const struct share *h)
{
	for (__u32 i = 0; i < SHARES; i++) {
		struct share old;

		assert_int_equal(bpf_map__lookup_elem(driven.skel->maps.shares, &i, 4, &old, sizeof(old), 0),
				 0);
		if (old.user == h->user)
			assert_int_equal(
				bpf_map__update_elem(driven.skel->maps.shares, &i, 4, h, sizeof(*h), 0), 0);
	}
}

/*
 * The process has next to nothing, but its user has most of a table that is nearly full. Another one's gets
 * new entries all the same, and so does the user's own while there is more room, or in the next generation.
 */
static void test_one_user_takes_too_much(void **state)
{
	struct py_thread *t = py_begin_with_thread(0x030d);
	__u64 code = py_code("same");
	__u32 *used = &driven.skel->bss->banks_used[0].nodes;
	struct share h;

	(void)state;
	driven_watch();
	py_push(t, code, 0);
	assert_int_equal(drive(), OUTCOME_WHOLE);
	h = driven_share();
	assert_int_equal(h.nodes, driven_stat(nodes_new));
	assert_int_equal(h.codes, 1);
	assert_int_equal(h.owners, 1);
	assert_int_equal(h.processes, 1);
	h.nodes = driven.o.nodes / 2;
	h.processes = 50;
	driven_set_share(&h);
	*used = driven.o.nodes / 16 * 13 - 8;
	py_move(t, code, 1);
	assert_int_equal(drive(), OUTCOME_WHOLE); /* less than others of its user */
	*used = driven.o.nodes / 16 * 13 + 8;
	py_move(t, code, 2);
	assert_int_equal(drive(), OUTCOME_TABLE_FULL);
	py_move(t, code, 1);
	assert_int_equal(drive(), OUTCOME_WHOLE); /* which was there */
	h.nodes = driven.o.nodes / 4;
	driven_set_share(&h);
	py_move(t, code, 3);
	assert_int_equal(drive(), OUTCOME_WHOLE); /* another one has most */
	h.nodes = driven.o.nodes / 2;
	driven_set_share(&h);
	driven.skel->bss->tree_generation++;
	py_move(t, code, 4);
	assert_int_equal(drive(), OUTCOME_WHOLE);
	assert_int_equal(driven_share().processes, 1);
}
