// SPDX-License-Identifier: GPL-2.0-only
#include "http/interval_list.h"

#include "base/buf.h"
#include "formats/formats.h"
#include "http/history.h"
#include "kern/stats.h"
#include "profile/profile.h"
#include "report/chance.h"
#include "stats/books.h"
#include "stats/run_facts.h"

/* Events of programs that were not asked for, and of idle CPUs: nobody misses them. */
static bool is_not_asked(enum outcome outcome)
{
	return outcome_rows[outcome].group == GROUP_PROCESS || outcome_rows[outcome].group == GROUP_TICK;
}

static __u64 not_asked(const struct cpu_stats *sum, enum event_kind kind)
{
	__u64 count = 0;

	for (int i = 0; i < OUTCOME_COUNT; i++)
		if (event_has_outcome(kind, i) && is_not_asked(i))
			count += sum->outcome[kind][i];
	return count;
}

static int add_outcomes(const struct cpu_stats *sum, enum event_kind kind, struct buf *out)
{
	char id[OUTCOME_ID_MAX];
	bool any = false;
	int err = 0;

	for (int i = 0; i < OUTCOME_COUNT && !err; i++) {
		if (!event_has_outcome(kind, i) || !sum->outcome[kind][i])
			continue;
		err = buf_printf(out, "%s{\"outcome\":\"%s\",\"place\":\"%s\",\"count\":%llu,\"text\":",
				 any ? "," : "", outcome_id(i, id),
				 is_not_asked(i) ? "not asked" : place_name(outcome_rows[i].place),
				 sum->outcome[kind][i]);
		err = err ?: buf_add_json(out, outcome_rows[i].text) ?: buf_add_string(out, "}");
		any = true;
	}
	return err;
}

static int add_kinds(const struct cpu_stats *sum, __u32 events, struct buf *out)
{
	bool any = false;
	int err = 0;

	for (int kind = 0; kind < EVENT_KINDS && !err; kind++) {
		const struct event_row *row = &event_rows[kind];
		const struct books books = books_of(sum, kind);

		if (!(events & EVENT_BIT(kind)))
			continue;
		err = buf_printf(out,
				 "%s{\"event\":\"%s\",\"unit\":\"%s\",\"noun\":\"%s\",\"resource\":\"%s\","
				 "\"total\":%llu,\"not_asked\":%llu,\"outside\":%llu,\"outcomes\":[",
				 any ? "," : "", row->key,
				 row->unit == UNIT_COUNT ? "count" : event_unit_name(row->unit), row->noun,
				 row->resource, books.total, not_asked(sum, kind),
				 books.outside);
		err = err ?: add_outcomes(sum, kind, out) ?: buf_add_string(out, "]}");
		any = true;
	}
	return err;
}

static int add_interval(const struct interval *i, __u32 events, struct buf *out)
{
	const struct profile_info *info = profile_get_info(i->profile);
	bool any = false;
	int err = buf_printf(out, "{\"serial\":%lu,\"start\":%.3f,\"seconds\":%.3f,\"totals\":[", i->serial,
			     info->start_unix_ns / 1e9, info->duration_ns / 1e9);

	for (int kind = 0; kind < EVENT_KINDS && !err; kind++) {
		if (!(events & EVENT_BIT(kind)))
			continue;
		err = buf_printf(out, "%s%llu", any ? "," : "",
				 info->events & EVENT_BIT(kind) ? profile_total_of(i->profile, kind) : 0);
		any = true;
	}
	return err ?: buf_add_string(out, "]}");
}

/* What the page needs to know of the program. */
static int add_facts(struct buf *out)
{
	bool any = false;
	int err = buf_printf(out, "],\"chance\":{\"z\":%.6f,\"z_rare\":%.6f},\"formats\":[", CHANCE_Z,
			     CHANCE_Z_RARE);

	for (int i = 0; i < FORMATS && !err; i++)
		err = buf_printf(out, "%s\"%s\"", i ? "," : "", format_rows[i].name);
	err = err ?: buf_add_string(out, "],\"labels\":[");
	for (int i = 0; i < LABEL_COUNT && !err; i++) {
		if (!(label_rows[i].outputs & IN_QUERY))
			continue;
		err = buf_printf(out, "%s\"%s\"", any ? "," : "", label_rows[i].key);
		any = true;
	}
	return err;
}

static int add_list(const struct history *h, const struct kernel *kernel, __u32 events,
		    const struct interval_offers *offers, struct buf *out)
{
	struct kernel_stats stats = {};
	int err;

	if (kernel)
		kernel_stats(kernel, &stats);
	err = buf_add_string(out, "{\"schema\":\"pyperf-bpf.intervals/1\",\"events\":[") ?:
	      add_kinds(&stats.sum, events, out) ?: add_facts(out) ?:
	      buf_printf(out, "],\"log\":%s,\"source\":%s,\"speedscope\":%s,\"intervals\":[",
			 offers->log ? "true" : "false", offers->source ? "true" : "false",
			 offers->speedscope ? "true" : "false");
	for (size_t i = 0; i < h->count && !err; i++)
		err = (i ? buf_add_string(out, ",") : 0) ?: add_interval(h->rows[i], events, out);
	return err ?: buf_add_string(out, "]}\n");
}

enum MHD_Result interval_list_answer(const struct history *h, const struct kernel *kernel,
				     const struct run_facts *run, const struct interval_offers *offers,
				     const struct client *c)
{
	_cleanup_buf_ struct buf out = {};
	int err = add_list(h, kernel, run->events, offers, &out);

	return err ? answer_failure(c, err) : answer_buf(c, MHD_HTTP_OK, TYPE_JSON, &out);
}
