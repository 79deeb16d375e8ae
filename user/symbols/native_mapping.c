// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/native_mapping.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "elf/rows.h"
#include "kern/texts.h"
#include "names/natives.h"
#include "symbols/jit_names.h"
#include "symbols/native_files.h"
#include "symbols/native_spaces.h"

#define VDSO_END (TEXT_JIT - TEXT_VDSO) /* it has some pages */

int native_mapping_add_vdso(struct texts *t, __u32 *ret)
{
	static const __u32 begin = 0;
	const struct text_functions whole = { &begin, sizeof(begin), 1, VDSO_END };
	_cleanup_buf_ struct buf bytes = { 0 };
	struct rows rows;
	__u32 text;
	int err = rows_read_vdso(0, &bytes);

	err = err ?: rows_parse(bytes.data, bytes.size, &rows);
	err = err ?: texts_add_text(t, TEXT_VDSO, &whole, &text);
	err = err ?: texts_add_rows(t, text, 0, rows.words, rows.count);
	if (!err)
		*ret = text;
	return err;
}

/* The text of the kernel's page of code, which is added when it is first met. */
static __u32 vdso_text(struct native_mappings *m)
{
	if (m->vdso == TEXT_NOT_LOADED &&
	    (!m->texts->with_rows || native_mapping_add_vdso(m->texts, &m->vdso)))
		m->vdso = TEXT_NONE;
	return m->vdso;
}

static void of_memory(struct native_mappings *m, __u32 process, const struct code_map *map,
		      struct text_mapping *ret)
{
	ret->position = TEXT_JIT;
	if (!strcmp(map->path, "[vdso]")) {
		ret->position = TEXT_VDSO;
		ret->text = vdso_text(m);
	} else if (map->file.inode) {
		m->lacks |= jit_names_met(m->jit_names, process, map, &ret->position) == -ENOSPC;
	}
}

static void of_file(struct native_mappings *m, const struct code_map *map, struct text_mapping *ret,
		    __u32 *ret_file)
{
	int err;

	if (!map->file.size || map->offset >= map->file.size) {
		ret->position = NATIVE_FILE_NOT_REACHED;
	} else if ((err = natives_file(m->natives, map, ret_file))) {
		ret->position = NATIVE_FILE_NO_ROOM;
		m->lacks |= err == -ENOSPC;
		complain(&m->no_room,
			 "there is no room for more files with native code: what runs in others is "
			 "[native file without room]; with fewer processes selected there is more");
		log_debug("no room for %s", map->path);
	} else {
		ret->position = natives_get(m->natives, *ret_file)->base + map->offset;
		ret->text = native_files_text(m->files, *ret_file);
	}
}

struct text_mapping native_mapping(struct native_mappings *m, __u32 process, const struct code_map *map,
				   __u32 *ret_file)
{
	struct text_mapping ret = { map->start, map->end, 0, TEXT_NONE, map->is_writable };

	*ret_file = NATIVE_NO_FILE;
	if (map->is_memory)
		of_memory(m, process, map, &ret);
	else
		of_file(m, map, &ret, ret_file);
	return ret;
}
