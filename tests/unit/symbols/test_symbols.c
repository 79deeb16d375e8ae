// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_symbols.c - code objects and machine code over a real discovery: the kernel side's records reach them,
 * what they lack is asked of a real worker, and what is forgotten stays so.
 */
#include "tests/forge/test.h"
#include "tests/unit/targets/discovering.h"

#include "names/natives.h"
#include "proc/procfs.h"
#include "symbols/captures.h"
#include "symbols/symbols.h"
#include "targets/questions.h"

static struct natives *natives;
static struct symbols *symbols;
static struct registry_entry self = { .id = 70 };

static void begin_symbols(void)
{
	struct symbols_parts parts = { .codes = codes, .registry = registry };
	__u64 ticks;

	begin();
	assert_int_equal(natives_new(&natives), 0);
	parts.kernel = kernel;
	parts.natives = natives;
	parts.discover = discover;
	assert_int_equal(symbols_new(&symbols, &parts), 0);
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	self.pid = getpid();
	self.start_time = ticks * (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
	self.layout = kernel_add_layout(kernel, &layout_find(0x030d00f0)->layout, 0);
	assert_true(self.layout >= 0);
	assert_int_equal(registry_add(registry, &self), 0);
}

static int end_symbols(void **state)
{
	symbols_free(TAKE_PTR(symbols));
	natives_free(TAKE_PTR(natives));
	return teardown(state);
}

/*
 * A code object that could not be read in the kernel: nor can the worker, there is nothing at that address.
 */
static void send_code(void)
{
	struct record_code c = { .type = RECORD_CODE, .code = CODE_FIRST, .process = 70, .pid = getpid() };

	c.name.flags = c.file.flags = c.table.flags = PART_FAULT;
	assert_int_equal(discover_record(discover, &c, offsetof(struct record_code, data)), 0);
}

TEST(code_object)
{
	struct code_line l;

	begin_symbols();
	send_code();
	assert_int_equal(discover_pending(discover), 1);
	discover_forget_codes(discover, (struct kernel_range){ CODE_FIRST, CODE_FIRST + 1 });
	take_replies();
	codes_resolve(codes, CODE_FIRST, 0, &l);
	assert_string_not_equal(l.function, "[unknown code]"); /* it is held, without a name */
}

/* What waits for room in the worker's queue is pending, and is asked for when answers have come. */
TEST(more_than_the_worker_takes)
{
	size_t asked;

	begin_symbols();
	asked = fill_worker();
	assert_true(asked >= 2);
	send_code();
	assert_int_equal(captures_waiting(symbols_captures(symbols)), 1);
	assert_int_equal(discover_pending(discover), asked + 1);
	take_replies();
	assert_int_equal(captures_waiting(symbols_captures(symbols)), 0);
}

/* A sample of this process in code that nobody knows: its mappings are asked for. Nobody waits for them. */
TEST(machine_code)
{
	struct record_native e = { .type = RECORD_NATIVE, .id = 70, .pid = getpid(), .stale = 1 };

	begin_symbols();
	e.pc = (__u64)(uintptr_t)machine_code;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(discover_record(discover, &e, sizeof(e)), 0);
		assert_int_equal(discover_pending(discover), 1); /* once */
	}
	assert_false(discover_catch_up(discover));
}

/* The answer comes when nobody is left. */
TEST(freed_before_the_answer)
{
	begin_symbols();
	send_code();
	symbols_free(TAKE_PTR(symbols));
	assert_int_equal(questions_pending(discover_questions(discover)), 0);
}

AROUND_EACH(open_parts, end_symbols);
AROUND_ALL(NULL, close_kernel);
