// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_connections.c - clients that take too long: real connections, and a clock that the test sets.
 */
#include "tests/unit/http/client.h"

static answer_function *answer;
static struct MHD_Connection *connection; /* the last that asked */

static enum MHD_Result remember(const struct client *c)
{
	connection = c->connection;
	return answer_line(c, 200, "hello");
}

static int setup(void **state)
{
	(void)state;
	answer = remember;
	start_server(answer_at_once, &answer, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	stop_server();
	return 0;
}

/* Until somebody has a deadline, or nobody. */
static void wait_until(double *ret_next, bool there)
{
	double end = clock_seconds() + PATIENCE_SECONDS;

	do {
		let_server_work();
		*ret_next = connections_next(&connections);
		assert_true(clock_seconds() < end);
	} while ((*ret_next < HTTP_NEVER) != there);
}

static void silent_client(void **state)
{
	double begin = clock_seconds(), next;
	int fd = connect_client();

	(void)state;
	assert_true(connections_next(&connections) == HTTP_NEVER);
	wait_until(&next, true);
	assert_true(next >= begin + CONNECTION_REQUEST_SECONDS);
	assert_true(next <= clock_seconds() + CONNECTION_REQUEST_SECONDS);
	connections_run(&connections, next - 0.001);
	assert_true(connections_next(&connections) == next);
	say(fd, "GET / HTTP/1.1\r\n"); /* a byte now and then does not help */
	let_server_work();
	assert_true(connections_next(&connections) == next);
	connections_run(&connections, next);
	assert_true(connections_next(&connections) == HTTP_NEVER); /* nobody is woken for it again */
	assert_string_equal(hear(fd), "");
	wait_until(&next, false);
}

static void client_that_asks_again(void **state)
{
	int fd = connect_client();
	char text[4096];
	double next;

	(void)state;
	say(fd, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	for (ssize_t n = -1; n < 0; n = recv(fd, text, sizeof(text), MSG_DONTWAIT))
		let_server_work();
	next = connections_next(&connections);
	assert_true(next < HTTP_NEVER && next > clock_seconds() + CONNECTION_REQUEST_SECONDS);
	connection_set_deadline(connection, HTTP_NEVER);
	assert_true(connections_next(&connections) == HTTP_NEVER);
	connections_run(&connections, HTTP_NEVER / 2);
	say(fd, GET("/"));
	assert_int_equal(status_of(hear(fd)), 200);
}

/* The first that is late is not the first that came. */
static void each_has_its_own_time(void **state)
{
	int fds[3];
	double next;

	(void)state;
	for (int i = 0; i < 3; i++) {
		fds[i] = connect_client();
		say(fds[i], "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
		for (char c; recv(fds[i], &c, 1, MSG_PEEK | MSG_DONTWAIT) < 0;)
			let_server_work();
		connection_set_deadline(connection, 1000 + (i + 1) % 3);
	}
	next = connections_next(&connections);
	assert_true(next == 1000);
	connections_run(&connections, next);
	assert_int_equal(status_of(hear(fds[2])), 200); /* what it was sent before, and the end */
	assert_true(connections_next(&connections) == 1001);
	close(fds[0]);
	close(fds[1]);
	wait_until(&next, false);
}

static void many_that_come_and_go(void **state)
{
	int fds[30];
	double next;

	(void)state;
	for (int i = 0; i < 30; i++)
		fds[i] = connect_client();
	wait_until(&next, true);
	for (int i = 0; i < 100; i++)
		let_server_work();
	for (int i = 0; i < 30; i += 2)
		close(fds[i]);
	for (int i = 1; i < 30; i += 2) {
		say(fds[i], GET("/"));
		assert_int_equal(status_of(hear(fds[i])), 200);
	}
	wait_until(&next, false);
}

static void descriptor(void **state)
{
	struct sockaddr_in a;
	socklen_t size = sizeof(a);
	int fd = connect_client();

	(void)state;
	say(fd, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	for (char c; recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) < 0;)
		let_server_work();
	assert_int_equal(getsockname(connection_fd(connection), (struct sockaddr *)&a, &size), 0);
	assert_int_equal(a.sin_port, port);
	close(fd);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(silent_client),
		TEST(client_that_asks_again),
		TEST(each_has_its_own_time),
		TEST(many_that_come_and_go),
		TEST(descriptor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
