/* SPDX-License-Identifier: BSD-3-Clause */
/* screen.h - the terminal of a live view: draws pages, and says what the user presses */
#pragma once

#include "screen/page.h"

enum screen_key {
	SCREEN_TIME,		/* nothing was pressed meanwhile */
	SCREEN_QUIT,		/* q, Escape, or a signal that screen_signals() takes */
	SCREEN_NEXT, SCREEN_PREVIOUS,	/* another page */
	SCREEN_UP, SCREEN_DOWN,		/* a line of this one */
	SCREEN_PAGE_UP, SCREEN_PAGE_DOWN,
	SCREEN_RESIZED,
	SCREEN_HELP, SCREEN_SORT, SCREEN_FILTER,
};

/* SIGINT, SIGTERM and SIGHUP end what waits from here on; also without a terminal. */
void screen_signals(void);
bool screen_interrupted(void);

/* 0, -ENOTTY: standard output or input is no terminal, -ENOTSUP: built without ncurses. */
int screen_open(void) MUST_CHECK;
void screen_close(void);	/* the terminal is as it was */

/* From the scroll-th line on. Lines that did not change are not sent again. */
void screen_draw(const struct page *p, size_t scroll, const char *keys);
/* Where screen_draw() begins after a key: other keys than arrows and pages change nothing. */
void screen_scroll(enum screen_key key, size_t *scroll);

/* A line of text, typed below the page; what it was if the user gives up. */
void screen_ask(const char *prompt, char *answer, size_t size);

/* Waits so long at most; without a terminal it only sleeps. */
enum screen_key screen_wait(int64_t ms);
