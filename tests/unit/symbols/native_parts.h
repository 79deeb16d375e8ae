/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * native_parts.h - what user/symbols/native.c works with, for its tests. Kernel side and stores are real, and
 * so is what is answered: of this program. When a question is answered, and by what error, the test says.
 */
#ifndef PYPERF_TESTS_NATIVE_PARTS_H
#define PYPERF_TESTS_NATIVE_PARTS_H

#include "tests/unit/kern/need_kernel.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "elf/functions.h"
#include "elf/rows.h"
#include "guard/worker.h"
#include "kern/process_table.h"
#include "kern/texts.h"
#include "names/natives.h"
#include "symbols/native.h"
#include "targets/questions.h"
#include "targets/registry.h"
#include "tests/forge/child.h"

#define OWN_ID	 70
#define CHILD_ID 71
#define START	 7

/* --- the worker ----------------------------------------------------------------------------------------- */

static struct asked {
	struct worker_request request;
	struct question question;
	__u64 note[8];
} asked[8];
static int asked_count; /* questions that the test has not taken yet */

struct worker_request question_request(__u32 type, __u32 pid, __u64 start_time)
{
	return (struct worker_request){ .type = type, .pid = pid, .start_ticks = start_time };
}

int questions_ask(struct questions *q, const struct question *about, struct worker_request *r)
{
	struct asked *a = &asked[asked_count];

	(void)q;
	assert_true(asked_count < (int)ARRAY_SIZE(asked) && about->note_size <= sizeof(a->note));
	a->request = *r;
	a->question = *about;
	memcpy(a->note, about->note, about->note_size);
	asked_count++;
	return 0;
}

void questions_forget(struct questions *q, const void *asker)
{
	(void)q;
	(void)asker;
}

/* The one question that there is. */
static inline struct asked take(enum worker_type type)
{
	assert_int_equal(asked_count, 1);
	assert_int_equal(asked[0].request.type, type);
	asked_count = 0;
	return asked[0];
}

static inline void answer_bytes(struct asked a, void *bytes, size_t size, int err)
{
	struct worker_reply reply = { .type = a.request.type, .pid = a.request.pid, .error = err };

	reply.table = bytes;
	reply.table_size = size;
	a.question.answer(a.question.asker, a.note, &reply);
}

static inline void answer_error(struct asked a, int err)
{
	answer_bytes(a, NULL, 0, err);
}

/* As the worker answers it, of this process and this program. */
static inline void answer(struct asked a)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_buf_ struct buf b = { 0 };
	int err = -EINVAL;

	if (a.request.type == WORKER_MAPS)
		err = code_maps_read(getpid(), &b);
	else if (a.request.type == WORKER_FUNCTIONS)
		err = functions_read(fd, -1, &b);
	assert_int_equal(err, 0);
	answer_bytes(a, b.data, b.size, 0);
}

/* --- all of it ------------------------------------------------------------------------------------------ */

static struct natives *natives;
static struct registry *registry;
static struct native_targets *targets;
static pid_t child;
static __u32 texts_count;

/* A file's code, in which a sample is taken. */
static inline __u64 here(void)
{
	return (uintptr_t)here;
}

static inline void add_process(__u32 id, pid_t pid)
{
	const struct registry_entry e = { .id = id, .pid = pid, .start_time = START, .layout = -1 };
	const struct process p = { .id = id, .start_time = START, .state = PROCESS_PYTHON };

	assert_int_equal(registry_add(registry, &e), 0);
	assert_int_equal(kernel_set_process(kernel, pid, &p), 0);
}

/* Opens the kernel side, too, or skips the test. */
static inline void begin(void)
{
	static const struct kernel_options o = {
		.needs = NEEDS_TICKS, .frequency = 99, .follow = true, .max_depth = 64,
		.native = NATIVE_MODE_TOP, .native_memory = 32 << 20,
	};

	need_kernel_with(o);
	texts_count = kernel_texts(kernel)->count;
	texts_reuse(kernel_texts(kernel));
	asked_count = 0;
	assert_int_equal(natives_new(&natives), 0);
	assert_int_equal(registry_new(&registry), 0);
	assert_int_equal(native_targets_new(&targets, kernel, natives, registry, NULL), 0);
	add_process(OWN_ID, getpid());
}

static inline void end_child(void)
{
	if (child) {
		kernel_remove_process(kernel, child);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = 0;
}

static inline int end(void **state)
{
	(void)state;
	native_targets_free(TAKE_PTR(targets));
	registry_free(TAKE_PTR(registry));
	natives_free(TAKE_PTR(natives));
	if (kernel) {
		kernel_texts(kernel)->count = texts_count;
		kernel_texts(kernel)->with_rows = true;
		kernel_remove_process(kernel, getpid());
	}
	end_child();
	return 0;
}

/* Another process that has this program's files mapped, of this user. Only root may say one. */
static inline void add_child_of(uid_t user)
{
	child = child_of(user);
	add_process(CHILD_ID, child);
}

static inline void add_child(void)
{
	add_child_of(getuid());
}

static inline __u32 space_of(pid_t pid)
{
	struct process p;

	assert_int_equal(kernel_get_process(kernel, pid, &p), 0);
	return p.space;
}

/* What the kernel side knows of the mapping of a process that holds this address; NULL: nothing. */
static inline const struct text_mapping *mapping_at(pid_t pid, __u64 address)
{
	const struct texts *t = kernel_texts(kernel);
	const __u32 block = texts_space_block(t, space_of(pid));

	for (__u32 i = 0; block && i < t->blocks[block].space.count; i++) {
		const struct text_mapping *m = texts_mapping(t, block + 1 + i);

		if (address >= m->start && address < m->end)
			return m;
	}
	return NULL;
}

/* A sample of that process could not be placed. stale: it has no mappings, or others by now. */
static inline void sample(__u32 id, pid_t pid, bool stale)
{
	const struct record_native e = {
		.pid = pid, .id = id, .space = space_of(pid), .pc = here(), .stale = stale
	};

	native_record(targets, &e);
}

static inline void own_sample(bool stale)
{
	sample(OWN_ID, getpid(), stale);
}

/* Up to the question for functions, which it returns. */
static inline struct asked get_mappings(void)
{
	own_sample(true);
	answer(take(WORKER_MAPS));
	return take(WORKER_FUNCTIONS);
}

/* Up to the question for rows. */
static inline struct asked get_functions(void)
{
	answer(get_mappings());
	return take(WORKER_ROWS);
}

#endif
