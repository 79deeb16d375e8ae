// SPDX-License-Identifier: GPL-2.0-only
#include "formats/pprof_header.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/protobuf.h"
#include "formats/pprof_stream.h"
#include "formats/pprof_strings.h"
#include "profile/losses.h"
#include "profile/profile.h"

#define QUOTA_PATH 128 /* bytes of a cgroup's path */

_Static_assert(START_TIMES_LINE_SIZE == PPROF_COMMENT_SIZE, "start times are written as comments");
_Static_assert(2 + PPROF_COMMENTS_MAX + 2 * PPROF_TYPES_MAX + CARRIED_MAX <= PPROF_WORDS_MAX,
	       "every word of the header has room");

static void add_type(struct pprof_header *h, enum event_kind kind, bool is_time, const char *type,
		     enum event_unit unit)
{
	struct pprof_type *t = &h->types[h->type_count++];

	*t = (struct pprof_type){ .kind = kind, .is_time = is_time };
	t->type = pprof_strings_word(h->strings, type);
	t->unit = pprof_strings_word(h->strings, event_unit_name(unit));
}

static void add_types(struct pprof_header *h)
{
	for (int kind = 0; kind < EVENT_KINDS; kind++) {
		const struct event_row *row = &event_rows[kind];

		if (!(profile_get_info(h->profile)->events & EVENT_BIT(kind)))
			continue;
		add_type(h, kind, false, row->type, row->unit);
		if (*row->period)
			add_type(h, kind, true, row->period, UNIT_NANOSECONDS);
	}
}

static void write_cpus(const struct profile_info *info, char *text, size_t size)
{
	int used = snprintf(text, size, "ticks are missing on some CPUs:");

	for (__u32 i = 0; i < PROFILE_CPUS_MAX && i < info->short_cpu_count; i++) {
		const struct profile_cpu *c = &info->short_cpus[i];

		used += snprintf(text + used, size - used, "%s %llu of %llu came on CPU %u", i ? "," : "",
				 c->came, c->wanted, c->cpu);
	}
	if (info->short_cpu_count > PROFILE_CPUS_MAX)
		snprintf(text + used, size - used, ", and less than should on %u others",
			 info->short_cpu_count - PROFILE_CPUS_MAX);
}

static void write_losses(const struct profile_info *info, char text[PPROF_COMMENT_SIZE])
{
	char spans[LOSSES_TEXT_SIZE];

	losses_text(info, spans);
	snprintf(text, PPROF_COMMENT_SIZE, "samples that the log has lost are missing: %s", spans);
}

/* Without memory these are left out. */
static void add_accounts(struct pprof_header *h)
{
	_cleanup_(accounts_free) struct accounts_found found = {};
	_cleanup_(buf_free) struct buf line = {};

	if (accounts_find(h->profile, &found))
		return;
	for (__u32 i = 0; i < accounts_lines(&found); i++) {
		buf_clear(&line);
		if (!accounts_line(h->profile, &found, i, &line))
			snprintf(h->comments[h->comment_count++], PPROF_COMMENT_SIZE, "%.*s", (int)line.size,
				 line.data);
	}
}

/* The end of a long path, since that tells more. recorded/quotas.c reads it again. */
static void write_quota(const struct profile_quota *q, char text[PPROF_COMMENT_SIZE])
{
	const size_t n = strlen(q->cgroup);
	_cleanup_(buf_free) struct buf path = {};
	int used;

	used = snprintf(text, PPROF_COMMENT_SIZE,
			"CPU quota %llu of %llu us: used up in %llu of %llu periods, threads were held back "
			"for %llu us and ran for %llu us; processes",
			q->quota_us, q->period_us, q->ended_early, q->periods, q->held_us, q->ran_us);
	for (__u32 i = 0; i < q->pid_count; i++)
		used += snprintf(text + used, PPROF_COMMENT_SIZE - used, " %u", q->pids[i]);
	if (buf_add_shown(&path, n > QUOTA_PATH ? q->cgroup + n - QUOTA_PATH : q->cgroup, false))
		return;
	snprintf(text + used, PPROF_COMMENT_SIZE - used, "%s of cgroup %.*s", q->more ? " and others" : "",
		 (int)path.size, path.data);
}

static void add_comments(struct pprof_header *h)
{
	const struct profile_info *info = profile_get_info(h->profile);

	if (info->outside)
		snprintf(h->comments[h->comment_count++], PPROF_COMMENT_SIZE,
			 "sampled from outside, without BPF: stacks below [moved] are lost");
	if (info->ticks_wanted && info->timed)
		snprintf(h->comments[h->comment_count++], PPROF_COMMENT_SIZE,
			 "%llu of %llu ticks came: those of a thread share its CPU time", info->ticks_came,
			 info->ticks_wanted);
	else if (info->ticks_wanted)
		snprintf(h->comments[h->comment_count++], PPROF_COMMENT_SIZE,
			 "%llu of %llu ticks came: times are made up for that, a sample stands for %lld ns",
			 info->ticks_came, info->ticks_wanted, info->period_ns);
	if (info->short_cpu_count)
		write_cpus(info, h->comments[h->comment_count++], PPROF_COMMENT_SIZE);
	if (info->unlooked)
		snprintf(h->comments[h->comment_count++], PPROF_COMMENT_SIZE,
			 "%u processes could not be looked at%s%s%s: what they did is not in this profile",
			 info->unlooked, *info->whose_unlooked ? " (" : "", info->whose_unlooked,
			 *info->whose_unlooked ? ")" : "");
	if (info->unanalysed)
		snprintf(h->comments[h->comment_count++], PPROF_COMMENT_SIZE,
			 "%llu ticks of programs that had only begun and were not analysed yet are not in "
			 "this profile",
			 info->unanalysed);
	if (info->forbidden)
		snprintf(h->comments[h->comment_count++], PPROF_COMMENT_SIZE,
			 "%llu ticks of processes that may not be read are not in this profile",
			 info->forbidden);
	if (info->loss_count)
		write_losses(info, h->comments[h->comment_count++]);
	if (info->log_spanless)
		snprintf(h->comments[h->comment_count++], PPROF_COMMENT_SIZE,
			 "%llu of %llu ticks of the log are in no span: what of that was done for this trace "
			 "is not known",
			 info->log_spanless, info->log_ticks);
	for (int i = 0; i < FULL_TABLES; i++)
		if (info->full[i])
			snprintf(h->comments[h->comment_count++], PPROF_COMMENT_SIZE, "%llu %s",
				 info->full[i], full_table_rows[i].what);
	for (__u32 i = 0; i < info->quota_count; i++)
		write_quota(&info->quotas[i], h->comments[h->comment_count++]);
	add_accounts(h);
	h->comment_count += start_times_write(h->profile, &h->comments[h->comment_count]);
	for (size_t i = 0; i < h->comment_count; i++)
		pprof_strings_word(h->strings, h->comments[i]);
}

static void add_carried(struct pprof_header *h)
{
	h->carried_count = carried_list(profile_get_info(h->profile), h->carried);
	add_type(h, EVENT_KINDS, false, CARRIED_TYPE, UNIT_COUNT);
	h->types[h->type_count - 1].is_carried = true;
	pprof_strings_word(h->strings, CARRIED_ROOT);
	for (size_t i = 0; i < h->carried_count; i++)
		pprof_strings_word(h->strings, h->carried[i].name);
}

void pprof_header_open(struct pprof_header *h, const struct profile *p, bool carries,
		       struct pprof_strings *strings)
{
	*h = (struct pprof_header){ .profile = p, .strings = strings };
	add_types(h);
	add_comments(h);
	if (carries)
		add_carried(h);
}

static int64_t clamp(__u64 value)
{
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

int64_t pprof_header_value(const struct pprof_header *h, size_t type, const struct profile_stack *stack)
{
	const struct profile_info *info = profile_get_info(h->profile);
	const __u64 period_ns = info->period_ns;
	const struct pprof_type *t = &h->types[type];
	__u64 value = t->is_carried ? 0 : stack->counts[t->kind];

	if (t->is_time && info->timed)
		return clamp(stack->counts[PROFILE_TIME]);
	if (t->is_time && __builtin_mul_overflow(value, period_ns, &value))
		return INT64_MAX;
	return clamp(value);
}

static int write_type(const struct pprof_type *t, enum pprof_field field, struct pprof_stream *stream)
{
	return pprof_stream_put_type(stream, field, t->type, t->unit);
}

/* The period's type is the first that is a time. */
static const struct pprof_type *find_period(const struct pprof_header *h)
{
	for (size_t i = 0; i < h->type_count; i++)
		if (h->types[i].is_time)
			return &h->types[i];
	return NULL;
}

int64_t pprof_header_default(const struct pprof_header *h)
{
	int64_t type = 0;

	for (size_t i = 0; i < h->type_count; i++)
		if (h->types[i].kind == profile_shown(h->profile))
			type = h->types[i].type;
	return type;
}

static int write_comments(const struct pprof_header *h, struct pprof_stream *stream)
{
	int err = 0;

	for (size_t i = 0; i < h->comment_count && !err; i++)
		err = protobuf_add_varint(&stream->part, pprof_strings_word(h->strings, h->comments[i]));
	return err ?: pprof_stream_put_numbers(stream, PPROF_COMMENT);
}

int pprof_header_write(const struct pprof_header *h, struct pprof_stream *stream)
{
	const struct profile_info *info = profile_get_info(h->profile);
	const struct pprof_type *period = find_period(h);
	int err = 0;

	for (size_t i = 0; i < h->type_count && !err; i++)
		err = write_type(&h->types[i], PPROF_SAMPLE_TYPE, stream);
	err = err ?: protobuf_add_number(&stream->record, PPROF_TIME, info->start_unix_ns) ?:
	      protobuf_add_number(&stream->record, PPROF_DURATION, info->duration_ns) ?:
	      pprof_stream_put_fields(stream);
	if (!err && period)
		err = write_type(period, PPROF_PERIOD_TYPE, stream) ?:
		      protobuf_add_number(&stream->record, PPROF_PERIOD, info->period_ns);
	return err ?: write_comments(h, stream) ?:
	       protobuf_add_number(&stream->record, PPROF_DEFAULT_TYPE, pprof_header_default(h)) ?:
	       pprof_stream_put_fields(stream);
}
