// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_identify.c - this process maps forged interpreters the way the loader does and asks about itself.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "proc/procfs.h"
#include "python/binaries.h"
#include "python/identify.h"
#include "tests/forge/all_rights.h"
#include "tests/forge/interpreter.h"
#include "tests/forge/test.h"
#include "tests/unit/elf/forge_elf.h"
#include "tests/unit/python/forge_offsets.h"

#define SPAN 0x5000

static struct forge f;

struct loaded {
	unsigned char *base;
	__u64 *runtime;
};

static void map_at(unsigned char *at, size_t size, int protection, int fd, off_t offset)
{
	assert_ptr_equal(mmap(at, size, protection, MAP_PRIVATE | MAP_FIXED, fd, offset), at);
}

static unsigned char *reserve(size_t size)
{
	unsigned char *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	return at;
}

static struct loaded load_file(unsigned char *base, int fd, size_t text, int protection)
{
	map_at(base, 0x1000, PROT_READ, fd, 0);
	map_at(base + FORGE_TEXT, text, PROT_READ | PROT_EXEC, fd, FORGE_TEXT);
	map_at(base + FORGE_DATA + FORGE_SHIFT, 0x1000, protection, fd, FORGE_DATA);
	return (struct loaded){ base, (__u64 *)(base + FORGE_RUNTIME_ADDRESS) };
}

/* It has no name, and so is opened by its mapping (proc/safe_open.c). */
static int make_file(const struct forge *forge)
{
	need_all_rights();
	return forge_write(forge, FORGE_SIZE);
}

static struct loaded load_at(const struct forge *forge, int protection)
{
	_cleanup_close_ int fd = make_file(forge);

	return load_file(reserve(SPAN), fd, 0x1000, protection);
}

static struct loaded load(const struct forge *forge)
{
	return load_at(forge, PROT_READ | PROT_WRITE);
}

static void unload(struct loaded *loaded)
{
	munmap(loaded->base, SPAN);
}

static struct identity ask(void)
{
	struct identity identity;
	__u64 ticks;

	memset(&identity, 0xee, sizeof(identity));
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	assert_int_equal(identify(getpid(), ticks, &identity), 0);
	return identity;
}

/* The interpreter that the runtime is of begins to run. */
static void start_interpreter(const struct loaded *loaded, __u32 hexversion)
{
	const struct layout *l = layout_for_version(hexversion, false);

	py_begin_layout(l ? l : &layout_find(hexversion)->layout);
	py_start_this_thread();
	loaded->runtime[py.l.runtime_interpreters / 8] = py_address(py.interp);
}

static void start_threads(const struct loaded *loaded, __u32 hexversion)
{
	start_interpreter(loaded, hexversion);
	py_push(&py.threads[0], py_code("main"), 3);
	py_push(&py.threads[0], py_code("App.work"), 7);
}

static void assert_no_python(const char *reason)
{
	const struct identity identity = ask();

	assert_int_equal(identity.verdict, VERDICT_NOT_PYTHON);
	assert_non_null(strstr(identity.reason, reason));
}

TEST(not_python)
{
	struct identity identity = { .verdict = 77 };
	__u64 ticks;

	assert_no_python(" mapped files has a CPython runtime");
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	assert_int_equal(identify(getpid(), ticks + 1, &identity), -ESRCH);
	assert_int_equal(identify(getpid(), 0, &identity), -ESRCH);
	assert_int_equal(identify(INT_MAX, ticks, &identity), -ESRCH);
	assert_int_equal(identify(0, 0, &identity), -ESRCH);
	assert_int_equal(identity.verdict, 77);
}

TEST(tables)
{
	static const __u32 versions[] = { 0x030b07f0, 0x030c03f0 };
	struct identity identity;
	struct loaded loaded;

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		forge_python(&f, versions[i]);
		loaded = load(&f);
		identity = ask(); /* not initialised yet */
		assert_int_equal(identity.verdict, VERDICT_UNPROVED);
		assert_int_equal(identity.layout.version, versions[i]);
		start_interpreter(&loaded, versions[i]);
		assert_int_equal(ask().verdict, VERDICT_UNPROVED);
		start_threads(&loaded, versions[i]);
		identity = ask();
		assert_int_equal(identity.verdict, VERDICT_PYTHON);
		assert_int_equal(identity.runtime, (uintptr_t)loaded.runtime);
		assert_int_equal(identity.layout.version, versions[i]);
		assert_int_equal(identity.hexversion, versions[i]);
		assert_string_equal(identity.version, i ? "3.12.3" : "3.11.7");
		assert_string_equal(identity.build_id, "abababababababababababababababababababab");
		assert_string_equal(identity.path, "/memfd:forged");
		assert_string_equal(identity.reason, "");
		unload(&loaded);
	}
}

/* Up to 3.10 the version is what the binary's texts say. */
TEST(old_versions)
{
	static const struct {
		const char *tag, *text;
		__u32 hexversion;
	} cases[] = { { "cpython-310", "3.10.13", 0x030a0df0 },
		      { "cpython-39", "3.9.2", 0x030902f0 },
		      { "cpython-38", "3.8.18", 0x030812f0 },
		      { "cpython-37", "3.7.3", 0x030703f0 },
		      { "cpython-37", "3.7.16", 0x030710f0 } };
	struct identity identity;
	struct loaded loaded;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		forge_old_python(&f, cases[i].tag, cases[i].text);
		loaded = load(&f);
		assert_int_equal(ask().verdict, VERDICT_UNPROVED);
		start_threads(&loaded, cases[i].hexversion);
		identity = ask();
		assert_int_equal(identity.verdict, VERDICT_PYTHON);
		assert_int_equal(identity.runtime, (uintptr_t)loaded.runtime);
		assert_int_equal(identity.hexversion, cases[i].hexversion);
		assert_string_equal(identity.version, cases[i].text);
		loaded.runtime[identity.layout.runtime_interpreters / 8] = 4;
		assert_int_equal(ask().verdict, VERDICT_NO_LAYOUT);
		unload(&loaded);
	}
}

/* 2.7, 3.6: two variables, of which a stripped file only names the thread state of the GIL's holder. */
static void two_variables(const char *tag, const char *text, __u32 hexversion, bool stripped)
{
	struct identity identity;
	struct loaded loaded;

	forge_old_python(&f, tag, text);
	if (stripped)
		*(char *)memmem(f.bytes, FORGE_SIZE, "interp_head", 11) = 'x';
	loaded = load(&f);
	assert_int_equal(ask().verdict, VERDICT_UNPROVED); /* before the interpreter starts */
	start_threads(&loaded, hexversion);
	memset(loaded.runtime, 0, 8);
	loaded.runtime[2] = py_address(py.interp);
	loaded.runtime[4] = py_address(py.threads[0].tstate);
	identity = ask();
	assert_int_equal(identity.verdict, VERDICT_PYTHON);
	assert_int_equal(identity.hexversion, hexversion);
	assert_string_equal(identity.version, text);
	assert_int_equal(identity.runtime + identity.layout.runtime_tstate, (uintptr_t)(loaded.runtime + 4));
	assert_int_equal(identity.layout.runtime_tstate, 24);
	assert_int_equal(identity.layout.runtime_interpreters, stripped ? 0 : 8);
	assert_int_equal(identity.layout.runtime_main, stripped ? 8 : 0);
	loaded.runtime[4] = 0; /* nobody holds the GIL */
	assert_int_equal(ask().verdict, VERDICT_PYTHON);
	loaded.runtime[4] = py_address(py.threads[0].tstate);
	forge_put(py.threads[0].tstate, py.l.tstate_interp, 8, 8);
	assert_int_equal(ask().verdict, VERDICT_NO_LAYOUT);
	loaded.runtime[2] = loaded.runtime[4] = 0; /* there is no interpreter any more */
	assert_int_equal(ask().verdict, VERDICT_UNPROVED);
	unload(&loaded);
}

TEST(variables)
{
	for (int stripped = 0; stripped < 2; stripped++) {
		two_variables("cpython-36", "3.6.15", 0x03060ff0, stripped);
		two_variables("", "2.7.18", 0x020712f0, stripped);
	}
}

TEST(live_offsets)
{
	struct identity identity;
	struct loaded loaded;
	__u64 words[128];

	forge_python(&f, 0x030d00f0);
	loaded = load(&f);
	forge_offsets(0x030d00f0, false, words);
	memcpy(loaded.runtime, words, 584);
	start_threads(&loaded, 0x030d00f0);
	identity = ask();
	assert_int_equal(identity.verdict, VERDICT_PYTHON);
	assert_int_equal(identity.layout.runtime_interpreters, 632);
	assert_string_equal(identity.version, "3.13.0");
	unload(&loaded);

	/* Without Py_Version the table alone tells. */
	forge_python(&f, 0);
	loaded = load(&f);
	forge_offsets(0x030e06f0, false, words);
	memcpy(loaded.runtime, words, 760);
	start_threads(&loaded, 0x030e06f0);
	identity = ask();
	assert_int_equal(identity.verdict, VERDICT_PYTHON);
	assert_int_equal(identity.hexversion, 0x030e06f0);
	unload(&loaded);
}

static void refuse(__u32 binary_version, const __u64 *words, const char *reason)
{
	struct identity identity;
	struct loaded loaded;

	forge_python(&f, binary_version);
	loaded = load(&f);
	if (words)
		memcpy(loaded.runtime, words, 1024);
	identity = ask();
	assert_int_equal(identity.verdict, VERDICT_NO_LAYOUT);
	assert_string_equal(identity.reason, reason);
	assert_string_equal(identity.path, "/memfd:forged");
	unload(&loaded);
}

static void refuse_forged(const char *reason)
{
	struct loaded loaded = load(&f);
	struct identity identity = ask();

	assert_int_equal(identity.verdict, VERDICT_NO_LAYOUT);
	assert_string_equal(identity.reason, reason);
	unload(&loaded);
}

TEST(refusals_of_old)
{
	static const char contradiction[] = "the binary's symbols are not those of its version";

	forge_old_python(&f, "cpython-310", "3.9.2");
	refuse_forged("CPython older than 3.11, and its version is not certain");
	forge_old_python(&f, "cpython-310", "3.10.0rc1");
	refuse_forged("pre-release of CPython");
	forge_old_python(&f, "cpython-36", "2.7.18");
	refuse_forged("CPython older than 3.7, and its version is not certain");
	forge_old_python(&f, "", "3.6.15");
	refuse_forged("CPython older than 3.7, and its version is not certain");
	forge_old_python(&f, "", "2.7.18rc1");
	refuse_forged("pre-release of CPython");
	/* The variables of 3.6 in 3.9, and 3.6 without them. */
	forge_old_python(&f, "cpython-36", "3.9.18");
	forge_string(&f, 1, "cpython-39");
	refuse_forged(contradiction);
	forge_old_python(&f, "cpython-39", "3.6.15");
	forge_string(&f, 1, "cpython-36");
	refuse_forged(contradiction);
}

TEST(refusals)
{
	__u64 words[128];

	refuse(0, NULL, "CPython older than 3.11, and its version is not certain");
	refuse(0x03050af0, NULL, "the binary's symbols are not those of its version");
	refuse(0x030c00c1, NULL, "pre-release of CPython");
	refuse(0x030d00f0, NULL, "no debug offsets at _PyRuntime");
	forge_offsets(0x030f02f0, false, words);
	words[1] = 0x040000f0;
	refuse(0x040000f0, words, "version of CPython without a known layout");
	refuse(0, words, "version of CPython without a known layout");
	forge_offsets(0x030d00f0, false, words);
	refuse(0x030d01f0, words, "debug offsets: version is not that of the binary");
	words[2] = 1; /* the numbers of the other build */
	refuse(0x030d00f0, words, "debug offsets: bad interpreter_state.gil_runtime_state_holder");
	words[2] = 0;
	words[3] = 0;
	refuse(0x030d00f0, words, "debug offsets: bad runtime_state.size");
}

/* A layout that the running interpreter contradicts is not used; test_proof.c has all the ways to. */
TEST(contradicted)
{
	struct identity identity;
	struct loaded loaded;

	forge_python(&f, 0x030c01f0);
	loaded = load(&f);
	start_threads(&loaded, 0x030c01f0);
	forge_put(py.threads[0].tstate, py.l.tstate_interp, 0, 8);
	identity = ask();
	assert_int_equal(identity.verdict, VERDICT_NO_LAYOUT);
	assert_string_equal(identity.reason, "the thread list is not where this version has it");
	assert_string_equal(identity.version, "3.12.1");
	unload(&loaded);
}

/* Mapped, but not loaded: as a file is mapped by whoever inspects it. */
TEST(merely_mapped)
{
	_cleanup_close_ int fd = -1;
	struct loaded loaded;
	void *whole;

	forge_python(&f, 0x030c01f0);
	fd = make_file(&f);
	whole = mmap(NULL, FORGE_SIZE, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_no_python("no writable mapping has it");
	munmap(whole, FORGE_SIZE);
	loaded = load_at(&f, PROT_READ);
	assert_no_python("no writable mapping has it");
	unload(&loaded);
}

/* A page of its code is mapped once more, at a lower address and at a higher one, as libffi does. */
TEST(a_page_of_code_elsewhere)
{
	_cleanup_close_ int fd = -1;
	unsigned char *region = reserve(SPAN + 0x4000);
	struct loaded loaded;

	forge_python(&f, 0x030c01f0);
	forge_segment(&f, 1)->p_filesz = forge_segment(&f, 1)->p_memsz = 0x2000;
	fd = make_file(&f);
	map_at(region, 0x1000, PROT_READ | PROT_EXEC, fd, FORGE_TEXT + 0x1000);
	loaded = load_file(region + 0x2000, fd, 0x2000, PROT_READ | PROT_WRITE);
	map_at(region + SPAN + 0x3000, 0x1000, PROT_READ | PROT_EXEC, fd, FORGE_TEXT + 0x1000);
	start_threads(&loaded, 0x030c01f0);
	assert_int_equal(ask().verdict, VERDICT_PYTHON);
	assert_int_equal(ask().runtime, (uintptr_t)loaded.runtime);
	munmap(region, SPAN + 0x4000);
}

/* Two interpreters are mapped: the one that runs counts, in either order. */
TEST(two_runtimes)
{
	struct loaded first, second;
	struct identity identity;

	forge_python(&f, 0x030b07f0);
	first = load(&f);
	forge_python(&f, 0x030c01f0);
	second = load(&f);
	start_threads(&first, 0x030b07f0);
	identity = ask();
	assert_string_equal(identity.version, "3.11.7");
	memset(first.runtime, 0, 0x400);
	start_threads(&second, 0x030c01f0);
	identity = ask();
	assert_string_equal(identity.version, "3.12.1");
	assert_int_equal(identity.runtime, (uintptr_t)second.runtime);
	unload(&first);
	unload(&second);
}

/* asyncio is part of the interpreter, or a library of its own; without an interpreter it is none. */
TEST(asyncio)
{
	static const char name[] = ".AsyncioDebug";
	struct loaded library, python;

	forge_python(&f, 0);
	memcpy(f.bytes + FORGE_STRINGS + 1, "_XyRuntime", 10);
	memcpy(f.bytes + FORGE_NAMES + 64, name, sizeof(name));
	forge_section(&f, 4)->sh_size = 64 + sizeof(name);
	forge_section(&f, 3)->sh_name = 64;
	library = load(&f);
	assert_int_equal(ask().verdict, VERDICT_NOT_PYTHON);
	forge_python(&f, 0x030709f0); /* of 3.8 to 3.13 it is searched for */
	python = load(&f);
	start_threads(&python, 0x030709f0);
	assert_int_equal(ask().verdict, VERDICT_PYTHON);
	assert_int_equal(ask().asyncio, (uintptr_t)library.runtime);
	unload(&library);
	assert_int_equal(ask().asyncio, 0);
	unload(&python);
}

/* A second look at a process reads no file: binaries.h. */
TEST(quick_when_known)
{
	double best = 1e9;

	ask();
	for (int i = 0; i < 20; i++) {
		double begin = clock_seconds() * 1e3, took;

		ask();
		took = clock_seconds() * 1e3 - begin;
		best = took < best ? took : best;
	}
#ifndef __SANITIZE_ADDRESS__
	assert_true(best < 1.0);
#endif
}

static unsigned int reads, patience;

/* A reader that has time for so many files. */
static int read_a_few(int fd, struct image *ret)
{
	return reads++ < patience ? image_read(fd, ret) : -EAGAIN;
}

/* What was read of a process's files is kept, and the next question goes on from there. */
TEST(in_parts)
{
	_cleanup_(unload) struct loaded python;
	struct identity i = { .verdict = 77 };
	int parts = 0, err;
	__u64 ticks;

	forge_python(&f, 0x030c01f0);
	python = load(&f);
	start_threads(&python, 0x030c01f0);
	assert_int_equal(procfs_start_ticks(getpid(), &ticks), 0);
	binaries_read_by(read_a_few);
	do {
		reads = 0;
		err = identify(getpid(), ticks, &i);
		assert_true(!err || (err == -EAGAIN && i.verdict == 77));
		parts += err == -EAGAIN;
		patience = 1;
	} while (err && parts < 100);
	binaries_read_by(image_read);
	assert_int_equal(err, 0);
	assert_int_equal(i.verdict, VERDICT_PYTHON);
	assert_true(parts >= 1);
}
