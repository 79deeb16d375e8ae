/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image.h - what an ELF file says about the CPython runtime, or its asyncio, inside it, and where it is
 * loaded. The file is hostile: it is read with read(), in bounded pieces, and may change meanwhile.
 */
#ifndef PYPERF_ELF_IMAGE_H
#define PYPERF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define IMAGE_LOADS_MAX	   32
#define IMAGE_BUILD_ID_MAX 32 /* bytes; linkers make 8, 16 or 20 */

/* One PT_LOAD program header. Addresses are those of the file; add the bias for those of a process. */
struct image_load {
	__u64 offset;
	__u64 address;
	__u64 file_size;
	__u64 memory_size;
	__u32 flags; /* PF_R, PF_W, PF_X */
};

struct image {
	__u16 machine; /* EM_X86_64 or EM_AARCH64 */
	bool fixed;    /* an ET_EXEC file, which is loaded at its own addresses: the bias is 0 */
	__u8 load_count;
	__u8 build_id_size; /* 0 = none */
	__u8 build_id[IMAGE_BUILD_ID_MAX];
	struct image_load load[IMAGE_LOADS_MAX];

	/* Addresses of the file; 0 = not there. They lie in a writable PT_LOAD. */
	__u64 runtime;	   /* _PyRuntime, or the section .PyRuntime (3.7+) */
	__u64 old_thread;  /* _PyThreadState_Current (2.7, 3.6) */
	__u64 old_interps; /* interp_head (2.7, 3.6), a static variable: unknown when the file is stripped */
	__u64 asyncio;	   /* the section .AsyncioDebug (3.14+), of the interpreter or a library */
	bool needs_python; /* a program for which the loader has to find a libpython */
	bool classes;	   /* it has PyClass_Type, the type of old-style classes, so it is Python 2 */
	__u32 version;	   /* PY_VERSION_HEX, from Py_Version (3.11+) or version_string_find(); 0 = unknown */
};

/*
 * Reads the image from a regular file open for reading. -ENOEXEC if it is not a 64-bit little-endian ELF
 * program or library for x86-64 or aarch64; -EBADMSG if it is malformed or exceeds a bound; another -errno.
 */
int image_read(int fd, struct image *ret);

/*
 * Takes the bytes of a struct image that another process has read, and checks all that image_read() promises
 * of one. 0 or -EBADMSG.
 */
int image_parse(const void *bytes, size_t size, struct image *ret);

/*
 * The bias: what to add to the file's addresses to get those of the process. It follows from one mapping of
 * the file, of which start, offset in bytes, and whether it is executable are given. Returns 0, or -ENOENT if
 * no PT_LOAD of that kind explains the mapping.
 */
int image_bias(const struct image *image, __u64 start, __u64 offset, bool execute, __u64 *ret);

#endif
