/* SPDX-License-Identifier: BSD-3-Clause */
/* display.h - show pages in turn: on the terminal, or as text if there is none */
#pragma once

#include "openvms/request.h"
#include "screen/screen.h"

/*
 * A display that is all zero except .request is a valid new display; display_close() releases it.
 */
struct display {
	const struct monitor_request *request;
	bool on, terminal;
	/* the page shown now, counted over all classes, and its first line on the screen */
	size_t page, scroll;
	bool stays;		/* the user chose the page: pages no longer take turns */
	struct page shown;
	struct buf text;
};

void display_open(struct display *d);
void display_close(struct display *d);

/*
 * Show the newest moment for ms milliseconds, on a terminal one page after the other. Returns false
 * if the user quits.
 */
bool display_show(struct display *d, const struct shown *newest, int64_t ms);
