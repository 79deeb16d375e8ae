// SPDX-License-Identifier: GPL-2.0-only
#include <asm/unistd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bpf/abi.h"
#include "names/kernel_names.h"
#include "names/jits.h"
#include "names/native_lines.h"
#include "names/natives.h"
#include "proc/perf_map.h"
#include "profile/profile.h"
#include "tree/native_frame.h"
#include "tests/forge/test.h"

static struct natives *natives;
static struct profile *profile;
static __u64 base;

/* What functions_read() writes, of these functions of 16 bytes each. */
static void add_functions(__u32 file, const char *const *names, __u32 count)
{
	_cleanup_buf_ struct buf bytes = { 0 }, text = { 0 };
	struct {
		__u32 count, end, names_size;
		__u8 build_id[IMAGE_BUILD_ID_MAX], build_id_size, has_symbols, is_even, pad[9];
		__u64 shift;
	} header = { .is_even = 1, .shift = 0x2000, .count = count, .end = 0x1000 + 16 * count };

	memcpy(header.build_id, "\xab\x01", 2);
	header.build_id_size = 2;
	buf_add(&text, "", 1);
	buf_add(&bytes, &header, sizeof(header));
	for (__u32 i = 0; i < count; i++) {
		struct function f = { 0x1000 + 16 * i, *names[i] ? text.size : 0 };

		buf_add(&bytes, &f, sizeof(f));
		if (*names[i])
			buf_add(&text, names[i], strlen(names[i]) + 1);
	}
	header.names_size = text.size;
	memcpy(bytes.data, &header, sizeof(header));
	buf_add(&bytes, text.data, text.size);
	assert_int_equal(natives_functions(natives, file, bytes.data, bytes.size), 0);
}

static int setup(void **state)
{
	static const char *const names[] = { "deflate", "", "_PyEval_EvalFrameDefault.cold",
					     "_TAIL_CALL_BINARY_OP", "_PyEval_Vector" };
	const struct code_map map = { .file = { 1, 2, 1 << 20, 0, 0 }, .path = "/usr/lib/libz.so.1" };
	const struct profile_info info = { .events = EVENT_BIT(EVENT_CPU), .period_ns = 1 };
	__u32 file;

	(void)state;
	if (natives_new(&natives) || profile_new(&info, &profile) || natives_file(natives, &map, &file))
		return -1;
	base = natives_get(natives, file)->base + 0x1000;
	add_functions(file, names, ARRAY_SIZE(names));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	natives_free(natives);
	profile_free(profile);
	return 0;
}

static const struct profile_function *function_of(__u32 location)
{
	return profile_get_function(profile, profile_get_location(profile, location)->function);
}

static const char *name_of(__u32 location)
{
	return profile_get_string(profile, function_of(location)->name);
}

TEST(functions)
{
	const struct profile_location *l;
	__u32 location;

	assert_int_equal(native_frame_function(natives, false, profile, base, &location), 0);
	assert_string_equal(name_of(location), "deflate");
	assert_int_equal(function_of(location)->kind, FRAME_NATIVE);
	l = profile_get_location(profile, location);
	assert_int_equal(l->offset, 0x1000);
	assert_string_equal(profile_get_string(profile, profile_get_mapping(profile, l->mapping)->file),
			    "/usr/lib/libz.so.1");
	assert_string_equal(profile_get_string(profile, profile_get_mapping(profile, l->mapping)->build_id),
			    "ab01");
	assert_true(profile_get_mapping(profile, l->mapping)->is_even);
	assert_int_equal(profile_get_mapping(profile, l->mapping)->shift, 0x2000);
	assert_int_equal(native_frame_function(natives, false, profile, base + 16, &location), 0);
	assert_string_equal(name_of(location), "libz.so.1!0x1010");
	assert_int_equal(native_frame_function(natives, false, profile, TEXT_VDSO, &location), 0);
	assert_string_equal(name_of(location), "[vdso]");
	assert_int_equal(native_frame_function(natives, false, profile, TEXT_JIT, &location), 0);
	assert_string_equal(name_of(location), "[JIT]");
	assert_int_equal(native_frame_function(natives, false, profile, 1ULL << 40, &location), 0);
	assert_string_equal(name_of(location), "[native unknown]");
	assert_int_equal(native_frame_function(NULL, false, profile, base, &location), 0);
	assert_string_equal(name_of(location), "[native unknown]");
}

/* Of "deflate" with "longest_match" in it: the frame is the innermost, and says what is around it. */
TEST(lines)
{
	struct source_place p = { .offset = 0x1004, .count = 2 };
	const struct source_header h = { .count = 1, .strings_size = 31 };
	_cleanup_buf_ struct buf answer = { 0 };
	const struct profile_location *l;
	__u32 location, around;

	p.frames[0] = (struct source_frame){ 1, 15, 7 };
	p.frames[1] = (struct source_frame){ 0, 22, 9 };
	buf_add(&answer, &h, sizeof(h));
	buf_add(&answer, &p, sizeof(p));
	buf_add(&answer, "\0longest_match\0/src/m\0/src/d.c", 31);
	assert_null(natives_lines(natives));
	assert_int_equal(natives_want_lines(natives), 0);
	assert_true(native_lines_want(natives_lines(natives), base + 4));
	base -= 0x1000;
	assert_int_equal(native_lines_add(natives_lines(natives), base, answer.data, answer.size), 0);
	base += 0x1000;
	assert_int_equal(native_frame_function(natives, false, profile, base + 4, &location), 0);
	assert_string_equal(name_of(location), "longest_match");
	assert_string_equal(profile_get_string(profile, function_of(location)->file), "/src/m");
	l = profile_get_location(profile, location);
	assert_int_equal(l->line, 7);
	assert_int_equal(l->offset, 0x1004);
	around = l->around;
	assert_string_equal(name_of(around), "deflate"); /* its symbol's name */
	assert_string_equal(profile_get_string(profile, function_of(around)->file), "/src/d.c");
	l = profile_get_location(profile, around);
	assert_int_equal(l->line, 9);
	assert_int_equal(l->offset, 0x1004);
	assert_int_equal(l->around, 0);
	/* Elsewhere nothing is known. */
	assert_int_equal(native_frame_function(natives, false, profile, base + 5, &location), 0);
	assert_string_equal(name_of(location), "deflate");
	assert_int_equal(profile_get_location(profile, location)->line, 0);
}

/* Its file is made as perf_map_read() writes it: one function of 32 bytes for each name. */
static void name_made_code(__u32 process, __u64 begin, const char *const *names, __u32 count)
{
	_cleanup_close_ int fd = memfd_create("map", MFD_CLOEXEC);
	_cleanup_buf_ struct buf made = { 0 };

	for (__u32 i = 0; i < count; i++)
		dprintf(fd, "%llx 20 %s\n", begin + 32 * i, names[i]);
	assert_int_equal(perf_map_read(fd, &made), 0);
	assert_int_equal(jits_names(natives_jits(natives), process, made.data, made.size), 0);
}

TEST(code_made_at_run_time)
{
	static const char *const names[] = { "made", "py::f:/srv/app.py" };
	__u32 location, again;
	__u64 at;

	assert_int_equal(jits_region(natives_jits(natives), 5, 0, 0x7000, 0x8000, &at), 0);
	name_made_code(5, 0x7000, names, 2);
	assert_int_equal(native_frame_function(natives, false, profile, at, &location), 0);
	assert_string_equal(name_of(location), "made");
	assert_int_equal(function_of(location)->kind, FRAME_NATIVE);
	assert_int_equal(native_frame_function(natives, false, profile, at + 31, &again), 0);
	assert_int_equal(again, location);
	assert_int_equal(native_frame_function(natives, false, profile, at + 64, &location), 0);
	assert_string_equal(name_of(location), "[JIT]");
	/* What the interpreter has made to call a Python function is in every stack. */
	assert_int_equal(native_frame_function(natives, false, profile, at + 32, &location), 0);
	assert_int_equal(location, FRAME_HIDDEN);
	assert_int_equal(native_frame_function(natives, true, profile, at + 32, &location), 0);
	assert_string_equal(name_of(location), "py::f:/srv/app.py");
	assert_int_equal(native_frame_function(natives, false, profile, at + 0x1000, &location), 0);
	assert_string_equal(name_of(location), "[native unknown]");
}

TEST(the_loop_is_hidden)
{
	__u32 location;

	for (int i = 2; i < 4; i++) {
		assert_int_equal(native_frame_function(natives, false, profile, base + 16 * i, &location), 0);
		assert_int_equal(location, FRAME_HIDDEN);
		assert_int_equal(native_frame_function(natives, true, profile, base + 16 * i, &location), 0);
		assert_int_not_equal(location, FRAME_HIDDEN);
	}
	assert_int_equal(native_frame_function(natives, false, profile, base + 64, &location), 0);
	assert_string_equal(name_of(location), "_PyEval_Vector");
}

TEST(system_calls)
{
	__u32 location;

	assert_int_equal(native_frame_syscall(profile, __NR_read, &location), 0);
	assert_string_equal(name_of(location), "[syscall read]");
	assert_int_equal(function_of(location)->kind, FRAME_SYSCALL);
	assert_int_equal(native_frame_syscall(profile, __NR_futex, &location), 0);
	assert_string_equal(name_of(location), "[syscall futex]");
	assert_int_equal(native_frame_syscall(profile, 1023, &location), 0);
	assert_string_equal(name_of(location), "[syscall 1023]");
	assert_int_equal(native_frame_syscall(profile, 99999, &location), 0);
	assert_string_equal(name_of(location), "[syscall 99999]");
}

/* Names without an address, which would tell where the kernel lies in memory. */
TEST(functions_of_the_kernel)
{
	char path[] = "/tmp/kallsyms-XXXXXX";
	const int fd = mkstemp(path);
	const struct profile_location *l;
	struct kernel_names *names;
	__u32 location;

	assert_true(fd >= 0);
	dprintf(fd, "ffffffff81000000 T vfs_read\nffffffffc0000000 t ext4_sync\t[ext4]\n");
	assert_int_equal(kernel_names_open(&names, path, KERNEL_NAMES_PAUSE_NS), 0);
	close(fd);
	unlink(path);
	assert_int_equal(native_frame_kernel(names, profile, 0x81000010, &location), 0);
	assert_string_equal(name_of(location), "vfs_read");
	assert_int_equal(function_of(location)->kind, FRAME_KERNEL);
	l = profile_get_location(profile, location);
	assert_int_equal(l->offset, 0);
	assert_string_equal(profile_get_string(profile, profile_get_mapping(profile, l->mapping)->file),
			    "[kernel]");
	assert_int_equal(native_frame_kernel(names, profile, 0xc0000010, &location), 0);
	assert_string_equal(name_of(location), "ext4_sync");
	l = profile_get_location(profile, location);
	assert_string_equal(profile_get_string(profile, profile_get_mapping(profile, l->mapping)->file),
			    "[ext4]");
	assert_int_equal(native_frame_kernel(names, profile, 0xd0000010, &location), 0);
	assert_string_equal(name_of(location), "[kernel]");
	assert_int_equal(native_frame_kernel(NULL, profile, 0x81000010, &location), 0);
	assert_string_equal(name_of(location), "[kernel]");
	kernel_names_free(names);
}

TEST(ends)
{
	__u32 location;

	assert_int_equal(native_frame_end(profile, NATIVE_NOT_LOADED, &location), 0);
	assert_string_equal(name_of(location), "[native not loaded yet]");
	assert_int_equal(function_of(location)->kind, FRAME_UNPLACED);
	assert_int_equal(native_frame_end(profile, 99, &location), 0);
	assert_string_equal(name_of(location), "[unknown]");
	assert_int_equal(harvest_marker(profile, "[dropped]", &location), 0);
	assert_int_equal(function_of(location)->kind, FRAME_MARKER);
}

AROUND_EACH(setup, teardown);
