/* SPDX-License-Identifier: BSD-3-Clause */
/* display.h - show the pages of a sample on the terminal, or print them as text */
#pragma once

#include "openvms/request.h"
#include "screen/screen.h"

/* The state of the display. The caller sets .request, and all other members to 0. */
struct display {
	const struct monitor_request *request;
	bool on, terminal;
	/* number of the page on the screen, over all classes, and its first line on the screen */
	size_t page, scroll;
	bool stays;		/* the user chose the page: do not turn pages any more */
	struct page shown;
	struct buf text;
};

void display_open(struct display *d);
void display_close(struct display *d);

/*
 * Show the newest sample for `ms` milliseconds. A terminal shows one page after the other. Returns
 * false if the user quits, or if the pages cannot be printed.
 */
bool display_show(struct display *d, const struct shown *newest, int64_t ms);
