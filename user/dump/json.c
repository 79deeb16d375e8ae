// SPDX-License-Identifier: GPL-2.0-only
#include "dump/json.h"

#include "base/clock.h"
#include "dump/awaiting.h"
#include "dump/thread_words.h"
#include "proc/syscall_names.h"

static const char *const ends[LOOK_ENDS] = {
	[LOOK_WHOLE] = "whole",
	[LOOK_C_THREAD] = "not Python",
	[LOOK_NO_STATE] = "no thread state",
	[LOOK_NO_FRAMES] = "no frames",
	[LOOK_DEEP] = "too deep",
	[LOOK_BROKEN] = "broken",
};

/* A member of an object, in its quotes; bytes are what anybody chose. */
int json_string(const char *key, const char *bytes, size_t limit, struct buf *out)
{
	_cleanup_buf_ struct buf text = { 0 };
	int err = buf_printf(out, ",\"%s\":", key);

	err = err ?: buf_add_utf8(&text, bytes, limit);
	err = err ?: buf_add(&text, "", 1);
	return err ?: buf_add_json(out, text.data);
}

int json_frame(const struct code_line *line, struct buf *out)
{
	int err = buf_add_string(out, "{\"function\":");

	err = err ?: buf_add_json(out, line->function);
	err = err ?: buf_add_string(out, ",\"file\":");
	err = err ?: buf_add_json(out, line->file);
	return err ?: buf_printf(out, ",\"line\":%d}", line->line);
}

static int add_wait(const struct look_thread *t, struct buf *out)
{
	const char *name = t->thread.syscall >= 0 ? syscall_name((__u32)t->thread.syscall) : NULL;
	int err = 0;

	if (name)
		err = buf_printf(out, ",\"syscall\":\"%s\"", name);
	if (!err && t->fd >= 0) {
		err = buf_printf(out, ",\"fd\":%d", t->fd);
		err = err ?: json_string("file", t->file, sizeof(t->file), out);
	}
	if (!err && t->gil == LOOK_GIL_WAITS && t->gil_holder)
		err = buf_printf(out, ",\"gil_holder\":%d", t->gil_holder);
	if (!err && t->waited_ns)
		err = buf_printf(out, ",\"seconds\":%.6f", (double)t->waited_ns / NS_PER_SECOND);
	return err;
}

static int json_awaiting(const struct dumped *d, const struct look_thread *t, struct buf *out)
{
	struct awaiting a;
	int err;

	if (!d->async || !t->task_address)
		return 0;
	awaiting_find(d->async, t->task_address, &a);
	err = buf_add_string(out, ",\"awaited_by\":[");
	for (size_t i = 0; i < a.count && !err; i++) {
		const struct task *by = a.by[i].task;

		err = buf_printf(out, "%s{\"others\":%u", i ? "," : "", a.by[i].others);
		err = err ?: json_string("task", by->name, sizeof(by->name), out);
		err = err ?: buf_add_string(out, ",\"frames\":[");
		for (__u32 k = by->frames; k-- > 0 && !err;) {
			struct code_line line;

			dumped_name(d->async, by->first_frame + k, &line);
			err = json_frame(&line, out);
			err = err ?: buf_add_string(out, k ? "," : "");
		}
		err = err ?: buf_add_string(out, "]}");
	}
	return err ?: buf_printf(out, "],\"awaited_by_more\":%s", a.end == AWAITING_ROOT ? "false" : "true");
}

static int json_thread(const struct dumped *d, const struct look_thread *t, struct buf *out)
{
	int err = buf_printf(out, "{\"tid\":%d", t->thread.tid);

	err = err ?: json_string("name", *t->called ? t->called : t->thread.name,
				 *t->called ? sizeof(t->called) : sizeof(t->thread.name), out);
	err = err ?: buf_printf(out, ",\"state\":\"%s\"", thread_words_key(t));
	err = err ?: add_wait(t, out);
	if (!err && *t->task)
		err = json_string("task", t->task, sizeof(t->task), out);
	err = err ?: buf_printf(out, ",\"holds_gil\":%s,\"ran\":%s,\"stack\":\"%s\",\"frames\":[",
				t->gil == LOOK_GIL_HOLDS ? "true" : "false", t->runs ? "true" : "false",
				ends[t->end] ?: "");
	for (__u32 i = 0; i < t->count && !err; i++) {
		struct code_line line;

		dumped_name(d, t->first + i, &line);
		err = i ? buf_add_string(out, ",") : 0;
		err = err ?: json_frame(&line, out);
	}
	err = err ?: buf_add_string(out, "]");
	err = err ?: json_awaiting(d, t, out);
	return err ?: buf_add_string(out, "}");
}

int json_process(const struct dumped *d, struct buf *out)
{
	int err = buf_printf(out, "{\"pid\":%d", d->pid);

	err = err ?: json_string("name", d->name, sizeof(d->name), out);
	err = err ?: json_string("python", d->identity.version, sizeof(d->identity.version), out);
	if (!err && *d->container.names.pod)
		err = json_string("pod", d->container.names.pod, sizeof(d->container.names.pod), out);
	if (!err && *d->container.cgroup.container_id)
		err = json_string("container_id", d->container.cgroup.container_id,
				  sizeof(d->container.cgroup.container_id), out);
	return err;
}

int dump_json(const struct dumped *d, struct buf *out)
{
	int err = json_process(d, out);

	err = err ?: buf_printf(out, ",\"more\":%s,\"threads\":[", d->look->more ? "true" : "false");
	for (__u32 i = 0; i < d->look->threads && !err; i++) {
		err = i ? buf_add_string(out, ",\n") : 0;
		err = err ?: json_thread(d, &d->threads[i], out);
	}
	return err ?: buf_add_string(out, "]}");
}
