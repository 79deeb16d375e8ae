// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_connections.c - clients that take too long, or are too many: real connections, and a clock that the
 * test sets.
 */
#include "tests/forge/test.h"
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

TEST(silent_client)
{
	double begin = clock_seconds(), next;
	int fd = connect_client();

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

TEST(client_that_asks_again)
{
	int fd = connect_client();
	char text[4096];
	double next;

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
TEST(each_has_its_own_time)
{
	int fds[3];
	double next;

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

TEST(many_that_come_and_go)
{
	int fds[30];
	double next;

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

static bool is_open(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* Until so many of these are connected, and no more. */
static void wait_for_open(const int *fds, int n, int expected)
{
	double end = clock_seconds() + PATIENCE_SECONDS;
	int open = -1;

	for (int turn = 0; open != expected || turn < 100; turn++) {
		let_server_work();
		open = 0;
		for (int i = 0; i < n; i++)
			open += is_open(fds[i]);
		if (clock_seconds() > end)
			fail_msg("%d are connected, not %d", open, expected);
	}
}

static void close_all(const int *fds, int n)
{
	for (int i = 0; i < n; i++)
		close(fds[i]);
}

TEST(oldest_of_an_address_makes_room)
{
	int fds[CONNECTIONS_OF_ONE + 1];

	for (int i = 0; i < CONNECTIONS_OF_ONE; i++) {
		fds[i] = connect_client();
		let_server_work();
	}
	wait_for_open(fds, CONNECTIONS_OF_ONE, CONNECTIONS_OF_ONE);
	fds[CONNECTIONS_OF_ONE] = connect_client();
	wait_for_open(fds, CONNECTIONS_OF_ONE + 1, CONNECTIONS_OF_ONE);
	assert_false(is_open(fds[0]));
	say(fds[1], GET("/"));
	assert_int_equal(status_of(hear(fds[1])), 200);
	close(fds[0]);
	close_all(fds + 2, CONNECTIONS_OF_ONE - 1);
}

/* Those of others stay, however old they are. */
TEST(crowd_of_one_address)
{
	int other = connect_client_from(INADDR_LOOPBACK + 1), fds[160];

	for (int i = 0; i < 160; i++)
		fds[i] = connect_client_from(INADDR_LOOPBACK + 2);
	wait_for_open(fds, 160, CONNECTIONS_OF_ONE);
	assert_true(is_open(other));
	for (int i = 0; i < 160; i++)
		assert_int_equal(is_open(fds[i]), i >= 160 - CONNECTIONS_OF_ONE);
	say(other, GET("/"));
	assert_int_equal(status_of(hear(other)), 200);
	assert_int_equal(status_of(ask(GET("/"))), 200);
	close_all(fds, 160);
}

TEST(crowd_of_many_addresses)
{
	int fds[160];

	for (int i = 0; i < 160; i++)
		fds[i] = connect_client_from(INADDR_LOOPBACK + 1 + i);
	wait_for_open(fds, 160, CONNECTIONS_MAX);
	for (int i = 0; i < 160; i++)
		assert_int_equal(is_open(fds[i]), i >= 160 - CONNECTIONS_MAX);
	assert_int_equal(status_of(ask(GET("/"))), 200);
	close_all(fds, 160);
}

/* As route.c has it: the deadline of who waits for a profile is far away. */
TEST(who_waits_for_a_profile_stays)
{
	int first = connect_client(), fds[100];

	say(first, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	while (is_open(first))
		let_server_work();
	connection_set_deadline(connection, HTTP_NEVER);
	for (int i = 0; i < 100; i++)
		fds[i] = connect_client();
	wait_for_open(fds, 100, CONNECTIONS_OF_ONE);
	say(first, GET("/"));
	/* The second answer is behind the first. */
	assert_non_null(strstr(body_of(hear(first)), "HTTP/1.1 200"));
	close_all(fds, 100);
}

TEST(address_of_a_client)
{
	static const struct client_address expected = { { [10] = 0xff, 0xff, 127, 0, 0, 9 } };
	struct client_address address;
	int fd = connect_client_from(INADDR_LOOPBACK + 8);

	say(fd, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	while (is_open(fd))
		let_server_work();
	address = connection_address(connection);
	assert_memory_equal(&address, &expected, sizeof(address));
	close(fd);
}

TEST(descriptor)
{
	struct sockaddr_in a;
	socklen_t size = sizeof(a);
	int fd = connect_client();

	say(fd, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	for (char c; recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) < 0;)
		let_server_work();
	assert_int_equal(getsockname(connection_fd(connection), (struct sockaddr *)&a, &size), 0);
	assert_int_equal(a.sin_port, port);
	close(fd);
}

AROUND_EACH(setup, teardown);
