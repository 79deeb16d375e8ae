// SPDX-License-Identifier: GPL-2.0-only
#include "kubelet/kubelet.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/small_file.h"
#include "kubelet/pod_list.h"
#include "net/headers.h"
#include "net/transfers.h"

#define TOKEN_MAX	16384
#define TIMEOUT_SECONDS 30L
#define WANTED_MAX	64
#define TROUBLE_SIZE	512
#define LETTERS		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct kubelet {
	struct kubelet_options options;
	struct transfers *transfers;
	/* The request that is under way, if easy is not NULL. */
	CURL *easy;
	struct curl_slist *headers;
	struct transfer_headers answered;
	struct pod_list *list;
	int list_error;
	char said[128]; /* the beginning of an answer that is a refusal */
	size_t said_size;
	char error[CURL_ERROR_SIZE];
	/*
	 * When to ask again, when to ask at the earliest, and the pause after a failure; CLOCK_MONOTONIC, s.
	 */
	double next, earliest, pause;
	char wanted[WANTED_MAX][POD_UID_SIZE]; /* pods that were met and are not known */
	size_t wanted_count, asked_count;      /* asked_count: how many there were when the request began */
	struct pod_labels labels;
	struct kubelet_stats stats;
	char trouble[TROUBLE_SIZE];
};

bool kubelet_is_url(const char *text)
{
	static const char start[] = "https://";
	const char *host = text + strlen(start);

	if (strncmp(text, start, strlen(start)) || !*host || *host == ':')
		return false;
	return strspn(host, LETTERS "0123456789.-_:[]%") == strlen(host);
}

/* --- the answer --------------------------------------------------------------------------------------- */

static size_t on_body(char *data, size_t size, size_t n, void *context)
{
	struct kubelet *k = context;
	long status = 0;

	curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200) {
		k->list_error = pod_list_add(k->list, data, size * n);
	} else {
		size_t room = sizeof(k->said) - 1 - k->said_size, part = size * n < room ? size * n : room;

		memcpy(k->said + k->said_size, data, part);
		k->said_size += part;
	}
	return k->list_error ? 0 : size * n;
}

static void end_request(struct kubelet *k)
{
	if (k->easy) {
		transfers_remove(k->transfers, k->easy);
		curl_easy_cleanup(k->easy);
	}
	curl_slist_free_all(k->headers);
	pod_list_free(k->list);
	k->easy = NULL;
	k->headers = NULL;
	k->list = NULL;
}

static void fail(struct kubelet *k, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail(struct kubelet *k, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(k->trouble, sizeof(k->trouble), format, args);
	va_end(args);
	k->stats.failures++;
	end_request(k);
	k->next = k->earliest = clock_seconds() + k->pause;
	k->pause = k->pause * 2 < KUBELET_REFRESH_SECONDS ? k->pause * 2 : KUBELET_REFRESH_SECONDS;
}

static void fail_list(struct kubelet *k, int err)
{
	fail(k, "%s", err == -EFBIG ? "its list of pods is too large" :
		      err == -EBADMSG ? "its answer is not a list of pods" : strerror(-err));
}

/*
 * A pod for which the kubelet was asked, and which it does not name, is known to have no labels, until the
 * list is due anyway.
 */
static void settle_wanted(struct kubelet *k, struct pod_entry *entries, size_t *count)
{
	size_t left = 0;

	for (size_t i = 0; i < k->wanted_count; i++) {
		bool is_known = false;

		for (size_t j = 0; !is_known && j < *count; j++)
			is_known = !strcmp(entries[j].uid, k->wanted[i]);
		if (is_known)
			continue;
		if (i >= k->asked_count)
			memmove(k->wanted[left++], k->wanted[i], POD_UID_SIZE);
		else
			memcpy(entries[(*count)++].uid, k->wanted[i], POD_UID_SIZE);
	}
	k->wanted_count = left;
}

static int take_list(struct kubelet *k, double now)
{
	struct pod_entry *entries, *grown;
	size_t count;
	int err = pod_list_take(k->list, k->options.names, &entries, &count);

	if (err)
		return err;
	grown = reallocarray(entries, count + WANTED_MAX, sizeof(*grown));
	if (!grown) {
		free(entries);
		return -ENOMEM;
	}
	memset(grown + count, 0, WANTED_MAX * sizeof(*grown));
	k->stats.pods = count;
	settle_wanted(k, grown, &count);
	return pod_labels_update(&k->labels, grown, count, now);
}

static void on_answer(struct kubelet *k)
{
	double now = clock_seconds();
	long status = 0;
	int err;

	curl_easy_getinfo(k->easy, CURLINFO_RESPONSE_CODE, &status);
	k->said[k->said_size] = '\0'; /* on_body() leaves room */
	k->said[strcspn(k->said, "\r\n")] = '\0';
	if (status != 200) {
		fail(k, "it answers %ld%s%s", status, *k->said ? ": " : "", k->said);
		return;
	}
	err = take_list(k, now);
	if (err) {
		fail_list(k, err);
		return;
	}
	end_request(k);
	k->trouble[0] = '\0';
	k->pause = KUBELET_PAUSE_SECONDS;
	k->earliest = now + k->pause;
	k->next = k->wanted_count ? k->earliest : now + KUBELET_REFRESH_SECONDS;
}

static void on_end(void *kubelet, CURL *easy, CURLcode code)
{
	struct kubelet *k = kubelet;

	(void)easy;
	if (k->list_error)
		fail_list(k, k->list_error);
	else if (code)
		fail(k, "%s", *k->error ? k->error : curl_easy_strerror(code));
	else
		on_answer(k);
}

/* --- the request -------------------------------------------------------------------------------------- */

/* The token ends at the first blank or newline; what follows is no part of it. */
static int make_headers(struct kubelet *k)
{
	_cleanup_free_ char *token = NULL;
	int err = small_file_read(k->options.token_file, TOKEN_MAX, &token);

	if (err)
		return err;
	token[strcspn(token, " \t\r\n")] = '\0';
	if (!*token || strspn(token, LETTERS "0123456789-._~+/=") != strlen(token)) /* RFC 6750: b64token */
		return -EINVAL;
	return headers_add(&k->headers, "Authorization: Bearer %s", token);
}

static int make_request(struct kubelet *k)
{
	char url[512];

	if (snprintf(url, sizeof(url), "%s/pods", k->options.url) >= (int)sizeof(url))
		return -EINVAL;
	k->easy = curl_easy_init();
	if (!k->easy)
		return -ENOMEM;
	if (transfer_prepare(k->easy, &(struct transfer){
					      .url = url,
					      .protocols = CURLPROTO_HTTPS,
					      .headers = k->headers,
					      .answered = &k->answered,
					      .ca_file = k->options.ca_file,
					      .insecure = k->options.insecure,
					      .timeout_seconds = TIMEOUT_SECONDS,
					      .error = k->error,
					      .on_body = on_body,
					      .context = k,
				      }) ||
	    curl_easy_setopt(k->easy, CURLOPT_NOPROXY, "*")) /* it is this node's */
		return -ENOMEM;
	return transfers_add(k->transfers, k->easy);
}

static void start(struct kubelet *k)
{
	int err;

	k->stats.requests++;
	k->list_error = 0;
	k->said_size = 0;
	k->answered = (struct transfer_headers){};
	k->error[0] = '\0';
	k->asked_count = k->wanted_count;
	err = make_headers(k);
	if (err) {
		fail(k, "%s: %s", k->options.token_file,
		     err == -EINVAL ? "this is not a token" : strerror(-err));
		return;
	}
	err = pod_list_new(&k->list) ?: make_request(k);
	if (err)
		fail(k, "%s", strerror(-err));
}

void kubelet_run(struct kubelet *k)
{
	transfers_run(k->transfers);
	if (!k->easy && clock_seconds() >= k->next)
		start(k);
}

int kubelet_timeout_ms(const struct kubelet *k)
{
	return transfers_timeout_ms(k->easy ? transfers_due(k->transfers) : k->next);
}

void kubelet_meet(struct kubelet *k, const char *pod_uid)
{
	if (!k || !cgroup_is_pod_uid(pod_uid) || pod_labels_find(&k->labels, pod_uid) ||
	    k->wanted_count == WANTED_MAX)
		return;
	for (size_t i = 0; i < k->wanted_count; i++)
		if (!strcmp(k->wanted[i], pod_uid))
			return;
	strcpy(k->wanted[k->wanted_count++], pod_uid);
	if (k->next > k->earliest)
		k->next = k->earliest;
}

/* --- its life ----------------------------------------------------------------------------------------- */

int kubelet_open(struct kubelet **ret, const struct kubelet_options *o)
{
	struct kubelet *k = calloc(1, sizeof(*k));
	int err;

	if (!k)
		return -ENOMEM;
	k->options = *o;
	k->pause = KUBELET_PAUSE_SECONDS;
	k->next = clock_seconds();
	err = transfers_open(&k->transfers, 1, on_end, k);
	if (err) {
		free(k);
		return err;
	}
	*ret = k;
	return 0;
}

void kubelet_close(struct kubelet *k)
{
	if (!k)
		return;
	end_request(k);
	transfers_close(k->transfers);
	pod_labels_free(&k->labels);
	free(k);
}

int kubelet_fd(const struct kubelet *k)
{
	return transfers_fd(k->transfers);
}

bool kubelet_is_busy(const struct kubelet *k)
{
	return k->easy;
}

const struct pod_labels *kubelet_labels(const struct kubelet *k)
{
	return &k->labels;
}

struct kubelet_stats kubelet_get_stats(const struct kubelet *k)
{
	return k->stats;
}

const char *kubelet_trouble(const struct kubelet *k)
{
	return k->trouble;
}
