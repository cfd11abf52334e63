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

/* Catch SIGINT, SIGTERM and SIGHUP, which end screen_wait(), also without a terminal. */
void screen_signals(void);
bool screen_interrupted(void);

/*
 * Take over the terminal. Returns 0; -ENOTTY if standard output or input is no terminal, or the
 * type of the terminal is unknown; -ENOTSUP if this build has no ncurses.
 */
int screen_open(void) MUST_CHECK;
/* Restore the terminal. */
void screen_close(void);

/*
 * Draw the page from line `scroll` on, and the text `keys` at the bottom. Only changed lines are
 * sent to the terminal.
 */
void screen_draw(const struct page *p, size_t scroll, const char *keys);
/*
 * Update *scroll, the first line to draw, for an arrow or page key. Ignores other keys. The caller
 * limits *scroll to the lines of the page.
 */
void screen_scroll(enum screen_key key, size_t *scroll);

/*
 * Read a line of text below the page into answer, at most 127 bytes. answer is unchanged if a
 * signal, or a new size of the terminal, ends the input.
 */
void screen_ask(const char *prompt, char *answer, size_t size);

/* Wait up to ms milliseconds for a key. Without a terminal, only sleeps. */
enum screen_key screen_wait(int64_t ms);
