// SPDX-License-Identifier: GPL-2.0-only
#include "options/derive.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "endpoint/rules.h"
#include "formats/formats.h"
#include "http/hosts.h"
#include "kern/trigger.h"
#include "kubelet/kubelet.h"
#include "profile/events.h"
#include "profile/labels.h"

#define SECONDS_MAX 1e9

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

int derive_seconds(const char *text, double *ret)
{
	double seconds;

	if (duration_parse(text, 1, &seconds) || seconds <= 0 || seconds > SECONDS_MAX)
		return -EINVAL;
	*ret = seconds;
	return 0;
}

int derive_percent(const char *text, double max, double *ret)
{
	double percent;
	char *end;

	errno = 0;
	percent = strtod(text, &end);
	if (errno || end == text || isnan(percent) || percent < 0 || percent > max)
		return -EINVAL;
	if (*end && strcmp(end, "%"))
		return -EINVAL;
	*ret = percent;
	return 0;
}

#define BUDGET_MIN 1e-3

/* 0, or a part that can be worked with. */
static int derive_budget(struct options *o, char *error, size_t size)
{
	double percent;

	if (!o->budget)
		return 0;
	if (derive_percent(o->budget, 100, &percent) || (percent > 0 && percent < BUDGET_MIN))
		return options_fail(error, size,
				    "--budget wants percent of a CPU, from 0.001 to 100, or 0, not '%s'",
				    o->budget);
	o->budget_percent = percent;
	return 0;
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

/* Whoever reaches a port of this machine may be anybody on it, who may not read the files of the others. */
static int derive_source(const struct options *o, char *error, size_t size)
{
	if (!o->listen_source ||
	    (o->listen_address.size && (o->listen_token_file || http_address_is_unix(&o->listen_address))))
		return 0;
	return options_fail(error, size,
			    "--listen-source gives away files: it goes with --listen and "
			    "--listen-token-file FILE, or with --listen unix:/PATH");
}

int derive_format(struct options *o, char *error, size_t size)
{
	const int format = o->format >= 0 ? o->format : format_of_file(o->output ?: "");

	if (format < 0)
		return options_fail(error, size,
				    "--output %s: no format ends so; one of %s, or --format says which",
				    o->output, format_endings);
	o->format = format;
	return 0;
}

/* One file of the whole run, unless intervals or clients get it in parts. */
static int derive_output(struct options *o, char *error, size_t size)
{
	if (!(o->subcommand->takes & GROUP_OUTPUT))
		return 0;
	if (!o->output && !o->continuous && !o->listen && !o->subcommand->draws)
		o->output = format_rows[o->format < 0 ? FORMAT_PPROF : o->format].file;
	if (o->output && !*o->output)
		return options_fail(error, size, "--output wants a file name");
	if (o->listen_token_file && !o->listen)
		return options_fail(error, size, "--listen-token-file goes with --listen ADDR:PORT");
	if (o->listen_host && !o->listen && !o->listen_metrics && !o->listen_health)
		return options_fail(error, size, "--listen-host goes with --listen ADDR:PORT");
	if (o->listen_host && hosts_check(o->listen_host))
		return options_fail(error, size,
				    "--listen-host wants names of hosts with commas between, without a port, "
				    "not '%s'",
				    o->listen_host);
	if (o->speedscope && !o->listen)
		return options_fail(error, size, "--speedscope goes with --listen ADDR:PORT");
	return derive_format(o, error, size);
}

static int derive_endpoints(const struct options *o, char *error, size_t size)
{
	_cleanup_rules_ struct rules *rules = NULL;
	int err;

	if (o->by && strcmp(o->by, "endpoint"))
		return options_fail(error, size, "--by wants endpoint, not '%s'", o->by);
	if (!o->endpoint_rule)
		return 0;
	if (!o->by)
		return options_fail(error, size, "--endpoint-rule goes with --by endpoint");
	err = rules_new(o->endpoint_rule, &rules);
	if (err == -EINVAL)
		return options_fail(error, size,
				    "--endpoint-rule wants 1 to %d of FILE:NAME with commas between, such as "
				    "shop/rpc.py:Server.dispatch, not '%s'",
				    RULES_OWN_MAX, o->endpoint_rule);
	return err ? options_fail(error, size, "out of memory") : 0;
}

static int derive_pod_labels(struct options *o, char *error, size_t size)
{
	const bool samples = o->subcommand->takes & GROUP_SAMPLES; /* which get the labels */

	if (!o->kubelet && (o->kubelet_ca_file || o->kubelet_insecure_tls))
		return options_fail(error, size,
				    "--kubelet-ca-file and --kubelet-insecure-tls go with --kubelet URL");
	if (samples && !o->kubelet != !o->pod_label)
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
	if (o->pod_label && pod_label_names_parse(o->pod_label, &o->pod_label_names))
		return options_fail(
			error, size,
			"--pod-label wants 1 to %d different names of labels with commas between, "
			"not '%s'",
			POD_LABELS_MAX, o->pod_label);
	return 0;
}

/* Two labels of one name could not be told apart. */
static bool is_label(const struct options *o, const char *name)
{
	for (int i = 0; i < LABEL_COUNT; i++)
		if (!strcmp(label_rows[i].key, name))
			return true;
	for (size_t i = 0; i < o->pod_label_names.count; i++)
		if (!strcmp(o->pod_label_names.name[i], name))
			return true;
	return false;
}

static int derive_label_var(struct options *o, char *error, size_t size)
{
	if (!o->label_var)
		return 0;
	if (context_names_parse(o->label_var, &o->context_names))
		return options_fail(error, size,
				    "--label-var wants 1 to %d different names of context variables with "
				    "commas between, not '%s'",
				    CONTEXT_LABELS, o->label_var);
	for (__u32 i = 0; i < o->context_names.count; i++)
		if (is_label(o, o->context_names.name[i]))
			return options_fail(error, size,
					    "--label-var: '%s' is the name of another label of samples",
					    o->context_names.name[i]);
	return 0;
}

static int derive_log_file(const struct options *o, char *error, size_t size)
{
	if (!o->log_file)
		return 0;
	if (!o->log)
		return options_fail(error, size, "--log-file goes with --log MINUTES");
	if (!*o->log_file || !strcmp(o->log_file, "-"))
		return options_fail(error, size, "--log-file wants a file name");
	if (format_of_file(o->log_file) < 0)
		return options_fail(error, size, "--log-file %s: no format ends so; one of %s", o->log_file,
				    format_endings);
	return 0;
}

static int derive_services(struct options *o, char *error, size_t size)
{
	if (!o->service_from)
		return 0;
	if (service_order_parse(o->service_from, &o->services))
		return options_fail(error, size,
				    "--service-from wants some of context, label, pod and comm, each once, "
				    "with commas between, not '%s'",
				    o->service_from);
	if (service_order_has(&o->services, SERVICE_FROM_LABEL) && !o->pod_label)
		return options_fail(error, size, "--service-from label goes with --pod-label NAME");
	return 0;
}

static int derive_trace(struct options *o, char *error, size_t size)
{
	if (o->trace && !o->log)
		return options_fail(error, size,
				    "--trace writes into the log of samples: it wants --log MINUTES, too");
	o->context_names.trace = o->trace == TRACE_OTEL;
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
		return options_fail(error, size, "--native-lines is about native code: it needs --native");
	if (o->kernel < 0)
		o->kernel = o->native ? KERNEL_MODE_SYSCALL : KERNEL_MODE_OFF;
	if (o->kernel == KERNEL_MODE_FULL && o->trigger == TRIGGER_TIMER)
		return options_fail(error, size,
				    "the kernel's functions are found by perf events: --kernel full not with "
				    "--trigger timer");
	return 0;
}

int options_derive(struct options *o, char *error, size_t size)
{
	if (o->help || o->version)
		return 0;
	if (derive_targets(o, error, size))
		return -EINVAL;
	if (o->subcommand->takes & GROUP_ASKED)
		return derive_asked(o, error, size);
	if (o->event && parse_events(o, error, size))
		return -EINVAL;
	if (o->loop_exact && !(event_needs(o->events) & NEEDS_LOOP))
		return options_fail(error, size,
				    "--loop-exact is about turns of event loops: it goes with "
				    "--event loop");
	if (o->use_cycles && o->trigger == TRIGGER_TIMER)
		return options_fail(error, size,
				    "--event cycles is counted by perf events: not with --trigger timer");
	if (derive_native(o, error, size))
		return -EINVAL;
	if (derive_selection(o, error, size))
		return -EINVAL;
	if (derive_intervals(o, error, size))
		return -EINVAL;
	if (derive_output(o, error, size) || derive_endpoints(o, error, size) ||
	    derive_pod_labels(o, error, size) || derive_label_var(o, error, size) ||
	    derive_services(o, error, size) || derive_trace(o, error, size) ||
	    derive_log_file(o, error, size))
		return -EINVAL;
	if (parse_address(o->listen, &o->listen_address, "listen", error, size) ||
	    parse_address(o->listen_metrics, &o->metrics_address, "listen-metrics", error, size) ||
	    parse_address(o->listen_health, &o->health_address, "listen-health", error, size) ||
	    derive_source(o, error, size))
		return -EINVAL;
	if (derive_budget(o, error, size) || derive_outside(o, error, size))
		return -EINVAL;
	if (o->duration && derive_seconds(o->duration, &o->seconds))
		return options_fail(error, size,
				    "--duration wants seconds, or " DURATION_EXAMPLES
				    ", more than 0, not '%s'",
				    o->duration);
	return o->pids ? derive_pids(o, error, size) : 0;
}
