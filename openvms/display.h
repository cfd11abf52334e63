/* SPDX-License-Identifier: BSD-3-Clause */
/* display.h - pages in turn: on the terminal, or as text where there is none */
#pragma once

#include "monitor/request.h"
#include "screen/screen.h"

/* All zero but .request is a new one; display_close() ends it. */
struct display {
	const struct request *request;
	bool on, terminal;
	size_t page, scroll;	/* shown now, of all classes */
	bool stays;		/* the user chose it: pages do not take turns any more */
	struct page shown;
	struct buf text;
};

void display_open(struct display *d);
void display_close(struct display *d);

/*
 * Shows the newest moment, for so long; on a terminal one page after the other. false: the user has
 * had enough.
 */
bool display_show(struct display *d, const struct shown *newest, int64_t ms);
