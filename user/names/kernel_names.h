/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_names.h - the names of the kernel's functions and of its modules', by /proc/kallsyms. It shows
 * addresses to whoever has CAP_SYSLOG (or to all, by the sysctls kernel.kptr_restrict and
 * kernel.perf_event_paranoid), and decides by the rights that the file was opened with. So it stays open, and
 * is read again, for modules that were loaded since, when the profiler has no such right any more.
 *
 * The addresses stay in here: a profile that told them would tell where the kernel lies in memory.
 */
#ifndef PYPERF_NAMES_KERNEL_NAMES_H
#define PYPERF_NAMES_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define KERNEL_SYMBOLS_MAX (1U << 20) /* a distribution's kernel has 200,000 */
#define KERNEL_BYTES_MAX   (64U << 20) /* of their names */

struct kernel_names;

/* The strings are the store's, and valid until the next kernel_names_find(). */
struct kernel_name {
	const char *function;
	const char *module; /* "" = the kernel's own */
};

#define KERNEL_NAMES_PAUSE_NS (10 * 1000000000ULL)

/*
 * Opens a file such as /proc/kallsyms and reads it, which takes some 60 ms. pause_ns: between two times that
 * it is read, at least. 0; -EACCES if it shows no addresses; -E2BIG if it has more than the bounds above,
 * -EBADMSG if a line is too long; -errno.
 */
int kernel_names_open(struct kernel_names **ret, const char *path, __u64 pause_ns);
void kernel_names_free(struct kernel_names *n);

/*
 * The address of which the positions count (kernel_position()). It is the last 2 GiB's, if the kernel is
 * there; else the kernel's text begins in the middle of the 2 GiB, since modules may lie on both sides. On
 * arm64 it is in another place after each start, and modules are near enough to be called from it.
 */
__u64 kernel_names_base(const struct kernel_names *n);

/*
 * The function that is at a position (bpf/abi/native.h). False if there is none. Then a thread reads the file
 * again, unless that was less than the pause ago, and a later call has what it found. The pause doubles, up
 * to an hour, while the file stays as it is.
 */
bool kernel_names_find(struct kernel_names *n, __u64 position, struct kernel_name *ret);

#endif
