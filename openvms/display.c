/* SPDX-License-Identifier: BSD-3-Clause */
/* display.c - show the pages of a sample on the terminal, or print them as text */
#include "openvms/display.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"

void display_open(struct display *d)
{
	d->on = d->request->display;
	if (!d->on)
		return;
	int r = screen_open();
	d->terminal = r == 0;
	if (r == -ENOTSUP && isatty(STDOUT_FILENO))
		log_notice("built without ncurses: pages are printed one after the other");
}

void display_close(struct display *d)
{
	if (d->terminal)
		screen_close();
	page_free(&d->shown);
	buf_free(&d->text);
}

/*
 * Find page n, counted over all classes that have data: sets s->class, and *page to the number of
 * the page in that class. Returns false if there are fewer pages.
 */
static bool display_find_page(const struct shown *newest, size_t n, struct shown *s, size_t *page)
{
	*s = *newest;
	for (s->class = 0; s->class < VMS_CLASSES; s->class++) {
		if (!s->stats->of[s->class].moments)
			continue;
		size_t pages = view_pages(s);
		if (n < pages) {
			*page = n;
			return true;
		}
		n -= pages;
	}
	return false;
}

static size_t display_count_pages(const struct shown *newest)
{
	struct shown s;
	size_t n = 0, page;
	while (display_find_page(newest, n, &s, &page))
		n++;
	return n;
}

static bool display_print_all(struct display *d, const struct shown *newest)
{
	struct shown s;
	size_t page;
	d->text.n = 0;
	for (size_t n = 0; display_find_page(newest, n, &s, &page); n++) {
		view_make(&s, page, &d->shown);
		page_put(&d->shown, &d->text);
		buf_add_char(&d->text, '\n');
	}
	return files_write(STDOUT_FILENO, buf_str(&d->text)) == 0;
}

static void display_draw_page(struct display *d, const struct shown *newest, size_t pages)
{
	struct shown s;
	size_t page;
	char keys[80];
	if (d->page >= pages)
		d->page = 0;
	if (!display_find_page(newest, d->page, &s, &page))
		return;
	view_make(&s, page, &d->shown);
	if (d->scroll >= d->shown.n)
		d->scroll = d->shown.n ? d->shown.n - 1 : 0;
	snprintf(keys, sizeof(keys), "page %zu of %zu   n next  p previous  arrows  q quit",
		 d->page + 1, pages);
	screen_draw(&d->shown, d->scroll, keys);
}

static void display_turn_page(struct display *d, size_t pages, size_t by)
{
	d->page = (d->page + by) % pages;
	d->scroll = 0;
	d->stays = true;
}

/* Handle a key. Returns false if the user quits. */
static bool display_act_on_key(struct display *d, enum screen_key key, size_t pages)
{
	switch (key) {
	case SCREEN_QUIT:
		return false;
	case SCREEN_NEXT:
		display_turn_page(d, pages, 1);
		break;
	case SCREEN_PREVIOUS:
		display_turn_page(d, pages, pages - 1);
		break;
	default:
		screen_scroll(key, &d->scroll);
		break;
	}
	return true;
}

bool display_show(struct display *d, const struct shown *newest, int64_t ms)
{
	size_t pages = display_count_pages(newest);
	int64_t end = monotonic_ns() / 1000000 + ms;
	if (pages && d->on && !d->terminal && !display_print_all(d, newest))
		return false;
	if (!d->terminal || !pages)
		return screen_wait(ms) != SCREEN_QUIT;
	int64_t each = d->request->viewing * 1000, now = monotonic_ns() / 1000000, turned = now;
	do {
		display_draw_page(d, newest, pages);
		int64_t left = end - now < each ? end - now : each;
		if (!display_act_on_key(d, screen_wait(left), pages))
			return false;
		now = monotonic_ns() / 1000000;
		if (!d->stays && pages > 1 && now - turned >= each) {
			d->page = (d->page + 1) % pages;
			d->scroll = 0;
			turned = now;
		}
	} while (now < end);
	return true;
}
