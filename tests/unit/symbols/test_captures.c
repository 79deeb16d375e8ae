// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_captures.c - code objects forged in this process's memory, records of them as the kernel side would
 * send, and a real worker that reads what they lack.
 */
#include "tests/forge/test.h"
#include "tests/unit/python/forge_capture.h"
#include "tests/unit/targets/parts.h"

#include "guard/fair_queue.h"
#include "kern/banks.h"
#include "kern/process_table.h"
#include "proc/procfs.h"
#include "symbols/captures.h"
#include "targets/questions.h"

enum { PROCESS = 5, NUMBER = CODE_FIRST + 9 };

static struct questions *questions;
static struct captures captures;

static __u64 here(const void *p)
{
	return (uintptr_t)p;
}

/* The forged objects refer to each other by number; here they are at their own addresses. */
static void put_here(void)
{
	put_usual();
	put64(&code, layout.code_qualname, here(&qualname));
	put64(&code, layout.code_filename, here(&file));
	put64(&file, layout.str_data, here(file_text));
	put64(&code, layout.code_linetable, here(&table));
	region_count = 0;
	map(here(&code), &code, sizeof(code));
	map(here(&qualname), &qualname, sizeof(qualname));
	map(here(&file), &file, sizeof(file));
	map(here(&table), &table, sizeof(table));
}

static int setup_captures(void **state)
{
	int err = open_parts(state) ?: setup(state);

	if (err)
		return err;
	put_here();
	captures = (struct captures){ .codes = codes, .registry = registry };
	err = questions_new(&questions, worker);
	captures.questions = questions;
	return err;
}

static int teardown_captures(void **state)
{
	captures_clear(&captures);
	questions_free(TAKE_PTR(questions));
	teardown(state);
	return close_parts(state);
}

/* This process, with the layout of the forged objects. */
static void add_process(__s64 later_ticks, bool has_layout)
{
	struct registry_entry e = { .id = PROCESS, .pid = getpid(), .layout = -1 };
	__u64 ticks;

	need_kernel();
	captures.kernel = kernel;
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	e.start_time = (ticks + later_ticks) * (NS_PER_SECOND / sysconf(_SC_CLK_TCK));
	if (has_layout)
		e.layout = kernel_add_layout(kernel, &layout, 0);
	assert_true(!has_layout || e.layout >= 0);
	assert_int_equal(registry_add(registry, &e), 0);
}

/* What the kernel side sends of the code object: without what is not mapped. */
static void send_record_as(__u32 number)
{
	assert_int_equal(capture_code(record, &layout, here(&code)), 0);
	record->type = RECORD_CODE;
	record->code = number;
	record->process = PROCESS;
	record->pid = getpid();
	record->fingerprint = FINGERPRINT_UNREAD + 1;
	captures_record(&captures, record, capture_size(record));
}

static void send_record(void)
{
	send_record_as(NUMBER);
}

/* Passes all answers on. Returns how many there were. */
static int take_replies(void)
{
	int n = 0;

	for (; questions_pending(questions); n++) {
		struct worker_reply reply = { 0 };

		receive(&reply);
		assert_true(questions_answer(questions, &reply));
		free(reply.table);
	}
	return n;
}

static struct code_line line_at(__u32 instr_plus_one)
{
	struct code_line l;

	assert_int_equal(codes_resolve(codes, NUMBER, instr_plus_one, &l), 0);
	return l;
}

static void forget_number(void)
{
	const struct kernel_range range = { NUMBER, NUMBER + 1 };

	captures_forget(&captures, range);
}

TEST(whole_record)
{
	add_process(0, true);
	map(here(file_text), file_text, sizeof(file_text));
	send_record();
	assert_int_equal(questions_pending(questions), 0);
	assert_string_equal(line_at(0).function, "A.b.<c>");
	assert_string_equal(line_at(0).file, "/\xe2\x82\xacx");
	assert_int_equal(line_at(0).first_line, 42);
}

TEST(part_that_was_not_in_memory)
{
	add_process(0, true);
	send_record();
	assert_int_equal(codes_incomplete(record), CODES_FILE);
	assert_string_equal(line_at(0).function, "A.b.<c>");
	assert_string_not_equal(line_at(0).file, "/\xe2\x82\xacx");
	assert_int_equal(take_replies(), 1);
	assert_string_equal(line_at(0).function, "A.b.<c>");
	assert_string_equal(line_at(0).file, "/\xe2\x82\xacx");
}

/* Each entry: no columns (13), one instruction, one line further. */
#define ENTRIES 1500

static void put_large_table(void)
{
	put64(&table, layout.bytes_size, 2 * ENTRIES);
	for (int i = 0; i < ENTRIES; i++)
		memcpy((char *)&table + layout.bytes_data + 2 * i, "\xe8\x02", 2);
}

TEST(large_line_table)
{
	add_process(0, true);
	map(here(file_text), file_text, sizeof(file_text));
	put_large_table();
	send_record();
	assert_int_equal(record->table.flags, PART_CUT);
	assert_int_not_equal(line_at(ENTRIES).line, 42 + ENTRIES);
	assert_int_equal(take_replies(), 1);
	assert_int_equal(line_at(ENTRIES).line, 42 + ENTRIES);
	assert_int_equal(line_at(1).line, 43);
}

/* First the object, where the worker cuts the table as the kernel side does; then the table by itself. */
TEST(missing_part_and_large_line_table)
{
	add_process(0, true);
	put_large_table();
	send_record();
	assert_int_equal(take_replies(), 2);
	assert_string_equal(line_at(0).file, "/\xe2\x82\xacx");
	assert_int_equal(line_at(ENTRIES).line, 42 + ENTRIES);
}

/* The memory holds another code object by the time the worker reads it. */
/* More at once than the worker's queue has room for: the rest is asked for as the answers come. */
TEST(more_than_the_queue_takes)
{
	enum { MANY = 100 };
	int answers = 0;

	add_process(0, true);
	map(here(file_text), file_text, sizeof(file_text));
	put_large_table();
	for (int i = 0; i < MANY; i++)
		send_record_as(NUMBER + i);
	assert_int_equal(questions_pending(questions) + captures_waiting(&captures), MANY);
	assert_true(captures_waiting(&captures) >= MANY - QUEUE_OF_PROCESS - 1);
	assert_int_equal(line_at(ENTRIES).line, 0); /* not known yet, and no other line is shown for it */
	while (questions_pending(questions)) {
		answers += take_replies();
		captures_retry(&captures);
	}
	assert_int_equal(answers, MANY);
	assert_int_equal(captures_waiting(&captures), 0);
	for (int i = 0; i < MANY; i++) {
		struct code_line l;

		codes_resolve(codes, NUMBER + i, ENTRIES, &l);
		assert_int_equal(l.line, 42 + ENTRIES);
	}
}

/* The worker was killed over a question, as when a page never arrived. */
TEST(failed_question_is_asked_again)
{
	struct worker_reply reply = { 0 };
	double end = clock_seconds() + PATIENCE_SECONDS;

	add_process(0, true);
	send_record();
	receive(&reply);
	reply.error = -ETIMEDOUT;
	assert_true(questions_answer(questions, &reply));
	assert_string_not_equal(line_at(0).file, "/\xe2\x82\xacx");
	captures_retry(&captures);
	assert_int_equal(questions_pending(questions), 0); /* not at once */
	while (!questions_pending(questions)) {
		assert_true(clock_seconds() < end);
		captures_retry(&captures);
	}
	assert_int_equal(take_replies(), 1);
	assert_string_equal(line_at(0).file, "/\xe2\x82\xacx");
	assert_null(captures.wanted);
}

TEST(another_object_there)
{
	add_process(0, true);
	assert_int_equal(capture_code(record, &layout, here(&code)), 0);
	record->type = RECORD_CODE;
	record->code = NUMBER;
	record->process = PROCESS;
	record->pid = getpid();
	put32(&code, layout.code_first_line, 43);
	record->fingerprint = FINGERPRINT_UNREAD + 1;
	captures_record(&captures, record, capture_size(record));
	assert_int_equal(take_replies(), 1);
	assert_string_not_equal(line_at(0).file, "/\xe2\x82\xacx");
	assert_int_equal(line_at(0).first_line, 42);
	/* When the kernel side could not even read its header, whatever is there is the object. */
	record->fingerprint = FINGERPRINT_UNREAD;
	captures_record(&captures, record, capture_size(record));
	assert_int_equal(take_replies(), 1);
	assert_string_equal(line_at(0).file, "/\xe2\x82\xacx");
	assert_int_equal(line_at(0).first_line, 43);
}

TEST(number_that_means_another_now)
{
	add_process(0, true);
	send_record();
	codes_clear(codes, NUMBER, NUMBER + 1);
	forget_number();
	assert_int_equal(take_replies(), 1);
	assert_string_equal(line_at(0).function, "[unknown code]");
	/* The table's answer, too. */
	map(here(file_text), file_text, sizeof(file_text));
	put_large_table();
	send_record();
	forget_number();
	assert_int_equal(take_replies(), 1);
	assert_int_not_equal(line_at(ENTRIES).line, 42 + ENTRIES);
}

TEST(process_that_is_over)
{
	add_process(1, true); /* the one with this pid is another */
	send_record();
	record->fingerprint = FINGERPRINT_UNREAD;
	captures_record(&captures, record, capture_size(record));
	assert_int_equal(take_replies(), 2);
	assert_string_equal(line_at(0).function, "A.b.<c>");
	assert_string_not_equal(line_at(0).file, "/\xe2\x82\xacx");
}

TEST(nobody_to_ask_about)
{
	send_record(); /* of a process that is not in the registry */
	assert_int_equal(questions_pending(questions), 0);
	assert_string_equal(line_at(0).function, "A.b.<c>");
	add_process(0, false);
	send_record();
	assert_int_equal(questions_pending(questions), 0);
}

TEST(damaged_record)
{
	add_process(0, true);
	assert_int_equal(capture_code(record, &layout, here(&code)), 0);
	record->type = RECORD_CODE;
	record->code = NUMBER;
	record->process = PROCESS;
	captures_record(&captures, record, capture_size(record) - 1);
	captures_record(&captures, record, sizeof(record->type));
	assert_int_equal(questions_pending(questions), 0);
	assert_string_equal(line_at(0).function, "[unknown code]");
}

AROUND_EACH(setup_captures, teardown_captures);
AROUND_ALL(NULL, close_kernel);
