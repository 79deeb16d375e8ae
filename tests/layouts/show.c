// SPDX-License-Identifier: GPL-2.0-only
/*
 * show.c - prints what identify() says about a live process, or what is known of a version ("3.14",
 * free-threaded "3.14t"), a field a line, for test_layouts.py, arm64.sh and people.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "proc/procfs.h"
#include "python/identify.h"

#define NUMBER(field) printf(#field "=%llu\n", (unsigned long long)layout->field)

static void show_frames(const struct layout *layout)
{
	NUMBER(root_rule);
	NUMBER(has_cframe);
	NUMBER(epoch_size);
	NUMBER(free_threaded);
	NUMBER(line_format);
	NUMBER(frame_size);
	NUMBER(frame_lasti);
	NUMBER(lasti_shift);
	NUMBER(frame_tlbc_index);
	NUMBER(frame_code);
	NUMBER(frame_previous);
	NUMBER(frame_instr);
	NUMBER(frame_generator);
	NUMBER(frame_running);
	NUMBER(running);
	NUMBER(frame_owner);
	NUMBER(frame_is_entry);
	NUMBER(owner_shim);
	NUMBER(owner_generator);
	NUMBER(pointer_tag);
	NUMBER(frame_object);
	NUMBER(frame_locals);
	NUMBER(object_frame);
	NUMBER(object_data);
	NUMBER(cframe_frame);
	NUMBER(cframe_previous);
	NUMBER(tstate_size);
	NUMBER(tstate_next);
	NUMBER(tstate_interp);
	NUMBER(tstate_frame);
	NUMBER(tstate_base_frame);
	NUMBER(tstate_thread_id);
	NUMBER(tstate_chunk);
	NUMBER(tstate_exc_info);
	NUMBER(tstate_status);
	NUMBER(tstate_exception);
	NUMBER(status_active);
	NUMBER(status_may);
	NUMBER(status_living);
	NUMBER(interp_next);
	NUMBER(interp_threads);
	NUMBER(interp_gil);
	NUMBER(interp_epoch);
	NUMBER(interp_tlbc_generation);
	NUMBER(interp_gc_frame);
	NUMBER(gil_holder);
	NUMBER(runtime_interpreters);
	NUMBER(runtime_main);
	NUMBER(runtime_tstate);
	NUMBER(runtime_gil);
	NUMBER(runtime_tss_key);
}

static void show_objects(const struct layout *layout)
{
	NUMBER(code_size);
	NUMBER(code_first_line);
	NUMBER(code_filename);
	NUMBER(code_name);
	NUMBER(code_qualname);
	NUMBER(code_linetable);
	NUMBER(code_version);
	NUMBER(code_bytecode);
	NUMBER(code_count);
	NUMBER(code_numbers);
	NUMBER(code_tlbc);
	NUMBER(str_length);
	NUMBER(str_state);
	NUMBER(str_ascii);
	NUMBER(str_compact);
	NUMBER(str_data);
	NUMBER(str_kind_shift);
	NUMBER(str_compact_bit);
	NUMBER(str_ascii_bit);
	NUMBER(str_implied);
	NUMBER(bytes_size);
	NUMBER(bytes_data);
}

#define TASKS(field) printf("tasks_" #field "=%u\n", tasks->field)

/* By what asyncio's tasks are found, if the version does not say it. */
static void show_tasks(const struct task_facts *tasks)
{
	TASKS(interp_modules);
	TASKS(tstate_loop);
	TASKS(tstate_dict);
	TASKS(gen_frame);
	TASKS(gen_state);
	TASKS(frame_state);
	TASKS(frame_top);
	TASKS(frame_stack);
	TASKS(cached_keys);
	TASKS(closure);
	TASKS(function_name);
}

static void show_layout(const struct layout *layout, const struct task_facts *tasks)
{
	printf("version=%" PRIu32 "\n", layout->version);
	show_frames(layout);
	show_objects(layout);
	if (tasks)
		show_tasks(tasks);
}

static int show_known(unsigned int minor, bool free_threaded)
{
	const struct cpython *cpython = layout_find(3 << 24 | minor << 16);
	const struct layout *layout = cpython ? layout_of_build(cpython, free_threaded) : NULL;

	if (!layout)
		return 1;
	show_layout(layout, cpython->tasks.interp_modules && !free_threaded ? &cpython->tasks : NULL);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const verdicts[] = { "", "not Python", "Python", "no layout" };
	struct identity identity;
	double begin, first;
	unsigned int minor;
	__u64 ticks;
	int pid, err;
	char t = '\0';

	if (argc == 2 && sscanf(argv[1], "3.%u%c", &minor, &t) >= 1 && (!t || t == 't'))
		return show_known(minor, t);
	if (argc != 2 || (pid = atoi(argv[1])) <= 0) {
		fprintf(stderr, "usage: layout_show PID | 3.NN | 3.NNt\n");
		return 2;
	}
	begin = clock_seconds();
	err = procfs_start_ticks(pid, &ticks);
	if (!err)
		err = identify(pid, ticks, &identity);
	first = clock_seconds();
	if (!err)
		err = identify(pid, ticks, &identity);
	if (err) {
		fprintf(stderr, "identify: %s\n", strerror(-err));
		return 1;
	}
	printf("verdict=%s\nreason=%s\nhexversion=%" PRIu32 "\n", verdicts[identity.verdict], identity.reason,
	       identity.hexversion);
	printf("text_version=%s\npath=%s\nbuild_id=%s\nruntime=%llu\n", identity.version, identity.path,
	       identity.build_id, identity.runtime);
	printf("first_us=%.0f\ncached_us=%.0f\n", (first - begin) * 1e6, (clock_seconds() - first) * 1e6);
	if (identity.verdict != VERDICT_PYTHON)
		return 0;
	show_layout(&identity.layout, layout_task_facts(&identity.layout));
	return 0;
}
