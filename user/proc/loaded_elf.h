/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loaded_elf.h - a library as a live process has it in memory: where it keeps a thread-local variable that it
 * has under a name, and which words the dynamic loader has filled in for it. Read from the process's memory,
 * which may be anything and may change: all of it is bounded.
 */
#ifndef PYPERF_PROC_LOADED_ELF_H
#define PYPERF_PROC_LOADED_ELF_H

#include <sys/types.h>
#include <linux/types.h>

/* What the loader has written for the variable ("ELF Handling For Thread-Local Storage", x86-64). */
enum loaded_tls_kind {
	LOADED_TLS_DESCRIPTOR, /* R_X86_64_TLSDESC: a function, and what it is to be given */
	LOADED_TLS_INDEX,      /* R_X86_64_DTPMOD64: the library's number; behind it may be the offset */
	LOADED_TLS_OFFSET,     /* R_X86_64_TPOFF64: the offset from the thread pointer */
	LOADED_TLS_KINDS,
};

struct loaded_tls {
	__u64 offset;		       /* of the variable among those of its library */
	__u64 words[LOADED_TLS_KINDS]; /* addresses of what was written; 0 = there is none of this kind */
};

/*
 * Looks in the library whose file begins at this address in the process that is reached through thread
 * `memory`. 0; -ENOENT if it has no such variable; -EBADMSG if it is no library that is understood; or the
 * -errno of memory that cannot be read.
 */
int loaded_elf_find(pid_t memory, __u64 base, const char *name, struct loaded_tls *ret);

#endif
