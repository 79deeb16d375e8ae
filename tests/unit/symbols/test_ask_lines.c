// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ask_lines.c - which questions come of native code that is in the tree: each position once, many of a
 * file in one question, to a process that has the file; and what becomes of them with each kind of answer.
 * The tree and the worker are the test's; the stores are real.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "guard/worker.h"
#include "kern/banks.h"
#include "names/native_lines.h"
#include "names/natives.h"
#include "symbols/ask_lines.h"
#include "symbols/native.h"
#include "targets/questions.h"
#include "targets/registry.h"
#include "tests/forge/test.h"

#define NODES 2048
#define ROOT  EVENT_KINDS /* of process 1 */

/* --- the tree, and who has a file ----------------------------------------------------------------------- */

static struct node nodes[NODES];
static struct owner owners[2];
static struct kernel_tables tables = {
	.nodes = nodes, .owners = owners, .node_count = NODES, .owner_count = ARRAY_SIZE(owners)
};
static __u32 holder; /* the process that has files mapped */

const struct kernel_tables *kernel_tables(const struct kernel *k)
{
	(void)k;
	return &tables;
}

__u64 native_address(const struct native_targets *t, const struct registry_entry *process, __u32 file)
{
	(void)t;
	(void)file;
	return process->id == holder ? 0x7000 : 0;
}

/* --- the worker ----------------------------------------------------------------------------------------- */

static struct asked {
	struct worker_request request;
	struct question question;
	void *note;
} asked[32];
static int asked_count;
static int refusal; /* what questions_ask() returns */

struct worker_request question_request(__u32 type, __u32 pid, __u64 start_time)
{
	return (struct worker_request){ .type = type, .pid = pid, .start_ticks = start_time };
}

int questions_ask(struct questions *q, const struct question *question, struct worker_request *request)
{
	struct asked *a = &asked[asked_count];

	(void)q;
	if (refusal)
		return refusal;
	assert_true(asked_count < (int)ARRAY_SIZE(asked));
	*a = (struct asked){ .request = *request, .question = *question };
	assert_int_equal(question->note_size, sizeof(a->note));
	memcpy(&a->note, question->note, sizeof(a->note));
	asked_count++;
	return 0;
}

void questions_forget(struct questions *q, const void *asker)
{
	(void)q;
	(void)asker;
}

static void answer(int i, int err)
{
	struct worker_reply reply = { .type = asked[i].request.type, .error = err };
	const struct source_header nothing = { 0, 1 };
	__u8 bytes[sizeof(nothing) + 1] = { 0 };

	memcpy(bytes, &nothing, sizeof(nothing));
	reply.table = bytes;
	reply.table_size = sizeof(bytes);
	asked[i].question.answer(asked[i].question.asker, &asked[i].note, &reply);
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static struct natives *natives;
static struct registry *registry;
static struct ask_lines *lines;
static __u32 file, next_node;

static void add_process(__u32 id, bool ended)
{
	const struct registry_entry e = { .id = id, .pid = 100 + id, .ended = ended, .layout = -1 };

	assert_int_equal(registry_add(registry, &e), 0);
}

static int setup(void **state)
{
	const struct code_map map = { .file = { 1, 2, 1 << 20, 0, 0 }, .path = "/usr/lib/libz.so.1" };

	(void)state;
	memset(nodes, 0, sizeof(nodes));
	for (int kind = 0; kind < EVENT_KINDS; kind++)
		nodes[kind].key = KEY_RESERVED;
	owners[0] = (struct owner){ .key = 1, .process = 1 };
	nodes[ROOT].key = node_key(0, 0, INSTR_UNKNOWN);
	next_node = ROOT + 1;
	asked_count = refusal = 0;
	holder = 1;
	if (natives_new(&natives) || natives_want_lines(natives) || registry_new(&registry) ||
	    natives_file(natives, &map, &file))
		return -1;
	add_process(1, false);
	return ask_lines_new(&lines, NULL, natives, registry, NULL, NULL, true);
}

static int teardown(void **state)
{
	(void)state;
	ask_lines_free(TAKE_PTR(lines));
	registry_free(TAKE_PTR(registry));
	natives_free(TAKE_PTR(natives));
	return 0;
}

/* A sample at this offset of the file. */
static void sample(__u32 offset)
{
	const __u64 position = natives_get(natives, file)->base + offset;

	nodes[next_node++].key = node_key(ROOT, NODE_NATIVE, 0) | position;
}

TEST(each_position_is_asked_for_once)
{
	assert_false(ask_lines_look(lines));
	assert_int_equal(asked_count, 0);
	for (int i = 0; i < 2; i++) {
		sample(0x1000);
		sample(0x2000);
	}
	assert_true(ask_lines_look(lines));
	assert_int_equal(asked_count, 1);
	assert_int_equal(asked[0].request.type, WORKER_SOURCE);
	assert_int_equal(asked[0].request.pid, 101);
	assert_int_equal(asked[0].request.source.mapped.address, 0x7000);
	assert_int_equal(asked[0].request.source.mapped.file.inode, 2);
	assert_int_equal(asked[0].request.source.source.count, 2);
	assert_int_equal(asked[0].request.source.source.offsets[0], 0x1000);
	assert_int_equal(asked[0].request.source.source.offsets[1], 0x2000);
	assert_true(ask_lines_look(lines)); /* the answer is on its way */
	assert_int_equal(asked_count, 1);
	answer(0, 0);
	assert_false(ask_lines_look(lines));
	assert_int_equal(asked_count, 1);
}

TEST(many_positions_are_some_questions)
{
	__u32 sum = 0;

	for (__u32 i = 0; i < SOURCE_ASKED_MAX + 10; i++)
		sample(16 * i);
	assert_true(ask_lines_look(lines));
	assert_int_equal(asked_count, 2);
	for (int i = 0; i < asked_count; i++)
		sum += asked[i].request.source.source.count;
	assert_int_equal(sum, SOURCE_ASKED_MAX + 10);
}

/* The process of the sample has ended, and another one has the file. */
TEST(another_process_is_asked)
{
	add_process(1, true);
	add_process(2, false);
	holder = 2;
	sample(0x1000);
	assert_true(ask_lines_look(lines));
	assert_int_equal(asked[0].request.pid, 102);
}

TEST(nobody_has_the_file)
{
	holder = 77;
	sample(0x1000);
	assert_false(ask_lines_look(lines));
	assert_int_equal(asked_count, 0);
	holder = 1; /* now somebody has */
	assert_true(ask_lines_look(lines));
	assert_int_equal(asked_count, 1);
}

TEST(a_worker_without_room)
{
	sample(0x1000);
	refusal = -EAGAIN;
	assert_false(ask_lines_look(lines));
	refusal = 0;
	assert_true(ask_lines_look(lines));
	assert_int_equal(asked[0].request.source.source.count, 1);
}

/* Whoever was asked is gone: as often as it takes. */
TEST(an_answer_of_nobody)
{
	static const int errors[] = { -ESRCH, -ESTALE, -ENOENT };

	sample(0x1000);
	for (int i = 0; i < 9; i++) {
		assert_true(ask_lines_look(lines));
		assert_int_equal(asked_count, i + 1);
		answer(i, errors[i % 3]);
	}
	assert_true(ask_lines_look(lines));
}

/* A file without lines is asked about no more; one that its reader failed at, three times. */
TEST(a_file_without_lines)
{
	sample(0x1000);
	assert_true(ask_lines_look(lines));
	answer(0, -ENODATA);
	sample(0x2000);
	assert_false(ask_lines_look(lines));
	assert_int_equal(asked_count, 1);
	teardown(state);
	setup(state);
	sample(0x1000);
	for (int i = 0; i < 3; i++) {
		assert_true(ask_lines_look(lines));
		assert_int_equal(asked_count, i + 1);
		answer(i, i ? -EPIPE : -ETIMEDOUT);
	}
	assert_false(ask_lines_look(lines));
}

/* More files than there may be questions: what is left is asked for when an answer has come. */
TEST(more_files_than_questions)
{
	for (__u32 i = 0; i < 20; i++) {
		const struct code_map map = { .file = { 1, 100 + i, 1 << 20, 0, 0 }, .path = "/other" };

		assert_int_equal(natives_file(natives, &map, &file), 0);
		sample(0x1000);
	}
	assert_true(ask_lines_look(lines));
	assert_int_equal(asked_count, 16);
	answer(0, 0);
	assert_int_equal(asked_count, 17);
}

/* Without --native-lines only names are asked for, of files that have too many to be had at once. */
TEST(names_alone)
{
	ask_lines_free(lines);
	assert_int_equal(ask_lines_new(&lines, NULL, natives, registry, NULL, NULL, false), 0);
	sample(0x1000);
	assert_false(ask_lines_look(lines));
	assert_int_equal(asked_count, 0);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
