// SPDX-License-Identifier: GPL-2.0-only
#include "run/parts.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "endpoint/rules.h"
#include "kern/kernel.h"
#include "kern/records.h"
#include "names/called.h"
#include "proc/source_text.h"
#include "run/agent.h"
#include "run/loop_rows.h"
#include "run/sampler.h"
#include "targets/registry.h"

#define INTERVAL_MS 1000 /* how often the ring buffer is emptied when nothing is urgent */

/* Before rights are given up: with them goes what this file shows. Without names one frame is as good. */
static void open_kernel_names(struct agent *a)
{
	int err;

	if (a->options->kernel != KERNEL_MODE_FULL)
		return;
	err = kernel_names_open(&a->kernel_names, "/proc/kallsyms", KERNEL_NAMES_PAUSE_NS);
	if (err == -EACCES)
		log_warning("the kernel's functions are all [kernel]: /proc/kallsyms shows no addresses "
			    "without CAP_SYSLOG (and sysctl kernel.kptr_restrict below 2)");
	else if (err)
		log_warning("the kernel's functions are all [kernel]: /proc/kallsyms cannot be read: %s",
			    strerror(-err));
}

static int open_discover(struct agent *a)
{
	const struct options *o = a->options;
	struct discover_parts parts = {
		.kernel = a->kernel,
		.worker = a->worker,
		.registry = a->registry,
		.selection = &a->selection,
		.programs = o->all,
		.kubelet = a->ask_kubelet.kubelet,
	};
	struct symbols_parts symbols = {
		.kernel = a->kernel,
		.codes = a->codes,
		.natives = a->natives,
		.native_lines = o->native_lines,
		.registry = a->registry,
	};
	int err = log_failure(discover_new(&a->discover, &parts), "discovery");

	if (err)
		return err;
	kernel_on_record(a->kernel, discover_record, a->discover);
	symbols.discover = a->discover;
	err = log_failure(symbols_new(&a->symbols, &symbols), "names and native code");
	if (err)
		return err;
	return log_failure(looks_new(&a->looks, a->kernel, a->registry, discover_questions(a->discover),
				     symbols_captures(a->symbols), &o->context_names),
			   "looks from outside");
}

static int open_called(struct agent *a)
{
	return log_failure(called_new(&a->called) ?:
			   called_targets_new(&a->called_targets, a->kernel, a->registry,
					      discover_questions(a->discover), a->called),
			   "names of threads");
}

/* With --service-from pod,comm nobody reads what processes publish about themselves. */
static int open_published(struct agent *a)
{
	if (!service_order_has(&a->options->services, SERVICE_FROM_CONTEXT))
		return 0;
	return log_failure(
		published_new(&a->published, a->kernel, a->registry, discover_questions(a->discover)),
		"the look at what processes publish");
}

/* With --trace: whose request a span is of. */
static int open_routes(struct agent *a)
{
	int err;

	if (a->options->trace != TRACE_OTEL)
		return 0;
	err = routes_new(&a->routes, a->options->log * 60 * NS_PER_SECOND) ?:
	      route_targets_new(&a->route_targets, a->kernel, a->registry, discover_questions(a->discover),
				a->routes);
	if (!err)
		discover_on_record(a->discover, RECORD_SPAN, sizeof(struct record_span), route_targets_record,
				   a->route_targets);
	return log_failure(err, "the look at routes of requests");
}

static int open_kubelet(struct agent *a)
{
	const struct kubelet_options o = settings_kubelet(a->options);

	return ask_kubelet_open(&a->ask_kubelet, &o);
}

static int open_http(struct agent *a)
{
	const struct serve_addresses addresses = {
		.all = a->options->listen_address,
		.metrics = a->options->metrics_address,
		.health = a->options->health_address,
	};
	struct http_inputs inputs = {
		.kernel = a->kernel,
		.worker = a->worker,
		.codes = a->codes,
		.registry = a->registry,
		.natives = a->natives,
		.discover = a->discover,
		.windows = &a->windows,
		.run = &a->facts,
		.generation = &a->generation,
		.journal = &a->journal,
		.log_file = &a->log_file,
		.continuous = &a->continuous,
		.kubelet = a->ask_kubelet.kubelet,
		.selection = a->options->all_python || a->options->all ? &a->selection : NULL,
		.token_file = a->options->listen_token_file,
		.listen_host = a->options->listen_host,
		.gives_source = a->options->listen_source,
		.speedscope = a->options->speedscope,
	};

	return serve_open(&a->http, &addresses, &inputs);
}

/* The worker comes first: what neither it nor a later one must inherit is not open yet. */
int parts_open(struct agent *a)
{
	int err;

	if (a->options->listen_source)
		source_text_allow();
	err = log_failure(loop_open(&a->loop, INTERVAL_MS), "the event loop cannot be set up");
	if (!err)
		err = log_lack(worker_start(&a->worker, a->options->pod_logs),
			       "the worker process cannot be started");
	if (!err)
		open_kernel_names(a);
	if (!err)
		err = sampler_open(a);
	if (!err)
		err = log_failure(codes_new(&a->codes, CODES_BYTES_MAX), "the code store");
	if (!err)
		err = log_failure(natives_new(&a->natives), "the store of native functions");
	if (!err && a->options->native)
		err = log_failure(natives_want_lines(a->natives), "the store of native lines");
	if (!err)
		err = log_failure(registry_new(&a->registry), "the process registry");
	if (!err && a->options->by)
		err = log_failure(rules_new(a->options->endpoint_rule, &a->endpoint_rules),
				  "the rules of endpoints");
	if (!err)
		err = open_kubelet(a);
	if (!err)
		err = open_discover(a) ?: open_called(a) ?: open_published(a) ?: open_routes(a);
	if (err)
		return err;
	return loop_rows_open(a) ?: open_http(a);
}

void parts_close(struct agent *a)
{
	command_release(&a->command);
	targets_end_close(&a->targets_end);
	http_free(a->http);
	log_file_close(&a->log_file);
	live_close(a->live);
	window_close(a->window);
	continuous_close(a->continuous);
	journal_free(a->journal);
	route_targets_free(a->route_targets);
	published_free(a->published);
	called_targets_free(a->called_targets);
	called_free(a->called);
	looks_free(a->looks);
	symbols_free(a->symbols);
	discover_free(a->discover);
	ask_kubelet_close(&a->ask_kubelet);
	rules_free(a->endpoint_rules);
	routes_free(a->routes);
	registry_free(a->registry);
	codes_free(a->codes);
	natives_free(a->natives);
	kernel_names_free(a->kernel_names);
	kernel_close(a->kernel);
	worker_stop(a->worker);
	loop_close(&a->loop);
	notify_close(&a->notify);
}
