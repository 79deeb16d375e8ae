/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own_stack.h - a program goes up its own stack by the rows of its own files, and libgcc, which executes
 * .eh_frame by itself, has to come to the same addresses and the same stack pointers. The leaf alone is not
 * tried: a function that looks at its stack is none.
 *
 * The includer has struct registers, with pc and sp, defines the two functions that are declared here, and
 * the tests that are of its machine alone.
 */
#ifndef PYPERF_TESTS_OWN_STACK_H
#define PYPERF_TESTS_OWN_STACK_H

#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unwind.h>

#include "base/cleanup.h"
#include "elf/rows.h"
#include "tests/forge/test.h"

/* Those that are of a context, whose pc is no return address. */
static struct registers registers_of(const ucontext_t *context);
/* False at the root. */
static bool to_caller(struct registers *r);

#define DEPTH 64

struct frame {
	__u64 pc, sp;
};

struct stack {
	struct frame frames[DEPTH];
	int count;
};

/* --- rows of the files that are mapped here ------------------------------------------------------------ */

struct wanted {
	__u64 address;
	char path[4096];
	__u64 offset;
	bool is_kernels;
};

static int on_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct wanted *w = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const __u64 start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || w->address - start >= ph->p_memsz)
			continue;
		strcpy(w->path, *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
		w->offset = w->address - start + ph->p_offset;
		w->is_kernels = info->dlpi_addr + ph->p_vaddr == getauxval(AT_SYSINFO_EHDR);
		return 1;
	}
	return 0;
}

static __u32 rule_for(__u64 pc)
{
	_cleanup_buf_ struct buf bytes = { 0 };
	struct wanted w = { .address = pc };
	_cleanup_close_ int fd = -1;
	struct rows rows;

	assert_int_equal(dl_iterate_phdr(on_object, &w), 1);
	if (w.is_kernels) {
		assert_int_equal(rows_read_vdso(w.offset >> REGION_SHIFT, &bytes), 0);
	} else {
		fd = open(w.path, O_RDONLY | O_CLOEXEC);
		assert_int_equal(rows_read(fd, w.offset >> REGION_SHIFT, &bytes), 0);
	}
	assert_int_equal(rows_parse(bytes.data, bytes.size, &rows), 0);
	return rows_find(&rows, w.offset & ((1U << REGION_SHIFT) - 1));
}

/* --- up the stack by them ------------------------------------------------------------------------------- */

static __u64 word_at(__u64 address)
{
	return *(const __u64 *)address;
}

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *to)
{
	struct stack *s = to;

	if (s->count == DEPTH)
		return _URC_END_OF_STACK;
	s->frames[s->count++] = (struct frame){ _Unwind_GetIP(context), _Unwind_GetCFA(context) };
	return _URC_NO_REASON;
}

/* The first frame is this function's own, of which the places differ. */
static __attribute__((noinline)) int look(int n)
{
	struct stack right = { .count = 0 };
	struct registers r;
	ucontext_t here;
	volatile int count = 1; /* getcontext() returns twice, as far as the compiler knows */

	getcontext(&here);
	r = registers_of(&here);
	_Unwind_Backtrace(on_frame, &right);
	for (; to_caller(&r); count++) {
		assert_true(count < right.count);
		assert_int_equal(r.pc, right.frames[count].pc);
		assert_int_equal(r.sp, right.frames[count].sp);
	}
	assert_true(count >= 4);
	/* libgcc may report the root's caller, which has no address. */
	assert_true(count == right.count || (count + 1 == right.count && !right.frames[count].pc));
	return n + 1;
}

/* --- functions of every kind ---------------------------------------------------------------------------- */

typedef int (*next_fn)(int n);

static void keep(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

static __attribute__((noinline)) int plain(next_fn next, int n)
{
	return next(n) * 3;
}

static __attribute__((noinline)) int large(next_fn next, int n)
{
	char room[65536];

	keep(room);
	return next(n) * 11;
}

static int compare(const void *a, const void *b)
{
	look(8);
	return *(const int *)a - *(const int *)b;
}

TEST(callbacks_of_a_library)
{
	int list[] = { 3, 1, 2 };

	qsort(list, ARRAY_SIZE(list), sizeof(*list), compare);
	assert_int_equal(list[0], 1);
}

static void *thread(void *context)
{
	plain(look, 1);
	return context;
}

static void look_in_a_thread(void)
{
	pthread_t id;

	assert_int_equal(pthread_create(&id, NULL, thread, NULL), 0);
	assert_int_equal(pthread_join(id, NULL), 0);
}

static int raise_signal(int n)
{
	return raise(SIGUSR1) + n;
}

#endif
