// SPDX-License-Identifier: GPL-2.0-only
#include "dump/tasks_json.h"

#include "dump/json.h"

static const char *const states[TASK_STATES] = {
	[TASK_WAITS] = "waits",	  [TASK_RUNS] = "runs",	    [TASK_NOT_BEGUN] = "not begun",
	[TASK_ENDED] = "ended",	  [TASK_FUTURE] = "future", [TASK_CHANGED] = "changed",
	[TASK_UNREAD] = "unread",
};

static const char *truth(bool value)
{
	return value ? "true" : "false";
}

static int json_task(const struct dumped *d, const struct task *t, struct buf *out)
{
	int err = buf_printf(out, "{\"id\":\"0x%llx\"", (unsigned long long)t->address);

	if (!err && *t->name)
		err = json_string("name", t->name, sizeof(t->name), out);
	if (!err && t->tid)
		err = buf_printf(out, ",\"tid\":%d", t->tid);
	err = err ?: buf_printf(out, ",\"state\":\"%s\",\"more\":%s,\"awaited_by\":[", states[t->state],
				truth(t->cut));
	for (__u32 i = 0; i < t->awaiters && !err; i++)
		err = buf_printf(out, "%s\"0x%llx\"", i ? "," : "",
				 (unsigned long long)d->task_list[d->awaiters[t->first_awaiter + i]].address);
	err = err ?: buf_printf(out, "],%s\"frames\":[", t->other ? "\"awaited_by_other\":true," : "");
	for (__u32 i = 0; i < t->frames && !err; i++) {
		struct code_line line;

		dumped_name(d, t->first_frame + i, &line);
		err = i ? buf_add_string(out, ",") : 0;
		err = err ?: json_frame(&line, out);
	}
	return err ?: buf_add_string(out, "]}");
}

int tasks_json(const struct dumped *d, struct buf *out)
{
	int err = json_process(d, out);

	err = err ?: buf_printf(out, ",\"asyncio\":%s,\"more\":%s,\"tasks\":[", truth(d->identity.asyncio),
				truth(d->tasks->more));
	for (__u32 i = 0; i < d->tasks->tasks && !err; i++) {
		err = i ? buf_add_string(out, ",\n") : 0;
		err = err ?: json_task(d, &d->task_list[i], out);
	}
	return err ?: buf_add_string(out, "]}");
}
