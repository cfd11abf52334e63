/* SPDX-License-Identifier: BSD-3-Clause */
/* screen.h - the terminal of a live view: draw pages and read keys */
#pragma once

#include "screen/page.h"

enum screen_key {
	SCREEN_TIME,		/* no key was pressed before the timeout */
	SCREEN_QUIT,		/* q, Escape, or a signal caught by screen_signals() */
	SCREEN_NEXT, SCREEN_PREVIOUS,	/* change to another page */
	SCREEN_UP, SCREEN_DOWN,		/* scroll by one line */
	SCREEN_PAGE_UP, SCREEN_PAGE_DOWN,
	SCREEN_RESIZED,
	SCREEN_HELP, SCREEN_SORT, SCREEN_FILTER,
};

/*
 * Catch SIGINT, SIGTERM and SIGHUP. After such a signal, screen_wait() returns SCREEN_QUIT, also
 * without a terminal.
 */
void screen_signals(void);
bool screen_interrupted(void);

/*
 * Take over the terminal. Returns 0; -ENOTTY if standard output or input is not a terminal, or if
 * its type is unknown; -ENOTSUP if nodometer was built without ncurses.
 */
int screen_open(void) MUST_CHECK;
/* Restore the terminal. */
void screen_close(void);

/*
 * Draw the page, its lines from number `scroll` (from 0) on, and the text `keys` at the bottom.
 * Only changes are sent to the terminal.
 */
void screen_draw(const struct page *p, size_t scroll, const char *keys);
/*
 * Update *scroll, the number of the first line to draw, after an arrow or page key. Other keys
 * change nothing. The caller limits *scroll to the lines of the page.
 */
void screen_scroll(enum screen_key key, size_t *scroll);

/*
 * Show `prompt` below the page, and read a line of text into `answer`, at most 127 bytes. `answer`
 * is unchanged if a signal, or a change of the terminal's size, ends the input.
 */
void screen_ask(const char *prompt, char *answer, size_t size);

/* Wait up to `ms` milliseconds for a key. Without a terminal, sleep for this time. */
enum screen_key screen_wait(int64_t ms);
