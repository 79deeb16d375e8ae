// SPDX-License-Identifier: GPL-2.0-only
/*
 * network.c - what a run with --push or --kubelet talks to: libcurl, the kubelet, the receiver. Each is asked
 * once, for a few seconds at most. A receiver gets no profile.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "doctor/checks.h"
#include "net/headers.h"
#include "net/libcurl.h"
#include "net/transfers.h"

#define PATIENCE_SECONDS 10.0

static bool is_wanted(const struct examination *x)
{
	return x->push.url || x->kubelet.url;
}

void check_libcurl(struct examination *x, struct checked *ret)
{
	const int err = libcurl_open();
	char version[64];

	x->has_libcurl = !err;
	if (!err) {
		snprintf(version, sizeof(version), "%s", curl_version());
		version[strcspn(version, " ")] = '\0';
		finding_say(ret, GRADE_OK, "%s", version);
		return;
	}
	finding_say(ret, is_wanted(x) ? GRADE_MISSING : GRADE_NOTE, "%s",
		    err == -ENOPKG ? "not installed here: --push and --kubelet need it" :
				     libcurl_strerror(err));
	if (err == -ENOSYS)
		return;
	finding_mend(ret, "sudo apt-get install libcurl4 (Debian, Ubuntu)");
	finding_mend(ret, "sudo dnf install libcurl (Fedora), or the package of that name");
}

static void wait_for(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, timeout_ms < 0 || timeout_ms > 1000 ? 1000 : timeout_ms);
}

/* --- the kubelet ---------------------------------------------------------------------------------------- */

static void say_kubelet(const struct kubelet *k, const char *url, struct checked *ret)
{
	const char *trouble = kubelet_trouble(k);

	if (!*trouble && kubelet_is_busy(k))
		trouble = "no answer within 10 s";
	if (!*trouble) {
		finding_say(ret, GRADE_OK, "%s names %zu pods", url, kubelet_get_stats(k).pods);
		return;
	}
	finding_say(ret, GRADE_MISSING, "%s: %s", url, trouble);
	finding_mend(ret, "its address is https://NODE:10250; a certificate that the system does not know: "
			  "--kubelet-ca-file FILE");
	finding_mend(ret, "401 or 403: a token (--kubelet-token-file) that may get nodes/pods, or nodes/"
			  "proxy before Kubernetes 1.33: deploy/kubernetes/overlays/pod-labels");
}

void check_kubelet(struct examination *x, struct checked *ret)
{
	const double end = clock_seconds() + PATIENCE_SECONDS;
	struct kubelet *k;
	int err;

	if (!x->kubelet.url) {
		if (x->in_pod)
			finding_say(ret, GRADE_NOTE, "not asked: --kubelet https://NODE:10250 names it");
		return;
	}
	if (!x->has_libcurl) {
		finding_say(ret, GRADE_UNKNOWN, "not asked, for want of libcurl");
		return;
	}
	err = kubelet_open(&k, &x->kubelet);
	if (err) {
		finding_say(ret, GRADE_UNKNOWN, "not asked: %s", strerror(-err));
		return;
	}
	do {
		kubelet_run(k);
		if (kubelet_is_busy(k))
			wait_for(kubelet_fd(k), kubelet_timeout_ms(k));
	} while (kubelet_is_busy(k) && clock_seconds() < end);
	say_kubelet(k, x->kubelet.url, ret);
	kubelet_close(k);
}

/* --- the receiver --------------------------------------------------------------------------------------- */

struct network_visit {
	struct push_target target;
	struct transfers *transfers;
	struct curl_slist *headers;
	struct transfer_headers answered;
	CURL *easy;
	bool has_ended;
	CURLcode code;
	char error[CURL_ERROR_SIZE];
};

static void on_end(void *context, CURL *easy, CURLcode code)
{
	struct network_visit *v = context;

	(void)easy;
	v->has_ended = true;
	v->code = code;
}

/* Ends the request: the status is all that is wanted. */
static size_t on_body(char *data, size_t size, size_t n, void *context)
{
	(void)data;
	(void)size;
	(void)n;
	(void)context;
	return 0;
}

/* Where profiles would go to, so that whoever guards it wants to see the same credentials. */
static int begin_visit(struct network_visit *v, const struct push_options *o)
{
	_cleanup_buf_ struct buf url = { 0 };
	int err = push_request_place(&v->target, &url) ?: buf_add(&url, "", 1);

	if (!err && o->header_file)
		err = headers_read(o->header_file, PUSH_HEADERS_MAX, &v->headers);
	v->easy = err ? NULL : curl_easy_init();
	if (err)
		return err;
	if (!v->easy || transfer_prepare(v->easy, &(struct transfer){
							  .url = url.data,
							  .protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS,
							  .headers = v->headers,
							  .answered = &v->answered,
							  .ca_file = o->ca_file,
							  .timeout_seconds = (long)PATIENCE_SECONDS,
							  .error = v->error,
							  .on_body = on_body,
						  }))
		return -ENOMEM;
	return transfers_add(v->transfers, v->easy);
}

static void end_visit(struct network_visit *v)
{
	if (v->easy)
		transfers_remove(v->transfers, v->easy);
	curl_easy_cleanup(v->easy);
	curl_slist_free_all(v->headers);
	transfers_close(v->transfers);
}

static void say_receiver(const struct network_visit *v, struct checked *ret)
{
	long status = 0;

	curl_easy_getinfo(v->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status == 401 || status == 403 || status == 407) {
		finding_say(ret, GRADE_MISSING, "%s answers %ld: it wants other credentials", v->target.url,
			    status);
		finding_mend(ret, "--push-header-file FILE with a line 'Authorization: ...' or as the "
				  "receiver wants it");
	} else if (status) {
		finding_say(ret, GRADE_OK, "%s answers (%ld, without a profile)", v->target.url, status);
	} else {
		finding_say(ret, GRADE_MISSING, "%s: %s", v->target.url,
			    *v->error	 ? v->error :
			    v->has_ended ? curl_easy_strerror(v->code) :
					   "no answer within 10 s");
		finding_mend(ret, "is the receiver there, and is that its address? A certificate that the "
				  "system does not know: --push-ca-file FILE");
	}
}

void check_receiver(struct examination *x, struct checked *ret)
{
	const double end = clock_seconds() + PATIENCE_SECONDS;
	struct network_visit v = { 0 };
	int err;

	if (!x->push.url)
		return;
	if (!x->has_libcurl) {
		finding_say(ret, GRADE_UNKNOWN, "not asked, for want of libcurl");
		return;
	}
	err = push_target_parse(x->push.url, x->push.format, &v.target) ?:
	      transfers_open(&v.transfers, 1, on_end, &v) ?: begin_visit(&v, &x->push);
	for (; !err && !v.has_ended && clock_seconds() < end; transfers_run(v.transfers))
		wait_for(transfers_fd(v.transfers), transfers_timeout_ms(transfers_due(v.transfers)));
	if (!err) {
		say_receiver(&v, ret);
	} else {
		finding_say(ret, GRADE_MISSING, "it cannot be asked: %s%s%s",
			    x->push.header_file ?: "", x->push.header_file ? ": " : "", strerror(-err));
		finding_mend(ret, "each line of --push-header-file FILE is 'Name: value'");
	}
	end_visit(&v);
}
