// SPDX-License-Identifier: GPL-2.0-only
/* so_far.c - see so_far.h. */
#include "run/so_far.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorded/recorded.h"

static const struct recorded *reading;
static volatile sig_atomic_t is_read;

/* A signal may come in the middle of printf(), so nothing of stdio is called. */
static void write_text(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(EXIT_FAILURE);
}

static void say_number(size_t number)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do
		digits[--at] = '0' + number % 10;
	while (number /= 10);
	write_text(digits + at);
}

static void on_term(int number)
{
	(void)number;
	write_text(is_read ? "pyperf-bpf: ended while it counted " : "pyperf-bpf: ended while it read: ");
	say_number(recorded_stacks(reading));
	write_text(" different stacks of ");
	say_number(reading->files);
	write_text(is_read ? " files, which it has read\n" : " files so far\n");
	_exit(EXIT_FAILURE);
}

int so_far_reading(const struct recorded *r)
{
	const struct sigaction action = { .sa_handler = on_term };

	reading = r;
	is_read = 0;
	return sigaction(SIGTERM, &action, NULL) ? -errno : 0;
}

void so_far_answering(void)
{
	is_read = 1;
}
