// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_transfers_tls.c - requests to a server with a certificate: one that is not trusted gets no request.
 */
#include <signal.h>
#include <string.h>

#include "tests/forge/test.h"
#include "tests/unit/net/requests.h"

static char folder[] = "/tmp/pyperf-transfers.XXXXXX", certificate[64];
static FILE *tls;
static pid_t tls_pid;
static unsigned short tls_port;

/* A server with a certificate that nobody has signed but itself, by the openssl command. */
static int setup_tls(void **state)
{
	char command[512], line[256];

	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	if (setup(state) || !mkdtemp(folder))
		return -1;
	snprintf(certificate, sizeof(certificate), "%s/cert.pem", folder);
	snprintf(command, sizeof(command),
		 "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
		 "/CN=t "
		 "-addext subjectAltName=IP:127.0.0.1 -keyout %s/key.pem -out %s >/dev/null 2>&1",
		 folder, certificate);
	if (system(command))
		return 0; /* no openssl: the tests say so */
	snprintf(command, sizeof(command),
		 "echo $$; exec openssl s_server -www -accept 127.0.0.1:0 -key %s/key.pem -cert %s "
		 "2>/dev/null",
		 folder, certificate);
	tls = popen(command, "re");
	if (!tls || fscanf(tls, "%d", &tls_pid) != 1)
		return -1;
	while (fgets(line, sizeof(line), tls))
		if (sscanf(line, "ACCEPT 127.0.0.1:%hu", &tls_port) == 1)
			return 0;
	return -1;
}

static int teardown_tls(void **state)
{
	char command[128];

	if (tls) {
		kill(tls_pid, SIGKILL);
		pclose(tls);
	}
	tls = NULL;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) || teardown(state);
}

static void needs_tls(void)
{
	if (tls)
		return;
	print_message("SKIP: no openssl command\n");
	skip();
}

TEST(certificate_that_is_trusted)
{
	struct request *r = &requests[0];
	struct transfer t;

	needs_tls();
	t = to(r, "https", tls_port);
	t.ca_file = certificate;
	r->refuse_body = true; /* a page of details */
	add(r, t);
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_WRITE_ERROR);
	assert_int_equal(status(r), 200);
}

TEST(certificate_that_is_not)
{
	struct request *r = &requests[0];

	needs_tls();
	add(r, to(r, "https", tls_port));
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_PEER_FAILED_VERIFICATION);
	assert_int_equal(status(r), 0);
	assert_true(*r->error);
}

/* It is for 127.0.0.1, not for a name that somebody has for that address. */
TEST(certificate_of_another_host)
{
	struct request *r = &requests[0];
	struct transfer t;

	needs_tls();
	t = to(r, "https", tls_port);
	snprintf(r->url, sizeof(r->url), "https://localhost:%u/x", tls_port);
	t.ca_file = certificate;
	add(r, t);
	turn_until_end(r);
	assert_int_equal(r->code, CURLE_PEER_FAILED_VERIFICATION);
	assert_int_equal(status(r), 0);
}

TEST(whoever_answers_is_trusted)
{
	struct request *r = &requests[0];
	struct transfer t;

	needs_tls();
	t = to(r, "https", tls_port);
	snprintf(r->url, sizeof(r->url), "https://localhost:%u/x", tls_port);
	t.insecure = true;
	r->refuse_body = true;
	add(r, t);
	turn_until_end(r);
	assert_int_equal(status(r), 200);
}

static int begin(void **state)
{
	(void)state;
	prepare();
	return 0;
}

AROUND_EACH(setup_tls, teardown_tls);
AROUND_ALL(begin, NULL);
