/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * terminal.h - the terminal as a page that is drawn anew, and keys that come one by one. ANSI codes that
 * every terminal, tmux and screen know suffice, so no library is needed.
 */
#ifndef PYPERF_TOP_TERMINAL_H
#define PYPERF_TOP_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "base/buf.h"

struct terminal {
	bool open, has_keys;
	struct termios before; /* of stdin, when it has keys */
};

/*
 * Takes stdout, which must be a terminal, and the keys of stdin if that is one, too. Ctrl-C goes on to be a
 * signal. 0; -ENOTTY; -errno. terminal_close() puts everything back, and may be called at any time.
 */
int terminal_open(struct terminal *t);
void terminal_close(struct terminal *t);

/* Columns and rows now; 80 and 24 when it does not say. */
void terminal_size(int *ret_columns, int *ret_rows);
/* Cursor keys, as letters that do the same. */
#define TERMINAL_UP   'k'
#define TERMINAL_DOWN 'j'

/* The next key; 0 = none is there. What comes of other keys that are no letters is left out. */
char terminal_key(const struct terminal *t);
/* Draws the page, whose lines end with "\n", if the terminal takes output now. */
void terminal_draw(const struct buf *page);

#endif
