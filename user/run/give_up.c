// SPDX-License-Identifier: GPL-2.0-only
#include "run/give_up.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/capabilities.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/privileges.h"
#include "base/sanitized.h"
#include "export/file.h"
#include "export/folder.h"
#include "export/output.h"
#include "guard/sandbox.h"
#include "http/address.h"
#include "kern/process_table.h"
#include "kern/ticks.h"
#include "proc/visible.h"
#include "run/agent.h"

/*
 * When CPUs come or go their events are opened anew (kern/trigger.h). Timers need nothing: they are started
 * by a program that is loaded already.
 */
static bool may_open_events(const struct agent *a)
{
	const struct kernel_options *o = &a->kernel_options;

	return !(o->needs & NEEDS_TICKS) || o->trigger != TRIGGER_PERF ||
	       !privileges_lacked(ticks_probe(o->frequency, o->use_cycles));
}

/* Kernels before 6.0 refuse even to look into a map of one's own. */
static bool may_use_maps(const struct agent *a)
{
	struct process p;

	return !privileges_lacked(kernel_get_process(a->kernel, 0, &p));
}

static bool is_readable(const char *file)
{
	return !file || !faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) || !privileges_lacked(-errno);
}

static bool is_writable(const char *file)
{
	return !file || output_is_stdout(file) || !privileges_lacked(file_check_writable(file));
}

/* Files that are read again: the profiler may be told to, and keys and certificates are renewed. */
static bool may_read_files(const struct options *o)
{
	return is_readable(o->config) && is_readable(o->push_header_file) && is_readable(o->push_ca_file) &&
	       is_readable(o->kubelet_token_file) && is_readable(o->kubelet_ca_file) &&
	       is_readable(o->listen_token_file);
}

/* The files of Unix sockets are removed at the end. */
static bool may_remove_sockets(const struct options *o)
{
	return !privileges_lacked(http_address_check_folder(&o->listen_address)) &&
	       !privileges_lacked(http_address_check_folder(&o->metrics_address)) &&
	       !privileges_lacked(http_address_check_folder(&o->health_address));
}

/* Root may write into a folder that belongs to another user, but only with a capability. */
static bool may_write_files(const struct options *o)
{
	return is_writable(o->output) && is_writable(o->stats_json) && is_writable(o->log_file) &&
	       (!o->output_dir || !privileges_lacked(folder_check(o->output_dir))) && may_remove_sockets(o);
}

/* A thread with these capabilities may do what one without effective capabilities is refused. */
static int find_needed(const struct agent *a, __u64 *ret)
{
	const struct options *o = a->options;
	__u64 keep = 0;
	int err = privileges_use(0);

	if (err)
		return err;
	if (!may_use_maps(a))
		keep |= PRIVILEGE(CAP_BPF);
	if (!visible_shows_others())
		keep |= PRIVILEGE(CAP_SYS_PTRACE);
	if (!may_read_files(o) || !may_write_files(o))
		keep |= PRIVILEGE(CAP_DAC_READ_SEARCH);
	if (o->command) /* it gets our signals, and may have become another user's */
		keep |= PRIVILEGE(CAP_KILL);
	if (!may_write_files(o) && !(err = privileges_use(keep)) && !may_write_files(o))
		keep |= PRIVILEGE(CAP_DAC_OVERRIDE);
	err = err ?: privileges_use(0);
	if (!may_open_events(a)) {
		keep |= PRIVILEGE(CAP_PERFMON);
		err = privileges_use(PRIVILEGE(CAP_PERFMON));
		if (!err && !may_open_events(a)) /* kernel.perf_event_paranoid is 3, as in Debian */
			keep |= PRIVILEGE(CAP_SYS_ADMIN);
	}
	*ret = keep;
	return err;
}

static void say_kept(__u64 kept)
{
	_cleanup_buf_ struct buf names = { 0 };

	if (!capabilities_add(&names, kept, CAPABILITY_AS_NAMES))
		log_debug("capabilities that are kept: %.*s", names.size ? (int)names.size : 4,
			  names.size ? names.data : "none");
}

/* LeakSanitizer looks at its own process from another one, which is on no list. */
int give_up_calls(void)
{
#ifdef SANITIZED
	return 0;
#else
	return log_lack(sandbox_enter(SANDBOX_PROFILER),
			"system calls cannot be given up (the kernel needs CONFIG_SECCOMP_FILTER)");
#endif
}

int give_up_all_but(const struct options *o, __u64 keep)
{
	int err = privileges_use(0);

	if (!err && !may_read_files(o))
		keep |= PRIVILEGE(CAP_DAC_READ_SEARCH);
	return log_failure(err ?: privileges_keep(keep), "capabilities cannot be given up");
}

int give_up_but_for_tools(void)
{
	__u64 keep = capabilities_up_to(CAPABILITY_WANTED) | PRIVILEGE(CAP_CHECKPOINT_RESTORE);
	int err = privileges_use(keep);

	if (!err && privileges_lacked(ticks_probe(1, false)))
		keep |= PRIVILEGE(CAP_SYS_ADMIN);
	return log_failure(err ?: privileges_hand_on(keep), "capabilities cannot be given up");
}

int give_up_privileges(const struct agent *a)
{
	__u64 keep;
	int err = find_needed(a, &keep);

	if (!err)
		err = privileges_keep(keep);
	if (!err)
		err = privileges_get(&keep);
	if (!err)
		say_kept(keep);
	return log_failure(err, "capabilities cannot be given up") ?: give_up_calls();
}
