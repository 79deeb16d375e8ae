// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_jit_names.c - when the file of names of a process that makes code is read: at once where it has made
 * more, and otherwise after pauses that grow while the file stays as it was. What it says gets into the store
 * of names. The worker and the event loop are the test's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/loop.h"
#include "bpf/abi.h"
#include "guard/worker.h"
#include "names/jits.h"
#include "proc/perf_map.h"
#include "symbols/jit_names.h"
#include "targets/questions.h"
#include "targets/registry.h"
#include "tests/forge/test.h"

#define PROCESS	      5
#define PID	      100
#define START	      0x7000
#define END	      0x9000
#define PROCESSES_MAX 1024

/* --- the worker ----------------------------------------------------------------------------------------- */

static struct worker_request request; /* the last one */
static struct question question;
static __u32 note;
static int asked;	      /* questions so far */
static int refusal;	      /* what questions_ask() returns */
static const void *forgotten; /* whose answers nobody waits for any more */

struct worker_request question_request(__u32 type, __u32 pid, __u64 start_time)
{
	return (struct worker_request){ .type = type, .pid = pid, .start_ticks = start_time };
}

int questions_ask(struct questions *q, const struct question *about, struct worker_request *r)
{
	(void)q;
	if (refusal)
		return refusal;
	request = *r;
	question = *about;
	assert_int_equal(about->note_size, sizeof(note));
	memcpy(&note, about->note, sizeof(note));
	asked++;
	return 0;
}

void questions_forget(struct questions *q, const void *asker)
{
	(void)q;
	forgotten = asker;
}

static void answer_error(int err)
{
	struct worker_reply reply = { .type = request.type, .pid = request.pid, .error = err };

	question.answer(question.asker, &note, &reply);
}

/* What the worker sends: what the file is, and what it says. */
static struct buf answer_of(struct code_file file, const char *text)
{
	_cleanup_close_ int fd = memfd_create("map", MFD_CLOEXEC);
	struct buf b = { 0 };

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(buf_add(&b, &file, sizeof(file)), 0);
	assert_int_equal(perf_map_read(fd, &b), 0);
	return b;
}

static void answer_bytes(void *bytes, size_t size)
{
	struct worker_reply reply = { .type = request.type, .pid = request.pid };

	reply.table = bytes;
	reply.table_size = size;
	question.answer(question.asker, &note, &reply);
}

static void answer(struct code_file file, const char *text)
{
	_cleanup_buf_ struct buf b = answer_of(file, text);

	answer_bytes(b.data, b.size);
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static struct loop loop; /* not open */
static struct jits *jits;
static struct registry *registry;
static struct jit_names *names;

static void add_process(__u32 id, bool ended)
{
	const struct registry_entry e = {
		.id = id, .pid = PID + id - PROCESS, .start_time = 7, .ended = ended, .layout = -1
	};

	assert_int_equal(registry_add(registry, &e), 0);
}

static int setup(void **state)
{
	(void)state;
	asked = refusal = 0;
	forgotten = NULL;
	loop = (struct loop){ 0 };
	if (jits_new(&jits) || registry_new(&registry))
		return -1;
	add_process(PROCESS, false);
	return jit_names_new(&names, jits, registry, NULL) ?: jit_names_watch(names, &loop);
}

static int teardown(void **state)
{
	(void)state;
	jit_names_free(TAKE_PTR(names));
	registry_free(TAKE_PTR(registry));
	jits_free(TAKE_PTR(jits));
	return 0;
}

/* The file when it has grown so often. */
static struct code_file file_of(__u64 size)
{
	return (struct code_file){ 1, 2, size, 4, 5 };
}

/* A sample's process has this memory, and a file of names. Returns the memory's position. */
static __u64 met(__u32 process, struct code_file file)
{
	const struct code_map map = { .start = START, .end = END, .file = file, .is_memory = true };
	__u64 position = 0;

	assert_int_equal(jit_names_met(names, process, &map, &position), 0);
	return position;
}

static void second(void)
{
	loop.rows[0].run(loop.rows[0].context, LOOP_SECOND);
}

static int seconds_until_asked(void)
{
	const int before = asked;
	int n = 0;

	while (asked == before) {
		second();
		assert_true(++n < 1000);
	}
	return n;
}

TEST(what_a_file_says_becomes_names)
{
	__u64 position;

	position = met(PROCESS, file_of(1));
	assert_true(position >= TEXT_JITS);
	assert_int_equal(asked, 1);
	assert_int_equal(request.type, WORKER_PERF_MAP);
	assert_int_equal(request.pid, PID);
	assert_int_equal(request.start_ticks, 7);
	assert_int_equal(request.perf_map.known.inode, 0); /* nothing was read yet */
	assert_string_equal(jits_find(jits, position + 0x10), "");
	answer(file_of(1), "7000 20 compiled\n");
	assert_string_equal(jits_find(jits, position + 0x10), "compiled");
	assert_string_equal(jits_find(jits, position + 0x20), "");
}

/* The worker is told which file was read, so that it does not send the same again. */
TEST(it_is_read_again_each_second_while_it_grows)
{
	__u64 position;

	position = met(PROCESS, file_of(1));
	answer(file_of(1), "7000 20 compiled\n");
	for (__u64 size = 2; size < 6; size++) {
		const struct code_file before = file_of(size - 1);

		assert_int_equal(seconds_until_asked(), 1);
		assert_memory_equal(&request.perf_map.known, &before, sizeof(before));
		answer(file_of(size), "7000 20 compiled\n7020 20 later\n");
	}
	assert_string_equal(jits_find(jits, position + 0x20), "later");
}

TEST(it_is_read_more_and_more_seldom_while_it_stays)
{
	static const int pauses[] = { 1, 2, 4, 8, 16, 32, 64, 64 };

	met(PROCESS, file_of(1));
	answer(file_of(1), "7000 20 compiled\n");
	for (size_t i = 0; i < ARRAY_SIZE(pauses); i++) {
		assert_int_equal(seconds_until_asked(), pauses[i]);
		answer_error(-EALREADY);
	}
	assert_int_equal(seconds_until_asked(), 64);
	answer(file_of(2), "7000 20 compiled\n");
	assert_int_equal(seconds_until_asked(), 1);
}

/* Mappings are read anew when a process has made code: that says sooner than the pause that it has grown. */
TEST(one_that_is_seen_to_have_grown_is_read_at_once)
{
	met(PROCESS, file_of(1));
	answer(file_of(1), "7000 20 compiled\n");
	for (int i = 0; i < 5; i++) {
		seconds_until_asked();
		answer_error(-EALREADY);
	}
	assert_int_equal(asked, 6);
	met(PROCESS, file_of(1));
	assert_int_equal(asked, 6);
	met(PROCESS, file_of(2));
	assert_int_equal(asked, 7);
	assert_int_equal(request.perf_map.known.size, 1);
}

TEST(one_question_at_a_time)
{
	met(PROCESS, file_of(1));
	met(PROCESS, file_of(2));
	for (int i = 0; i < 100; i++)
		second();
	assert_int_equal(asked, 1);
	answer(file_of(2), "7000 20 compiled\n");
	assert_int_equal(seconds_until_asked(), 1);
	/* A turn that comes for another reason is no second. */
	answer_error(-EALREADY);
	for (int i = 0; i < 100; i++)
		loop.rows[0].run(loop.rows[0].context, 0);
	assert_int_equal(asked, 2);
}

/* What the child says is not trusted: then there is what there was, and the file counts as not read. */
TEST(bytes_that_are_malformed)
{
	_cleanup_buf_ struct buf b = answer_of(file_of(2), "7000 20 forged\n");
	__u64 position;

	position = met(PROCESS, file_of(1));
	answer(file_of(1), "7000 20 compiled\n");
	for (size_t size = 0; size < b.size; size++) {
		_cleanup_free_ void *cut = malloc(size ? size : 1);

		seconds_until_asked();
		memcpy(cut, b.data, size);
		answer_bytes(cut, size);
		assert_string_equal(jits_find(jits, position), "compiled");
	}
	seconds_until_asked();
	assert_int_equal(request.perf_map.known.size, 1);
	answer_bytes(b.data, b.size);
	assert_string_equal(jits_find(jits, position), "forged");
}

TEST(a_worker_without_room_is_asked_again)
{
	refusal = -EAGAIN;
	met(PROCESS, file_of(1));
	for (int i = 0; i < 5; i++)
		second();
	refusal = 0;
	assert_int_equal(seconds_until_asked(), 1);
}

TEST(one_that_has_ended_is_forgotten)
{
	met(PROCESS, file_of(1));
	add_process(PROCESS, true);
	answer(file_of(1), "7000 20 compiled\n");
	for (int i = 0; i < 100; i++)
		second();
	assert_int_equal(asked, 1);
	answer_error(-ESRCH); /* one that comes late finds nobody */
}

/* More processes than are followed: those have no names, and their place is free when another one ends. */
TEST(more_processes_than_are_followed)
{
	const __u32 last = PROCESS + PROCESSES_MAX;
	__u64 position;

	for (__u32 id = PROCESS; id <= last; id++) {
		add_process(id, false);
		position = met(id, file_of(1));
		assert_true(position >= TEXT_JITS);
		if (id < last)
			answer(file_of(1), "7000 20 compiled\n");
	}
	assert_int_equal(asked, PROCESSES_MAX);
	assert_string_equal(jits_find(jits, position), "");
	add_process(PROCESS, true);
	second();
	assert_int_equal(asked, 2 * PROCESSES_MAX - 1);
	met(last, file_of(1));
	assert_int_equal(asked, 2 * PROCESSES_MAX);
	assert_int_equal(request.pid, PID + PROCESSES_MAX);
}

TEST(nobody_waits_for_answers_after_the_end)
{
	const void *was = names;

	met(PROCESS, file_of(1));
	jit_names_free(TAKE_PTR(names));
	assert_ptr_equal(forgotten, was);
	jit_names_free(NULL);
}

BY_ITSELF("it has functions of other rooms of its own");
AROUND_EACH(setup, teardown);
