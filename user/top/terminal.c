// SPDX-License-Identifier: GPL-2.0-only
#include "top/terminal.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define OTHER_SCREEN "\033[?1049h\033[?25l" /* and no cursor */
#define FIRST_SCREEN "\033[?25h\033[?1049l"
#define HOME	     "\033[H"
#define CLEAR_LINE   "\033[K"
#define CLEAR_REST   "\033[J"
#define ESCAPE	     '\033'

static void put(const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(STDOUT_FILENO, bytes, size);

		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			bytes += n;
			size -= n;
		}
	}
}

static bool is_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, 0) == 1 && p.revents & events;
}

int terminal_open(struct terminal *t)
{
	struct termios keys;

	if (!isatty(STDOUT_FILENO))
		return -ENOTTY;
	if (isatty(STDIN_FILENO)) {
		if (tcgetattr(STDIN_FILENO, &t->before))
			return -errno;
		keys = t->before;
		keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		if (tcsetattr(STDIN_FILENO, TCSANOW, &keys))
			return -errno;
		t->has_keys = true;
	}
	t->open = true;
	put(OTHER_SCREEN, strlen(OTHER_SCREEN));
	return 0;
}

void terminal_close(struct terminal *t)
{
	if (t->open && is_ready(STDOUT_FILENO, POLLOUT))
		put(FIRST_SCREEN, strlen(FIRST_SCREEN));
	if (t->has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &t->before);
	t->open = t->has_keys = false;
}

void terminal_size(int *ret_columns, int *ret_rows)
{
	struct winsize size = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row) {
		size.ws_col = 80;
		size.ws_row = 24;
	}
	*ret_columns = size.ws_col;
	*ret_rows = size.ws_row;
}

char terminal_key(const struct terminal *t)
{
	char keys[16];
	ssize_t n;

	if (!t->has_keys || !is_ready(STDIN_FILENO, POLLIN))
		return 0;
	n = read(STDIN_FILENO, keys, 1);
	if (n != 1)
		return 0;
	if (keys[0] == ESCAPE && is_ready(STDIN_FILENO, POLLIN)) { /* the rest came with it */
		n = read(STDIN_FILENO, keys, sizeof(keys));
		return n == 2 && keys[1] == 'A' ? TERMINAL_UP : n == 2 && keys[1] == 'B' ? TERMINAL_DOWN : 0;
	}
	return keys[0];
}

void terminal_draw(const struct buf *page)
{
	_cleanup_buf_ struct buf out = { 0 };
	const char *at = page->data, *end = page->data + page->size, *line;
	int err = buf_add_string(&out, HOME);

	if (!is_ready(STDOUT_FILENO, POLLOUT)) /* Ctrl-S */
		return;
	for (; at < end && !err; at = line + 1) {
		line = memchr(at, '\n', end - at);
		if (!line)
			break;
		err = buf_add(&out, at, line - at);
		/* The last line does not scroll the page away. */
		err = err ?: buf_add_string(&out, line + 1 < end ? CLEAR_LINE "\r\n" : CLEAR_LINE);
	}
	err = err ?: buf_add_string(&out, CLEAR_REST);
	if (!err)
		put(out.data, out.size);
}
