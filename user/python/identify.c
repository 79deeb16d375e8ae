// SPDX-License-Identifier: GPL-2.0-only
/*
 * identify.c - finds mapped files with a Python runtime or its asyncio, computes where it is loaded, asks it
 * or the tables for the offsets, and has them proved (proof.c). Maps, files and memory are the target's:
 * hostile.
 */
#include "python/identify.h"

#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/path.h"
#include "proc/procfs.h"
#include "proc/remote.h"
#include "python/asyncio_layout.h"
#include "python/asyncio_search.h"
#include "python/binaries.h"
#include "python/debug_offsets.h"
#include "python/proof.h"
#include "python/task_layout.h"
#include "python/variables.h"

#define CANDIDATES_MAX 8    /* binaries with a runtime or asyncio in one process; more than two are rare */
#define SEEN_SLOTS     4096 /* a power of two; half of it is the limit of files looked at */

#define FIRST_WITH_RUNTIME 0x0307 /* PY_VERSION_HEX >> 16 of the first CPython with _PyRuntime */

#ifdef __aarch64__
#define HOST_MACHINE EM_AARCH64
#else
#define HOST_MACHINE EM_X86_64
#endif

/* There must be no padding, because it is hashed as bytes. */
struct candidate_file {
	__u64 device;
	__u64 inode;
};

struct candidate {
	struct candidate_file file;
	struct image image;
	bool has_bias;
	__u64 code;    /* bytes of the executable mapping that the bias comes from; 0 = of another one */
	bool writable; /* the runtime's address is in a writable mapping */
	__u64 bias;
	__u64 asyncio; /* address of .AsyncioDebug, in a writable mapping; 0 = none */
	char path[IDENTITY_PATH_SIZE];
};

struct scan {
	pid_t tid;
	unsigned int seen_count;
	unsigned int failed; /* files that could not be read, ... */
	int error;	     /* ... and why not the last of them */
	unsigned int candidate_count;
	struct candidate candidates[CANDIDATES_MAX];
	struct candidate_file seen[SEEN_SLOTS]; /* open addressing; inode 0 = free */
};

static bool same_file(const struct candidate_file *file, const struct procfs_map *map)
{
	return file->inode == map->inode && file->device == map->device;
}

/*
 * Whether the file was met before. If not, it is noted. When the table is half full, every file counts as
 * met.
 */
static bool seen_file(struct scan *scan, const struct procfs_map *map)
{
	const struct candidate_file file = { map->device, map->inode };
	unsigned int i = hash_bytes(&file, sizeof(file)) & (SEEN_SLOTS - 1);

	for (; scan->seen[i].inode; i = (i + 1) & (SEEN_SLOTS - 1)) {
		if (same_file(&scan->seen[i], map))
			return true;
	}
	if (scan->seen_count >= SEEN_SLOTS / 2)
		return true;
	scan->seen_count++;
	scan->seen[i] = file;
	return false;
}

/* 0 whatever the file is; -EAGAIN: there is no time left to read it. */
static int add_candidate(struct scan *scan, const struct procfs_map *map)
{
	struct candidate *candidate;
	const struct image *image;
	int err = binaries_get(scan->tid, map, &image);

	if (err == -EAGAIN)
		return err;
	if (err == -EMEDIUMTYPE) /* a device: no program comes from there */
		return 0;
	if (err) {
		scan->failed++;
		scan->error = err;
		return 0;
	}
	if (!image || image->machine != HOST_MACHINE || scan->candidate_count == CANDIDATES_MAX)
		return 0;
	candidate = &scan->candidates[scan->candidate_count++];
	candidate->file = (struct candidate_file){ map->device, map->inode };
	candidate->image = *image;
	snprintf(candidate->path, sizeof(candidate->path), "%.*s", IDENTITY_PATH_SIZE - 1, map->path);
	return 0;
}

/*
 * The largest executable mapping tells best where a file is loaded, the mapping of its headers second best.
 * There may be small ones elsewhere: libffi (src/tramp.c, from 3.4 on) maps a page of its code once more for
 * each few callbacks, and python-build-standalone has libffi in libpython.
 */
static void locate(struct candidate *candidate, const struct procfs_map *map)
{
	const __u64 code = map->execute ? map->end - map->start : 0;
	__u64 bias;

	if (candidate->has_bias && code <= candidate->code)
		return;
	if (image_bias(&candidate->image, map->start, map->offset, map->execute, &bias))
		return;
	candidate->bias = bias;
	candidate->has_bias = true;
	candidate->code = code;
}

static int visit_files(const struct procfs_map *map, void *context)
{
	struct scan *scan = context;
	int err = 0;

	if (!map->inode || (!map->execute && map->offset))
		return 0;
	if (!seen_file(scan, map))
		err = add_candidate(scan, map);
	if (err)
		return err;
	for (unsigned int i = 0; i < scan->candidate_count; i++) {
		if (same_file(&scan->candidates[i].file, map))
			locate(&scan->candidates[i], map);
	}
	return 0;
}

/* Else it is a library that only has asyncio. */
static bool has_runtime(const struct candidate *candidate)
{
	return candidate->image.runtime || candidate->image.old_thread;
}

static __u64 runtime_address(const struct candidate *candidate)
{
	const struct image *image = &candidate->image;

	return candidate->bias + (image->runtime ? image->runtime : image->old_thread);
}

static bool is_in(const struct procfs_map *map, __u64 address)
{
	return address >= map->start && address < map->end;
}

static int visit_writable(const struct procfs_map *map, void *context)
{
	struct scan *scan = context;

	for (unsigned int i = 0; map->write && i < scan->candidate_count; i++) {
		struct candidate *candidate = &scan->candidates[i];
		const __u64 asyncio = candidate->bias + candidate->image.asyncio;

		if (!candidate->has_bias)
			continue;
		if (has_runtime(candidate) && is_in(map, runtime_address(candidate)))
			candidate->writable = true;
		if (candidate->image.asyncio && is_in(map, asyncio))
			candidate->asyncio = asyncio;
	}
	return 0;
}

static void __attribute__((format(printf, 3, 4)))
refuse(struct identity *identity, const struct candidate *candidate, const char *format, ...)
{
	va_list arguments;

	identity->verdict = VERDICT_NO_LAYOUT;
	if (!identity->hexversion)
		identity->hexversion = candidate->image.version;
	va_start(arguments, format);
	vsnprintf(identity->reason, sizeof(identity->reason), format, arguments);
	va_end(arguments);
}

static void ask_runtime(pid_t tid, const struct candidate *candidate, struct identity *identity)
{
	__u32 version = candidate->image.version;
	__u8 bytes[DEBUG_OFFSETS_MAX];
	const char *reason;
	ssize_t n;
	int err;

	n = remote_read_some(tid, identity->runtime, bytes, sizeof(bytes));
	if (n < 0) {
		refuse(identity, candidate, "debug offsets cannot be read: %s", strerror(-n));
		return;
	}
	err = debug_offsets_parse(bytes, n, &identity->layout, &reason);
	if (err == -EBADMSG && !version)
		refuse(identity, candidate, "CPython older than 3.11, and its version is not certain");
	else if (err)
		refuse(identity, candidate, "%s", reason);
	else if (version && version != identity->layout.version)
		refuse(identity, candidate, "debug offsets: version is not that of the binary");
	else
		identity->verdict = VERDICT_PYTHON;
	if (identity->verdict != VERDICT_PYTHON)
		return;
	identity->hexversion = identity->layout.version;
	snprintf(identity->reason, sizeof(identity->reason), "%s", reason ? reason : "");
}

static void choose_layout(pid_t tid, const struct candidate *candidate, struct identity *identity)
{
	__u32 version = candidate->image.version;
	const struct layout *layout = layout_for_version(version, false);
	bool variables = version && version >> 16 < FIRST_WITH_RUNTIME;

	if (!candidate->image.runtime && !version) {
		refuse(identity, candidate, "CPython older than 3.7, and its version is not certain");
	} else if (version && variables != !candidate->image.runtime) {
		refuse(identity, candidate, "the binary's symbols are not those of its version");
	} else if (layout) {
		identity->layout = *layout;
		identity->hexversion = version;
		identity->verdict = VERDICT_PYTHON;
		if (variables)
			identity->runtime =
				variables_address(tid, &candidate->image, candidate->bias, &identity->layout);
	} else if (version && !layout_model(version)) {
		refuse(identity, candidate, "%s", layout_refusal(version, false));
	} else {
		ask_runtime(tid, candidate, identity);
	}
}

/* The kernel's mm->start_code, as the file has it: fs/binfmt_elf.c. */
static __u64 first_code(const struct image *image)
{
	__u64 first = UINT64_MAX;

	for (int i = 0; i < image->load_count; i++)
		if (image->load[i].flags & PF_X && image->load[i].address < first)
			first = image->load[i].address;
	return first;
}

static void describe(const struct candidate *candidate, struct identity *identity)
{
	const struct image *image = &candidate->image;

	identity->device = candidate->file.device;
	identity->inode = candidate->file.inode;
	if (image->runtime && first_code(image) != UINT64_MAX)
		identity->from_code = image->runtime - first_code(image);
	for (int i = 0; i < image->build_id_size; i++)
		snprintf(identity->build_id + 2 * i, 3, "%02x", image->build_id[i]);
	memcpy(identity->path, candidate->path, sizeof(identity->path));
	if (identity->hexversion)
		layout_version_string(identity->hexversion, identity->layout.free_threaded,
				      identity->version);
}

/*
 * Returns how much the verdict is worth, or -errno. An interpreter that runs is worth more than one that is
 * merely mapped.
 */
static int judge(pid_t tid, const struct candidate *candidate, struct identity *identity)
{
	const char *reason;
	int proof, rank = 1;

	identity->runtime = runtime_address(candidate);
	choose_layout(tid, candidate, identity);
	if (identity->verdict == VERDICT_PYTHON) {
		proof = proof_of_layout(tid, &identity->layout, identity->runtime, &reason);
		if (proof == -EPROTO)
			refuse(identity, candidate, "%s", reason);
		else if (proof < 0)
			return proof;
		else if (proof == PROOF_NOT_YET)
			identity->verdict = VERDICT_UNPROVED;
		rank = proof == PROOF_HOLDS ? 3 : proof == PROOF_NOT_YET ? 2 : 1;
	}
	describe(candidate, identity);
	return rank;
}

static const struct candidate *first_runtime(const struct scan *scan)
{
	for (unsigned int i = 0; i < scan->candidate_count; i++)
		if (has_runtime(&scan->candidates[i]))
			return &scan->candidates[i];
	return NULL;
}

/* Why nothing in the process is a runtime. */
static void explain(const struct scan *scan, char reason[IDENTITY_REASON_SIZE])
{
	const struct candidate *c = first_runtime(scan);
	const char *where = c && c->has_bias ? "no writable mapping has it" : "no mapping has its code";

	if (c)
		snprintf(reason, IDENTITY_REASON_SIZE, "the runtime of %.40s is not in its memory: %s",
			 base_name(c->path), where);
	else if (scan->failed)
		snprintf(reason, IDENTITY_REASON_SIZE, "of %u mapped files %u could not be read (%s)",
			 scan->seen_count, scan->failed, strerror(-scan->error));
	else
		snprintf(reason, IDENTITY_REASON_SIZE, "none of %u mapped files has a CPython runtime",
			 scan->seen_count);
}

/* The interpreter's own asyncio, or a library's; 0 = it has not been imported, or is older than 3.14. */
static __u64 find_asyncio(const struct scan *scan, const struct candidate *chosen)
{
	for (unsigned int i = 0; i < scan->candidate_count && !chosen->asyncio; i++)
		if (scan->candidates[i].asyncio && !has_runtime(&scan->candidates[i]))
			return scan->candidates[i].asyncio;
	return chosen->asyncio;
}

/* A program that the loader had to find libpython for is mapped below its libraries. */
static void find_program(const struct scan *scan, struct identity *identity)
{
	for (unsigned int i = 0; i < scan->candidate_count && !identity->needs_inode; i++) {
		if (!scan->candidates[i].image.needs_python)
			continue;
		identity->needs_device = scan->candidates[i].file.device;
		identity->needs_inode = scan->candidates[i].file.inode;
	}
}

static int choose(const struct scan *scan, struct identity *ret)
{
	struct identity identity;
	int best = 0, rank;

	for (unsigned int i = 0; i < scan->candidate_count; i++) {
		if (!scan->candidates[i].writable)
			continue;
		memset(&identity, 0, sizeof(identity));
		rank = judge(scan->tid, &scan->candidates[i], &identity);
		find_program(scan, &identity);
		if (rank < 0)
			return rank;
		if (rank > best) {
			best = rank;
			identity.asyncio = find_asyncio(scan, &scan->candidates[i]);
			*ret = identity;
		}
	}
	if (!best)
		explain(scan, ret->reason);
	return 0;
}

int identify(pid_t pid, __u64 start_ticks, struct identity *ret)
{
	struct identity identity = { .verdict = VERDICT_NOT_PYTHON };
	_cleanup_free_ struct scan *scan = calloc(1, sizeof(*scan));
	int err;

	if (!scan)
		return -ENOMEM;
	err = procfs_check_start(pid, start_ticks);
	if (!err)
		err = procfs_memory_tid(pid, &scan->tid);
	if (!err)
		err = procfs_check_access(scan->tid);
	if (!err)
		err = procfs_maps(scan->tid, visit_files, scan);
	if (!err && scan->candidate_count)
		err = procfs_maps(scan->tid, visit_writable, scan);
	if (err)
		return err;
	err = choose(scan, &identity);
	if (!err)
		err = procfs_check_start(pid, start_ticks);
	if (err)
		return err;
	*ret = identity;
	return 0;
}

void identify_tasks(pid_t pid, struct identity *i)
{
	struct asyncio_layout layout;
	pid_t tid;

	if (procfs_memory_tid(pid, &tid))
		return;
	if (layout_task_facts(&i->layout))
		i->asyncio = asyncio_search_module(tid, &i->layout, i->runtime);
	if (i->asyncio && !asyncio_layout_read(tid, &i->layout, i->runtime, i->asyncio, &layout))
		task_layout_make(&layout, &i->tasks);
}
