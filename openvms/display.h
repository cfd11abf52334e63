/* SPDX-License-Identifier: BSD-3-Clause */
/* display.h - show the pages of a sample on the terminal, or print them as text */
#pragma once

#include "openvms/request.h"
#include "screen/screen.h"

/* The state of the display. The caller sets .request, and all other members to 0. */
struct display {
	const struct monitor_request *request;
	bool on, terminal;
	/*
	 * .page: page on the screen, counted over all classes from 0; .scroll: its topmost visible
	 * line
	 */
	size_t page, scroll;
	/* the user chose the page: do not show the next page after a time */
	bool stays;
	struct page shown;
	struct buf text;
};

void display_open(struct display *d);
void display_close(struct display *d);

/*
 * Show the newest sample for `ms` milliseconds. A terminal shows its pages one after the other;
 * otherwise all pages are printed at once. Returns false if the user quits, or if the pages cannot
 * be printed.
 */
bool display_show(struct display *d, const struct shown *newest, int64_t ms);
