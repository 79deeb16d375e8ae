/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loaded.h - the table of machine code (bpf/abi/native.h) of a stopped process, as the agent makes it: by the
 * same functions, and when the sampler asks. After hosted.h.
 */
#ifndef PYPERF_TESTS_LOADED_H
#define PYPERF_TESTS_LOADED_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "elf/rows.h"
#include "kern/texts.h"
#include "names/natives.h"
#include "proc/code_maps.h"
#include "symbols/native_mapping.h"

#define LOADED_BLOCKS (1U << 20)

static struct {
	struct texts texts;
	struct natives *natives;
	struct buf maps;		  /* of code_maps_read() */
	__u32 block, count;		  /* of the mappings */
	__u32 vdso;			  /* text */
	__u32 files[CODE_MAPS_MAX];	  /* of the mappings; NATIVES_FILES_MAX = none */
	__u32 of_file[NATIVES_FILES_MAX]; /* the text of each file; TEXT_NONE: its functions cannot be had */
	unsigned long files_read, regions_read;
} loaded;

static inline int loaded_begin(void)
{
	loaded.texts = (struct texts){ .count = LOADED_BLOCKS, .used = 2, .with_rows = true };
	loaded.texts.blocks = calloc(LOADED_BLOCKS, sizeof(union text_block));
	hosted.texts = loaded.texts.blocks;
	hosted.text_count = LOADED_BLOCKS;
	if (!loaded.texts.blocks)
		return -ENOMEM;
	return native_mapping_add_vdso(&loaded.texts, &loaded.vdso) ?: natives_new(&loaded.natives);
}

static inline struct text_mapping loaded_mapping(const struct code_map *map, __u32 *ret_file)
{
	struct text_mapping m = { map->start, map->end, TEXT_JIT, TEXT_NONE, map->is_writable };
	const struct native_file *f;

	*ret_file = NATIVES_FILES_MAX;
	if (!strcmp(map->path, "[vdso]")) {
		m.position = TEXT_VDSO;
		m.text = loaded.vdso;
	}
	if (!map->file.size || natives_file(loaded.natives, map, ret_file))
		return m;
	f = natives_get(loaded.natives, *ret_file);
	m.position = f->base + map->offset;
	m.text = loaded.of_file[*ret_file];
	return m;
}

static inline int loaded_space(void)
{
	_cleanup_free_ struct text_mapping *mappings = calloc(CODE_MAPS_MAX, sizeof(*mappings));
	struct code_map map = { 0 };
	size_t at = 0;
	int err;

	loaded.count = 0;
	if (!mappings)
		return -ENOMEM;
	while (code_maps_next(loaded.maps.data, loaded.maps.size, &at, &map) > 0) {
		mappings[loaded.count] = loaded_mapping(&map, &loaded.files[loaded.count]);
		loaded.count++;
	}
	err = texts_add_space(&loaded.texts, mappings, loaded.count, &loaded.block);
	if (err)
		return err;
	hosted.process.space = space_number(0, loaded.block);
	hosted_mm.exec_vm = loaded.texts.blocks[loaded.block].space.exec_pages;
	processes_stamp++;
	return 0;
}

/* Reads what is mapped. 0, 1 if that is the same as before, or -errno. */
static inline int loaded_maps(pid_t pid)
{
	_cleanup_buf_ struct buf now = { 0 };
	int err = code_maps_read(pid, &now);

	if (err)
		return err;
	if (now.size == loaded.maps.size && !memcmp(now.data, loaded.maps.data, now.size))
		return 1;
	buf_clear(&loaded.maps);
	return buf_add(&loaded.maps, now.data, now.size) ?: loaded_space();
}

/* The number of the mapping that an address is in; loaded.count if it is in none. */
static inline __u32 loaded_find(__u64 address)
{
	__u32 i = 0;

	while (i < loaded.count && address - texts_mapping(&loaded.texts, loaded.block + 1 + i)->start >=
					   texts_mapping(&loaded.texts, loaded.block + 1 + i)->end -
						   texts_mapping(&loaded.texts, loaded.block + 1 + i)->start)
		i++;
	return i;
}

/* Where an address is in the text space; 0 if in none of the mappings. */
static inline __u64 loaded_position(__u64 address)
{
	const __u32 i = loaded_find(address);
	const struct text_mapping *m = texts_mapping(&loaded.texts, loaded.block + 1 + i);

	if (i == loaded.count)
		return 0;
	return m->position == TEXT_JIT ? m->position : m->position + (address - m->start);
}

/* Whether the code at this address is of the file that has the interpreter's loop. */
static inline bool loaded_is_interpreter(__u64 address)
{
	const __u32 i = loaded_find(address);
	const struct text_mapping *m = texts_mapping(&loaded.texts, loaded.block + 1 + i);

	return i < loaded.count && m->text > TEXT_NONE && loaded.texts.blocks[m->text].text.loop[0].size;
}

static inline void loaded_loop(const struct native_file *f, __u32 text)
{
	const struct functions *all = &f->functions;

	for (__u32 i = 0; i < all->count; i++)
		if (all->list[i].name && natives_is_loop(all->names + all->list[i].name) &&
		    texts_add_loop(&loaded.texts, text, all->list[i].offset,
				   i + 1 < all->count ? all->list[i + 1].offset : all->end))
			return;
}

/* Every mapping of the file leads to what is known of it. */
static inline void loaded_publish(__u32 file, __u32 text)
{
	for (__u32 i = 0; i < loaded.count; i++)
		if (loaded.files[i] == file)
			texts_set_text(&loaded.texts, loaded.block + 1 + i, text);
}

static inline int loaded_functions(int fd, __u32 file)
{
	const struct native_file *f = natives_get(loaded.natives, file);
	_cleanup_buf_ struct buf bytes = { 0 };
	int err = functions_read(fd, -1, &bytes) ?:
		  natives_functions(loaded.natives, file, bytes.data, bytes.size);
	struct text_functions all;

	loaded.files_read++;
	if (err) {
		loaded.of_file[file] = TEXT_NONE;
		loaded_publish(file, TEXT_NONE);
		return 0;
	}
	all = (struct text_functions){ &f->functions.list[0].offset, sizeof(f->functions.list[0]),
				       f->functions.count, f->functions.end };
	err = texts_add_text(&loaded.texts, f->base, &all, &loaded.of_file[file]);
	if (err)
		return err;
	loaded_loop(f, loaded.of_file[file]);
	loaded_publish(file, loaded.of_file[file]);
	return 0;
}

static inline int loaded_rows(int fd, __u32 text, __u32 region)
{
	_cleanup_buf_ struct buf bytes = { 0 };
	struct rows rows;
	int err = rows_read(fd, region, &bytes) ?: rows_parse(bytes.data, bytes.size, &rows);

	loaded.regions_read++;
	if (err)
		return texts_add_rows(&loaded.texts, text, region, NULL, 0);
	return texts_add_rows(&loaded.texts, text, rows.region, rows.words, rows.count);
}

/* Loads what the sampler lacks to know of the code at this address. 0 or -errno. */
static inline int loaded_add(pid_t pid, __u64 address)
{
	const __u32 i = loaded_find(address), file = loaded.files[i];
	const struct text_mapping *m = texts_mapping(&loaded.texts, loaded.block + 1 + i);
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];
	const struct native_file *f;

	if (i == loaded.count || file == NATIVES_FILES_MAX)
		return -ENOENT;
	f = natives_get(loaded.natives, file);
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, f->path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (m->text == TEXT_NOT_LOADED)
		return loaded_functions(fd, file);
	return loaded_rows(fd, loaded.of_file[file],
			   (m->position + (address - m->start) - f->base) >> REGION_SHIFT);
}

#endif
