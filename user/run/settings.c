// SPDX-License-Identifier: GPL-2.0-only
#include "run/settings.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "hosted/home.h"
#include "options/row.h"
#include "profile/events.h"
#include "profile/short_path.h"

struct kernel_options settings_kernel(const struct options *o)
{
	const __u32 events = event_parts(o->events);

	return (struct kernel_options){
		.needs = event_needs(events) | (o->loop_exact ? NEEDS_POLLS : 0),
		.home = o->trigger == TRIGGER_OUTSIDE ? &home_outside : NULL,
		.trigger = o->trigger,
		.frequency = o->frequency,
		.use_cycles = o->use_cycles,
		.min_wait_ns = o->min_wait_us * 1000ULL,
		.min_turn_ns = o->min_turn_ms * 1000000ULL,
		.wall = event_sums(events),
		.log = o->log > 0,
		.walked = event_walked(events),
		.threads = o->threads,
		.async = o->async,
		.contexts = o->context_names.count,
		.trace = o->trace == TRACE_OTEL,
		.rss_step = o->rss_step * 1024ULL,
		.single_reads = o->reads == READS_SINGLE,
		.by_thread = o->labels == LABELS_THREAD,
		.states = o->labels == LABELS_THREAD,
		.all = o->all_python || o->all,
		.programs = o->all,
		.follow = o->all_python || o->all || o->command || o->children,
		.budget = o->budget_percent / 100,
		.measure = o->stats || o->stats_json || o->listen || o->listen_metrics,
		.statistics = o->stats || o->stats_json,
		.max_depth = o->max_depth,
		.cache = o->cache,
		.cache_threads = o->cache_threads,
		.cache_depth = o->cache_depth,
		.tree_size = o->tree_size,
		.native = o->native,
		.kernel = o->kernel,
		.native_memory = (size_t)o->native_memory << 20,
		.native_loop = o->native_interpreter,
		.native_lines = o->native_lines,
	};
}

struct selection settings_selection(const struct options *o)
{
	return (struct selection){
		.comm = o->comm,
		.exclude_comm = o->exclude_comm,
		.cgroup = o->cgroup,
		.exclude_cgroup = o->exclude_cgroup,
		.container = o->container,
		.pod = o->pod,
		.namespace = o->namespace,
	};
}

struct kubelet_options settings_kubelet(const struct options *o)
{
	return (struct kubelet_options){
		.url = o->kubelet,
		.token_file = o->kubelet_token_file,
		.ca_file = o->kubelet_ca_file,
		.insecure = o->kubelet_insecure_tls,
		.names = &o->pod_label_names,
	};
}

struct push_options settings_push(const struct options *o)
{
	return (struct push_options){
		.url = o->push,
		.format = o->push_format,
		.header_file = o->push_header_file,
		.ca_file = o->push_ca_file,
		.timeout_seconds = o->push_timeout,
		.interval = o->interval_seconds,
	};
}

struct continuous_options settings_continuous(const struct options *o)
{
	return (struct continuous_options){
		.interval_seconds = o->interval_seconds,
		.output_dir = o->output_dir,
		.keep = { o->keep_files, o->keep_bytes },
		.push = settings_push(o),
		.pod_label_names = &o->pod_label_names,
	};
}

void settings_begin_paths(const struct options *o)
{
	_cleanup_free_ char *here = getcwd(NULL, 0);

	if (o->paths == PATHS_SHORT)
		short_path_begin(here);
}

/* What says which processes are profiled, in the words of the command line. */
static void add_filters(const struct options *o, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < OPTION_ROWS && used < size; i++) {
		const struct option_row *r = &option_rows[i];
		const char *value;

		if (r->kind != OPTION_TEXT || !(r->group & (GROUP_PROCESSES | GROUP_FILTERS)) || r->text)
			continue;
		value = *(const char *const *)row_value(o, r);
		if (value)
			used += snprintf(text + used, size - used, "%s--%s '%s'", used ? " and " : "",
					 r->long_name, value);
	}
}

struct whole_options settings_whole(const struct options *o)
{
	struct whole_options whole = {
		.output = o->output,
		.format = o->format,
		.top = o->top,
		.quiet = o->quiet,
	};

	add_filters(o, whole.filters, sizeof(whole.filters));
	return whole;
}
