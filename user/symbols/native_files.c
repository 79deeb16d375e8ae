// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/native_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "kern/texts.h"
#include "names/natives.h"

#define FAILURES_MAX 3 /* of a file that ends who reads it, or makes them late */

int native_files_open(struct native_files *f, struct natives *natives, struct texts *texts)
{
	struct native_target *list = calloc(NATIVES_FILES_MAX, sizeof(*list));

	if (!list)
		return -ENOMEM;
	*f = (struct native_files){ .natives = natives, .texts = texts, .list = list };
	return 0;
}

void native_files_close(struct native_files *f)
{
	free(f->list);
	f->list = NULL;
}

struct native_target *native_files_get(struct native_files *f, __u32 file)
{
	struct native_target *t = &f->list[file];
	const __u32 serial = natives_serial(f->natives, file);

	if (t->serial != serial)
		*t = (struct native_target){ .serial = serial };
	return t;
}

__u32 native_files_text(const struct native_files *f, __u32 file)
{
	const struct native_target *t = &f->list[file];

	if (t->serial != natives_serial(f->natives, file))
		return TEXT_NOT_LOADED;
	return t->state == NATIVE_NAMELESS ? TEXT_NONE : t->text;
}

void native_files_unload(struct native_files *f)
{
	for (__u32 i = 0; i < NATIVES_FILES_MAX; i++)
		f->list[i].text = 0;
}

/* Says where in a file with this text the interpreter's loop is. */
static void mark_loop(const struct native_files *f, const struct functions *list, __u32 text)
{
	for (__u32 i = 0; i < list->count; i++)
		if (list->list[i].name && natives_is_loop(list->names + list->list[i].name) &&
		    texts_add_loop(f->texts, text, list->list[i].offset,
				   i + 1 < list->count ? list->list[i + 1].offset : list->end))
			return; /* more parts than a loop has that is looked for by its name */
}

int native_files_load(struct native_files *f, __u32 file)
{
	const struct native_file *known = natives_get(f->natives, file);
	const struct functions *list = &known->functions;
	struct native_target *t = native_files_get(f, file);
	const struct text_functions functions = { &list->list[0].offset, sizeof(list->list[0]), list->count,
						  list->end };
	int err;

	if (t->text)
		return 0;
	err = texts_add_text(f->texts, known->base, &functions, &t->text);
	if (!err)
		mark_loop(f, list, t->text);
	return err;
}

/*
 * Whether the file itself is the reason, or seems to be. A worker or a parser that was killed, or had no time
 * or memory, says nothing of the file that it was asked about, unless that happens again and again.
 */
static bool is_final_for_file(struct native_target *t, int err)
{
	return err == -ENOEXEC || err == -EBADMSG || err == -E2BIG || err == -ENOSPC ||
	       ++t->failures == FAILURES_MAX;
}

int native_files_take(struct native_files *f, __u32 file, int err, const void *bytes, size_t size)
{
	struct native_target *t = native_files_get(f, file);

	if (!err) {
		err = natives_functions(f->natives, file, bytes, size);
		t->no_room = err == -ENOSPC;
	}
	if (t->no_room)
		complain(&f->no_room,
			 "there is no room for the names of more files with native code (%d MiB): in others "
			 "a place is file and offset",
			 NATIVES_BYTES_MAX >> 20);
	if (!err) {
		t->state = NATIVE_KNOWN;
	} else if (err == -ESRCH || err == -ESTALE || err == -ENOENT || !is_final_for_file(t, err)) {
		/*
		 * The file is not there any more, but another process may have it; or it can be tried again.
		 */
		t->state = NATIVE_NEW;
	} else {
		t->state = NATIVE_NAMELESS;
		log_debug("%s has no names of functions: %s", natives_get(f->natives, file)->path,
			  strerror(-err));
	}
	return err;
}

__u32 native_files_retry(struct native_files *f, __u32 ret[NATIVE_FILES_RETRIED])
{
	__u32 count = 0;

	for (__u32 i = 0; i < NATIVES_FILES_MAX && count < NATIVE_FILES_RETRIED; i++) {
		struct native_target *t = native_files_get(f, i);

		if (!t->no_room)
			continue;
		t->no_room = false;
		t->state = NATIVE_NEW;
		ret[count++] = i;
	}
	complaint_over(&f->no_room, NULL);
	return count;
}
