// SPDX-License-Identifier: GPL-2.0-only
/*
 * examined_json.c - what was found, for programs. docs/schemas/doctor.json says what is in it.
 */
#include <string.h>

#include "doctor/examined.h"

static int add_bytes(struct buf *out, const char *bytes, size_t size)
{
	_cleanup_buf_ struct buf text = { 0 };
	int err = buf_add_utf8(&text, bytes ?: "", size) ?: buf_add(&text, "", 1);

	return err ?: buf_add_json(out, text.data);
}

static int add_json_check(const char *name, const struct checked *f, struct buf *out)
{
	int err = buf_printf(out, "{\"check\":\"%s\",\"result\":\"%s\",\"says\":", name,
			     examined_grade(f->grade));

	err = err ?: add_bytes(out, f->says.data, f->says.size) ?: buf_add_string(out, ",\"mend\":[");
	for (size_t i = 0; i < ARRAY_SIZE(f->mend) && f->mend[i].size && !err; i++)
		err = buf_add_string(out, i ? "," : "") ?: add_bytes(out, f->mend[i].data, f->mend[i].size);
	return err ?: buf_add_string(out, "]}");
}

static int add_python(const struct examined_process *p, struct buf *out)
{
	const struct identity *i = &p->identity;
	int err = 0;

	if (*i->version)
		err = buf_add_member(out, "version", i->version);
	if (!err && *i->reason)
		err = buf_add_member(out, "reason", i->reason);
	if (!err && *i->path)
		err = buf_add_member(out, "file", i->path);
	if (!err && *i->build_id)
		err = buf_add_member(out, "build_id", i->build_id);
	if (!err && (i->verdict == VERDICT_PYTHON || i->verdict == VERDICT_UNPROVED))
		err = buf_printf(out, ",\"gil\":%s", i->layout.free_threaded ? "false" : "true") ?:
		      buf_add_member(out, "asyncio", examined_asyncio(p));
	if (!err && *p->container.cgroup.container_id)
		err = buf_add_member(out, "container_id", p->container.cgroup.container_id);
	return err;
}

static int add_json_native(const struct native_code *n, struct buf *out)
{
	static const char *const made[] = { "none", "without names", "with names" };
	int err;

	if (n->error)
		return buf_add_string(out, ",\"native\":{\"error\":") ?:
		       buf_add_json(out, strerror(-n->error)) ?: buf_add_string(out, "}");
	err = buf_printf(out,
			 ",\"native\":{\"files\":%u,\"unread\":%u,\"named\":%u,\"complete\":%u,"
			 "\"without_callers\":%u,\"made_at_run_time\":\"%s\",\"first_without_callers\":[",
			 n->files, n->unread, n->named, n->complete, n->blind, made[n->made]);
	for (unsigned int i = 0; i < n->blind && i < NATIVE_CODE_SHOWN && !err; i++)
		err = buf_add_string(out, i ? "," : "") ?:
		      add_bytes(out, n->blind_names[i], strlen(n->blind_names[i]));
	return err ?: buf_add_string(out, "]}");
}

static int add_json_process(const struct examined_process *p, struct buf *out)
{
	int err = buf_printf(out, "{\"pid\":%d", p->pid);

	err = err ?: buf_add_member(out, "name", p->name) ?:
	      buf_add_member(out, "layout", examined_layout(p));
	err = err ?: (p->error ? buf_add_member(out, "reason", strerror(-p->error)) : add_python(p, out));
	if (!err && p->native.looked)
		err = add_json_native(&p->native, out);
	return err ?: buf_add_string(out, "}");
}

int examined_json(const struct examined *e, struct buf *out)
{
	int err = buf_printf(out, "{\"version\":\"%s\",\"can_profile\":%s,\"can_do_all\":%s", PYPERF_VERSION,
			     examined_can_profile(e) ? "true" : "false",
			     examined_is_fit(e) ? "true" : "false");

	err = err ?: buf_add_member(out, "program", e->program) ?: buf_add_string(out, ",\"checks\":[\n");
	for (int i = 0; i < CHECKS && !err; i++)
		err = buf_add_string(out, i ? ",\n" : "") ?:
		      add_json_check(check_rows[i].name, &e->findings[i], out);
	err = err ?: buf_add_string(out, "\n],\"processes\":[\n");
	for (size_t i = 0; i < e->process_count && !err; i++)
		err = buf_add_string(out, i ? ",\n" : "") ?: add_json_process(&e->processes[i], out);
	return err ?: buf_printf(out, "\n],\"unreadable\":%zu}\n", e->unreadable);
}
