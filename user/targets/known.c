// SPDX-License-Identifier: GPL-2.0-only
#include "targets/known.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "kern/known_programs.h"
#include "kern/process_table.h"
#include "python/identify.h"
#include "targets/registry.h"

static bool is_same_file(const struct program_file *a, const struct program_file *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static const struct known_file *find_known(const struct known *k, const struct program_file *file)
{
	for (size_t i = 0; i < k->count; i++)
		if (is_same_file(&k->files[i].file, file))
			return &k->files[i];
	return NULL;
}

/* That the worker names the same file also says that the process has not begun another program since. */
static bool is_file(const struct program_file *file, __u64 device, __u64 inode)
{
	return file->inode && file->inode == inode &&
	       makedev(file->device >> 20, file->device & 0xfffff) == device;
}

static void release(struct known_file *f)
{
	free(f->binary);
	free(f->build_id);
	*f = (struct known_file){};
}

/* The place for another one: that of the oldest if there is no other. */
static struct known_file *make_room(struct known *k)
{
	struct known_file *f;

	if (k->count < KNOWN_PROGRAMS)
		return &k->files[k->count++];
	f = &k->files[k->oldest];
	k->oldest = (k->oldest + 1) % KNOWN_PROGRAMS;
	kernel_forget_program(k->kernel, &f->file);
	release(f);
	return f;
}

void known_learn(struct known *k, const struct program_file *file, const struct identity *i, __u32 layout)
{
	const bool own = i->from_code && is_file(file, i->device, i->inode);
	const struct known_program p = { own ? i->from_code : 0, layout, !own };
	struct known_file *f;

	if (i->verdict != VERDICT_PYTHON || (!own && !is_file(file, i->needs_device, i->needs_inode)))
		return;
	if (!find_known(k, file)) {
		f = make_room(k);
		f->file = *file;
		f->elsewhere = !own;
		f->device = i->device;
		f->inode = i->inode;
		f->binary = strdup(i->path);
		f->build_id = strdup(i->build_id);
	}
	kernel_know_program(k->kernel, file, &p);
}

int known_register(const struct known *k, struct registry *registry, const struct record_known *e,
		   bool *ret_elsewhere)
{
	const struct known_file *f = find_known(k, &e->process.file);
	const struct registry_entry *before = registry_find(registry, e->before);
	struct registry_entry entry = {
		.id = e->id,
		.pid = e->process.pid,
		.start_time = e->process.start_time,
		.user = e->process.user,
		.layout = e->layout,
	};

	if (!f)
		return -ENOENT;
	entry.binary = f->binary ?: "";
	entry.build_id = f->build_id ?: "";
	for (int i = 0; before && i < LABEL_COUNT; i++)
		if (label_rows[i].origin == ORIGIN_CONTAINER) /* an exec does not leave it */
			entry.label[i] = before->label[i];
	memcpy(entry.comm, e->process.comm, sizeof(entry.comm));
	*ret_elsewhere = f->elsewhere;
	return registry_add(registry, &entry);
}

/* Whether the runtime is in the library in which the layout was proved. */
static bool is_library_of(const struct known_file *f, const struct identity *i)
{
	return f && f->inode == i->inode && f->device == i->device && f->build_id &&
	       !strcmp(f->build_id, i->build_id);
}

bool known_holds(const struct known *k, const struct record_process *p, const struct identity *i)
{
	struct process now;
	struct layout layout;

	return i->verdict == VERDICT_UNPROVED && !kernel_get_process(k->kernel, p->pid, &now) &&
	       now.state == PROCESS_PYTHON && now.start_time == p->start_time && now.exec_id == p->exec_id &&
	       (now.runtime ? now.runtime == i->runtime : is_library_of(find_known(k, &p->file), i)) &&
	       !kernel_get_layout(k->kernel, now.layout, &layout) &&
	       !memcmp(&layout, &i->layout, sizeof(layout));
}

void known_forget(struct known *k)
{
	for (size_t i = 0; i < k->count; i++)
		kernel_forget_program(k->kernel, &k->files[i].file);
	known_free(k);
	k->count = k->oldest = 0;
}

void known_free(struct known *k)
{
	for (size_t i = 0; i < k->count; i++)
		release(&k->files[i]);
}
