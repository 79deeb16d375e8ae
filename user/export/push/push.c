// SPDX-License-Identifier: GPL-2.0-only
#include "export/push/push.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "export/push/item.h"
#include "export/push/otlp_answer.h"
#include "export/push/pauses.h"
#include "formats/otlp_wire.h"
#include "names/shares.h"
#include "net/transfers.h"

#define ACTIVE_MAX	4 /* at once */
#define TROUBLE_SIZE	256
/* Beside its bytes: so many profiles and so many bytes are the same share of what there is. */
#define ITEM_BYTES	(PUSH_BYTES_MAX / PUSH_WAITING_MAX)

struct push {
	struct push_options options; /* strings are ours */
	struct push_target target;
	struct transfers *transfers;
	struct push_item *first, **last;
	struct shares *shares; /* of users; what is called addresses there is bytes and ITEM_BYTES */
	size_t waiting, bytes, active;
	bool hurry, failed, remarked; /* the last two: since nothing was to be tried again */
	bool exposed;
	double not_before; /* CLOCK_MONOTONIC: it wants to be left alone until then */
	struct push_pauses pauses;
	struct push_stats stats;
	char trouble[TROUBLE_SIZE], remark[TROUBLE_SIZE];
};

/* --- the queue ---------------------------------------------------------------------------------------- */

static void stop_item(struct push_item *item)
{
	if (!item->attempt.easy)
		return;
	transfers_remove(item->push->transfers, item->attempt.easy);
	push_attempt_end(&item->attempt);
	item->push->active--;
}

static void remove_item(struct push *p, struct push_item *item)
{
	struct push_item **at = &p->first;

	while (*at != item)
		at = &(*at)->next;
	*at = item->next;
	if (p->last == &item->next)
		p->last = at;
	p->waiting--;
	p->bytes -= item->encoded.size;
	shares_drop(p->shares, item->share, ITEM_BYTES + item->encoded.size);
	stop_item(item);
	push_item_free(item);
	if (push_item_any_failed(p->first))
		return;
	if (!p->failed)
		p->trouble[0] = '\0';
	if (!p->remarked)
		p->remark[0] = '\0';
	p->failed = p->remarked = false;
}

__attribute__((format(printf, 2, 3))) static void trouble(struct push *p, const char *format, ...)
{
	va_list args;

	p->failed = true;
	va_start(args, format);
	vsnprintf(p->trouble, sizeof(p->trouble), format, args);
	va_end(args);
}

static void drop(struct push *p, struct push_item *item)
{
	p->stats.dropped++;
	p->failed = true;
	remove_item(p, item);
}

/* The oldest of the user who has most: others are not to lose theirs, and the newest says most about now. */
static struct push_item *find_victim(const struct push *p)
{
	const struct owner_share *most = shares_most(p->shares);
	struct push_item *item = p->first;

	while (item->share != most)
		item = item->next;
	return item;
}

static void make_room(struct push *p, size_t bytes)
{
	while (p->first && (p->waiting >= PUSH_WAITING_MAX || p->bytes + bytes > PUSH_BYTES_MAX)) {
		if (!*p->trouble)
			trouble(p, "too many profiles wait");
		drop(p, find_victim(p));
	}
}

static bool is_taken(const struct push *p, const struct push_item *item)
{
	return item->is_otlp == (p->target.format == PUSH_OTLP);
}

static void say_not_taken(struct push *p)
{
	trouble(p, "the receiver is of another kind now, and does not take what was made before");
}

void push_add(struct push *p, struct push_list *l)
{
	const double now = clock_seconds();
	struct push_item *item;

	while ((item = push_list_take(l))) {
		if (!is_taken(p, item)) {
			say_not_taken(p);
			p->stats.dropped++;
			push_item_free(item);
			continue;
		}
		make_room(p, item->encoded.size);
		if (shares_take(p->shares, item->user, ITEM_BYTES + item->encoded.size, &item->share)) {
			p->stats.dropped++;
			push_item_free(item);
			continue;
		}
		item->push = p;
		item->not_before = p->hurry ? 0 : now + push_pauses_phase(&p->pauses, p->options.interval);
		*p->last = item;
		p->last = &item->next;
		p->waiting++;
		p->bytes += item->encoded.size;
	}
}

static void drop_not_taken(struct push *p)
{
	struct push_item *next;

	for (struct push_item *item = p->first; item; item = next) {
		next = item->next;
		if (is_taken(p, item))
			continue;
		say_not_taken(p);
		drop(p, item);
	}
}

void push_drop_all(struct push *p)
{
	while (p->first)
		drop(p, p->first);
}

/* --- one attempt -------------------------------------------------------------------------------------- */

/* retry_after: for so many seconds the receiver wants nothing, also of others; 0 = it did not say. */
static void again_later(struct push_item *item, double retry_after)
{
	struct push *p = item->push;
	const double now = clock_seconds();

	p->stats.failures++;
	stop_item(item);
	if (retry_after > 0 && !p->hurry)
		p->not_before = now + push_pauses_wanted(&p->pauses, retry_after);
	if (p->hurry || item->attempts >= PUSH_ATTEMPTS) {
		drop(p, item);
		return;
	}
	item->not_before = now + push_pauses_again(&p->pauses, item->attempts);
}

static void start(struct push *p, struct push_item *item)
{
	struct push_profile profile = push_item_profile(item);
	int err = push_attempt_make(&item->attempt, &p->options, &p->target, &profile, item);

	item->attempts++;
	p->active += item->attempt.easy != NULL;
	p->exposed |= !err && item->attempt.has_credentials && push_target_is_exposed(&p->target);
	err = err ?: transfers_add(p->transfers, item->attempt.easy);
	if (!err)
		return;
	if (err == -EINVAL)
		trouble(p, "%s: a line is not 'Name: value'", p->options.header_file);
	else
		trouble(p, "%s: %s", err == -ENOMEM ? "request" : p->options.header_file, strerror(-err));
	again_later(item, 0);
}

/* OTLP names all that may be tried again, and forbids it for others. */
static bool is_worth_another(const struct push_item *item, long status)
{
	if (item->is_otlp)
		return status == 429 || (status >= 502 && status <= 504);
	return status >= 500 || status == 429 || status == 408;
}

/*
 * The way is not there: Parca 0.21 hides its gateway behind its own path, and gRPC-Web is what it has; an old
 * Pyroscope has no PusherService.
 */
static bool try_instead(struct push *p, struct push_item *item, long status)
{
	const enum push_format instead = receiver_rows[item->attempt.format].instead;

	if (status != 404 || item->is_otlp || !instead)
		return false;
	p->target.format = instead;
	stop_item(item);
	item->attempts--;
	return true;
}

/* A part of it may not have been taken, which is not to be tried again. */
static void on_delivery(struct push *p, struct push_item *item)
{
	struct push_otlp_answer answer = {};

	if (item->is_otlp)
		push_otlp_answer_read(item->attempt.answer, item->attempt.answer_size, &answer);
	p->remarked |= answer.rejected || *answer.message;
	if (answer.rejected)
		snprintf(p->remark, sizeof(p->remark), "%llu profiles rejected%s%s", answer.rejected,
			 *answer.message ? ": " : "", answer.message);
	else if (*answer.message)
		snprintf(p->remark, sizeof(p->remark), "%s", answer.message);
	p->stats.rejected += answer.rejected;
	p->stats.delivered++;
	remove_item(p, item);
}

static void on_answer(struct push *p, struct push_item *item)
{
	long status = push_attempt_status(&item->attempt);
	const char *text = item->attempt.answer;
	char message[PUSH_OTLP_MESSAGE_SIZE];

	if (status >= 200 && status < 300) {
		on_delivery(p, item);
		return;
	}
	if (try_instead(p, item, status))
		return;
	if (item->is_otlp && push_otlp_answer_status(text, item->attempt.answer_size, message))
		text = message;
	trouble(p, "the receiver answers %ld%s%s%s", status,
		item->is_otlp ? " to OTLP profiles of " OTLP_WIRE_VERSION : "", *text ? ": " : "", text);
	if (is_worth_another(item, status)) {
		again_later(item, push_attempt_retry_after(&item->attempt));
		return;
	}
	p->stats.failures++;
	drop(p, item);
}

static void on_end(void *push, CURL *easy, CURLcode code)
{
	struct push_item *item = NULL;
	struct push *p = push;

	curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&item);
	if (!code) {
		on_answer(p, item);
		return;
	}
	trouble(p, "%s", *item->attempt.error ? item->attempt.error : curl_easy_strerror(code));
	again_later(item, 0);
}

/* --- the loop ----------------------------------------------------------------------------------------- */

static bool has_labels_of(const struct push_item *a, const struct push_item *b)
{
	/* Without labels there is no memory, and memcmp() wants some. */
	return a->labels.size == b->labels.size &&
	       (!a->labels.size || !memcmp(a->labels.data, b->labels.data, a->labels.size));
}

/*
 * Pyroscope refuses a profile that is older than one it has of the same service, so each service keeps its
 * order.
 */
static bool is_next(const struct push *p, const struct push_item *item)
{
	for (const struct push_item *before = p->first; before != item; before = before->next)
		if (!strcmp(before->service, item->service) && has_labels_of(before, item))
			return false;
	return !item->attempt.easy;
}

static void start_due(struct push *p)
{
	double now = clock_seconds();
	struct push_item *next;

	if (p->not_before > now)
		return;
	for (struct push_item *item = p->first; item && p->active < ACTIVE_MAX; item = next) {
		next = item->next;
		if (item->not_before <= now && is_next(p, item))
			start(p, item);
	}
}

void push_run(struct push *p)
{
	transfers_run(p->transfers);
	start_due(p);
}

int push_timeout_ms(const struct push *p)
{
	double next = transfers_due(p->transfers);

	for (struct push_item *item = p->first; item && p->active < ACTIVE_MAX; item = item->next) {
		double when = item->not_before > p->not_before ? item->not_before : p->not_before;

		if ((!(next > 0) || when < next) && is_next(p, item))
			next = when > 0 ? when : 1e-9; /* that is at once */
	}
	return transfers_timeout_ms(next);
}

void push_hurry(struct push *p)
{
	p->hurry = true;
	p->not_before = 0;
	for (struct push_item *item = p->first; item; item = item->next)
		item->not_before = 0;
}

int push_fd(const struct push *p)
{
	return transfers_fd(p->transfers);
}

size_t push_waiting(const struct push *p)
{
	return p->waiting;
}

size_t push_waiting_of(const struct push *p, __u64 user)
{
	return shares_count(p->shares, user);
}

const struct push_stats *push_get_stats(const struct push *p)
{
	return &p->stats;
}

bool push_is_exposed(const struct push *p)
{
	return p->exposed;
}

enum push_format push_get_format(const struct push *p)
{
	return p->target.format;
}

const char *push_trouble(const struct push *p)
{
	return p->trouble;
}

const char *push_remark(const struct push *p)
{
	return p->remark;
}

/* --- its life ----------------------------------------------------------------------------------------- */

static void free_options(struct push_options *o)
{
	free((char *)o->url);
	free((char *)o->header_file);
	free((char *)o->ca_file);
}

static int copy_string(const char **ret, const char *s)
{
	*ret = s ? strdup(s) : NULL;
	return s && !*ret ? -ENOMEM : 0;
}

int push_set_options(struct push *p, const struct push_options *o)
{
	struct push_options copy = { .format = o->format, .timeout_seconds = o->timeout_seconds,
				     .interval = o->interval };
	struct push_target target;
	int err = copy_string(&copy.url, o->url);

	err = err ?: copy_string(&copy.header_file, o->header_file) ?: copy_string(&copy.ca_file, o->ca_file);
	err = err ?: push_target_parse(copy.url, o->format, &target);
	if (err) {
		free_options(&copy);
		return err;
	}
	free_options(&p->options);
	p->options = copy;
	p->target = target;
	p->exposed = false;
	p->not_before = 0;
	drop_not_taken(p);
	return 0;
}

int push_open(struct push **ret, const struct push_options *o)
{
	struct push *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->last = &p->first;
	push_pauses_begin(&p->pauses);
	err = shares_new(&p->shares) ?: push_set_options(p, o);
	err = err ?: transfers_open(&p->transfers, ACTIVE_MAX, on_end, p);
	if (err) {
		push_close(p);
		return err;
	}
	*ret = p;
	return 0;
}

void push_close(struct push *p)
{
	if (!p)
		return;
	push_drop_all(p);
	transfers_close(p->transfers);
	shares_free(p->shares);
	free_options(&p->options);
	free(p);
}
