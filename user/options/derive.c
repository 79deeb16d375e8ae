// SPDX-License-Identifier: GPL-2.0-only
#include "options/derive.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "export/push/request.h"
#include "kern/trigger.h"
#include "kubelet/kubelet.h"
#include "profile/events.h"
#include "profile/formats.h"
#include "targets/selection.h"

#define SECONDS_MAX	 1e9
#define INTERVAL_DEFAULT 60
#define KEEP_DEFAULT	 (500ULL << 20)

int options_fail(char *error, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	for (; *error; error++)
		if ((unsigned char)*error < ' ' || *error == 0x7f)
			*error = '?';
	return -EINVAL;
}

static int parse_pids(struct options *o, char *error, size_t size)
{
	const char *s = o->pids;

	o->pid_list = calloc(strlen(s) / 2 + 1, sizeof(*o->pid_list));
	if (!o->pid_list)
		return options_fail(error, size, "out of memory");
	for (;;) {
		char *end;
		long pid;

		errno = 0;
		pid = strtol(s, &end, 10);
		if (errno || end == s || pid < 1 || pid > INT_MAX || (*end && *end != ','))
			return options_fail(error, size,
					    "--pid wants process ids with commas between, not '%s'", o->pids);
		o->pid_list[o->pid_count++] = pid;
		if (!*end)
			return 0;
		s = end + 1;
	}
}

/* "cpu, cycles, offcpu, ..."; text has room for all names. */
static void list_events(char *text, size_t size)
{
	size_t used = 0;

	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *e = &event_rows[kind];

		if (e->asked)
			used += snprintf(text + used, size - used, "%s, ", e->key);
		if (e->by_cycles)
			used += snprintf(text + used, size - used, "%s, ", e->by_cycles);
	}
}

static int parse_events(struct options *o, char *error, size_t size)
{
	const char *at = o->event;
	char names[256];

	for (;;) {
		const size_t length = strcspn(at, ",");
		const int asked = event_ask(at, length, &o->events);

		list_events(names, sizeof(names));
		if (asked < 0)
			return options_fail(error, size,
					    "--event wants %sor several such as cpu,offcpu,gil, not '%s'",
					    names, o->event);
		o->use_cycles |= asked;
		if (!at[length])
			return 0;
		at += length + 1;
	}
}

static int parse_seconds(const char *text, double *ret)
{
	double seconds;
	char *end;

	errno = 0;
	seconds = strtod(text, &end);
	if (errno || end == text || *end || !(seconds > 0) || seconds > SECONDS_MAX)
		return -EINVAL;
	*ret = seconds;
	return 0;
}

/* "24" is a number of files, "500MiB" is a size. */
static int parse_keep(struct options *o, char *error, size_t size)
{
	static const char *const units[] = { "", "KiB", "MiB", "GiB", "TiB" };
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(o->keep, &end, 10);
	for (size_t i = 0; !errno && end != o->keep && n && *o->keep != '-' && i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i]) || n > ULLONG_MAX >> (10 * i))
			continue;
		*(i ? &o->keep_bytes : &o->keep_files) = n << (10 * i);
		return 0;
	}
	return options_fail(error, size, "--keep wants a number of files, or a size such as 500MiB, not '%s'",
			    o->keep);
}

/* A profile for each interval, instead of one of the whole run. */
static int derive_continuous(struct options *o, char *error, size_t size)
{
	struct push_target target;
	int err;

	o->continuous = o->output_dir || o->push;
	if (o->output_dir && !*o->output_dir)
		return options_fail(error, size, "--output-dir wants a folder's name");
	if (o->interval && !o->continuous)
		return options_fail(error, size,
				    "--interval says how often; where to? --output-dir DIR or --push URL");
	if (o->keep && !o->output_dir)
		return options_fail(error, size, "--keep goes with --output-dir DIR");
	if (o->continuous && o->output)
		return options_fail(error, size,
				    "--output FILE is for one profile, not with --output-dir or --push");
	err = o->push ? push_target_parse(o->push, o->push_format, &target) : 0;
	if (err == -EPERM) /* without the URL: who reads the log may not be meant to know it */
		return options_fail(error, size,
				    "--push URL has a user or password, which everybody could read in the "
				    "list of processes; put a line 'Authorization: ...' into "
				    "--push-header-file FILE");
	if (err)
		return options_fail(
			error, size,
			"--push wants pyroscope+http[s]:// or parca+http[s]://HOST[:PORT], not '%s'",
			o->push);
	if (!o->push && (o->push_format >= 0 || o->push_header_file || o->push_ca_file))
		return options_fail(
			error, size,
			"--push-format, --push-header-file and --push-ca-file go with --push URL");
	if (o->continuous && o->format >= 0 && o->format != FORMAT_PPROF)
		return options_fail(error, size,
				    "--format %s is for --output FILE; profiles of intervals are pprof",
				    format_rows[o->format].name);
	o->interval_seconds = INTERVAL_DEFAULT;
	if (o->interval && (parse_seconds(o->interval, &o->interval_seconds) || o->interval_seconds < 0.1))
		return options_fail(error, size, "--interval wants seconds, at least 0.1, not '%s'",
				    o->interval);
	o->keep_bytes = o->keep ? 0 : KEEP_DEFAULT;
	return o->keep ? parse_keep(o, error, size) : 0;
}

static int parse_address(const char *text, struct http_address *ret, const char *option, char *error,
			 size_t size)
{
	if (!text || !http_address_parse(text, ret))
		return 0;
	return options_fail(error, size,
			    "--%s wants PORT, ADDR:PORT such as 127.0.0.1:7070, or unix:/PATH, not '%s'",
			    option, text);
}

/* One file of the whole run, unless intervals or clients get it in parts. */
static int derive_output(struct options *o, char *error, size_t size)
{
	if (!o->output && !o->continuous && !o->listen && !o->live)
		o->output = format_rows[o->format < 0 ? FORMAT_PPROF : o->format].file;
	if (o->output && !*o->output)
		return options_fail(error, size, "--output wants a file name");
	if (o->listen_token_file && !o->listen)
		return options_fail(error, size, "--listen-token-file goes with --listen ADDR:PORT");
	if (o->format < 0)
		o->format = format_of_file(o->output ?: "");
	return 0;
}

static int derive_pod_labels(struct options *o, char *error, size_t size)
{
	if (!o->kubelet && (o->kubelet_ca_file || o->kubelet_insecure_tls))
		return options_fail(error, size,
				    "--kubelet-ca-file and --kubelet-insecure-tls go with --kubelet URL");
	if (!o->kubelet != !o->pod_label)
		return options_fail(error, size, "--kubelet URL and --pod-label NAME go together");
	if (!o->kubelet)
		return 0;
	if (o->kubelet_ca_file && o->kubelet_insecure_tls)
		return options_fail(
			error, size,
			"--kubelet-insecure-tls looks at no certificate: not with --kubelet-ca-file");
	if (!kubelet_is_url(o->kubelet))
		return options_fail(error, size,
				    "--kubelet wants https://HOST:PORT, without a path, not '%s'",
				    o->kubelet);
	if (pod_label_names_parse(o->pod_label, &o->pod_label_names))
		return options_fail(
			error, size,
			"--pod-label wants 1 to %d different names of labels with commas between, "
			"not '%s'",
			POD_LABELS_MAX, o->pod_label);
	return 0;
}

/* Which of the targets. */
static int check_selection(const struct options *o, char *error, size_t size)
{
	const struct {
		const char *name, *globs;
	} lists[] = {
		{ "comm", o->comm },	     { "exclude-comm", o->exclude_comm },
		{ "cgroup", o->cgroup },     { "exclude-cgroup", o->exclude_cgroup },
		{ "container", o->container }, { "pod", o->pod },
		{ "namespace", o->namespace },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].globs && !selection_is_list(lists[i].globs))
			return options_fail(error, size, "--%s wants names with commas between, not '%s'",
					    lists[i].name, lists[i].globs);
	if (o->children && !o->pids)
		return options_fail(error, size,
				    "--children goes with --pid; the others have their children anyway");
	return 0;
}

/* --native and --kernel, which follow from the target and from one another if they are not asked for. */
static int derive_native(struct options *o, char *error, size_t size)
{
	if (o->native < 0)
		o->native = o->all ? NATIVE_MODE_FULL : NATIVE_MODE_OFF;
	if (o->all && !o->native)
		return options_fail(error, size, "--all is about native code: not with --native off");
	if (o->native_lines && !o->native)
		return options_fail(error, size,
				    "--native-lines is about native code: it needs --native");
	if (o->kernel < 0)
		o->kernel = o->native ? KERNEL_MODE_SYSCALL : KERNEL_MODE_OFF;
	if (o->kernel == KERNEL_MODE_FULL && o->trigger == TRIGGER_TIMER)
		return options_fail(error, size,
				    "the kernel's functions are found by perf events: --kernel full not with "
				    "--trigger timer");
#if !defined(__x86_64__)
	if (o->all)
		return options_fail(error, size,
				    "stacks of programs without Python are found on x86-64 only: use "
				    "--all-python");
	if (o->kernel == KERNEL_MODE_FULL)
		return options_fail(error, size,
				    "functions of the kernel are found on x86-64 only: use --kernel syscall");
	if (o->native > NATIVE_MODE_LEAF)
		return options_fail(error, size,
				    "callers in native code are found on x86-64 only: use --native leaf");
#endif
	return 0;
}

static int check_targets(struct options *o, char *error, size_t size)
{
	int targets;

	if (o->live && !o->all && !o->pids && !o->command)
		o->all_python = true;
	targets = o->all_python + o->all + (o->pids != NULL) + (o->command != NULL);
	if (o->json && !o->dump && !o->tasks)
		return options_fail(error, size, "--json goes with pyperf-bpf dump and pyperf-bpf tasks");
	if (o->async && o->tasks)
		return options_fail(error, size, "--async goes with profiles and pyperf-bpf dump");
	if (o->table && !o->tasks)
		return options_fail(error, size, "--table goes with pyperf-bpf tasks");
	if (o->table && o->json)
		return options_fail(error, size, "only one of --json and --table");
	if ((o->dump || o->tasks) && (targets != 1 || o->command || o->all))
		return options_fail(error, size, "name whose %s to show: one of --all-python and --pid PID",
				    o->tasks ? "tasks" : "threads");
	if (targets != 1)
		return options_fail(error, size,
				    "%s one of --all-python, --all, --pid PID or -- COMMAND; --help shows "
				    "how",
				    targets ? "only" : "name what to profile:");
	return 0;
}

int options_derive(struct options *o, char *error, size_t size)
{
	if (o->help || o->version)
		return 0;
	if (check_targets(o, error, size))
		return -EINVAL;
	if (parse_events(o, error, size))
		return -EINVAL;
	if (o->use_cycles && o->trigger == TRIGGER_TIMER)
		return options_fail(error, size,
				    "--event cycles is counted by perf events: not with --trigger timer");
	if (derive_native(o, error, size))
		return -EINVAL;
	if (check_selection(o, error, size))
		return -EINVAL;
	if (derive_continuous(o, error, size))
		return -EINVAL;
	if (derive_output(o, error, size) || derive_pod_labels(o, error, size))
		return -EINVAL;
	if (parse_address(o->listen, &o->listen_address, "listen", error, size) ||
	    parse_address(o->listen_metrics, &o->metrics_address, "listen-metrics", error, size) ||
	    parse_address(o->listen_health, &o->health_address, "listen-health", error, size))
		return -EINVAL;
	if (o->duration && parse_seconds(o->duration, &o->seconds))
		return options_fail(error, size, "--duration wants seconds, more than 0, not '%s'",
				    o->duration);
	return o->pids ? parse_pids(o, error, size) : 0;
}
