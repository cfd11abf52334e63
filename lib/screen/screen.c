/* SPDX-License-Identifier: BSD-3-Clause */
/* screen.c - the terminal of a live view, with ncurses */
#include "screen/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>
#ifdef HAVE_NCURSES
#include <ncurses.h>
#endif

/* lines of a page that do not scroll: title, host and time, heading, column titles, foot */
#define FRAME_LINES 5
#define ESCAPE 27
#define ANSWER_MAX 127

static volatile sig_atomic_t interrupted;
static bool is_open;

static void screen_note_signal(int number)
{
	(void)number;
	interrupted = 1;
}

void screen_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction a = { .sa_handler = screen_note_signal };
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaction(numbers[i], &a, NULL);
}

bool screen_interrupted(void)
{
	return interrupted;
}

/*
 * Return how long to wait at once: at most 200 ms, because a signal that arrives just before a wait
 * does not interrupt it.
 */
static int wait_slice_ms(int64_t ms)
{
	return ms < 0 ? 0 : ms > 200 ? 200 : (int)ms;
}

static enum screen_key sleep_slices(int64_t ms)
{
	while (!interrupted && ms > 0) {
		int n = wait_slice_ms(ms);
		poll(NULL, 0, n);
		ms -= n;
	}
	return interrupted ? SCREEN_QUIT : SCREEN_TIME;
}

#ifdef HAVE_NCURSES
int screen_open(void)
{
	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		return -ENOTTY;
	SCREEN *s = newterm(NULL, stdout, stdin);
	if (!s)
		return -ENOTTY;
	set_term(s);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	curs_set(0);
	set_escdelay(50);
	is_open = true;
	return 0;
}

void screen_close(void)
{
	if (is_open)
		endwin();
	is_open = false;
}

static size_t scrolled_lines(void)
{
	return LINES > FRAME_LINES + 1 ? (size_t)(LINES - FRAME_LINES) : 1;
}

static void screen_put_at(int y, int x, attr_t how, const char *text)
{
	if (y < 0 || y >= LINES || x >= COLS)
		return;
	if (x < 0)
		x = 0;
	attrset(how);
	mvaddnstr(y, x, text, COLS - x);
	attrset(A_NORMAL);
}

static void screen_draw_line(int y, const struct page_line *l)
{
	int at = (int)strlen(l->text) + 1, room = COLS - at - 1;
	screen_put_at(y, 0, A_NORMAL, l->text);
	if (l->bar < 0 || room <= 0)
		return;
	int n = (int)((l->bar > 1 ? 1 : l->bar) * room + .5);
	for (int i = 0; i < n; i++)
		screen_put_at(y, at + i, A_REVERSE, " ");
}

void screen_draw(const struct page *p, size_t scroll, const char *keys)
{
	if (!is_open)
		return;
	erase();
	screen_put_at(0, (COLS - (int)strlen(p->title)) / 2, A_BOLD, p->title);
	screen_put_at(1, 0, A_NORMAL, p->left);
	screen_put_at(1, COLS - (int)strlen(p->right), A_NORMAL, p->right);
	screen_put_at(2, 0, A_NORMAL, p->heading);
	screen_put_at(3, 0, A_UNDERLINE, p->columns);
	for (size_t i = 0; i < scrolled_lines() && scroll + i < p->n; i++)
		screen_draw_line(4 + (int)i, &p->line[scroll + i]);
	screen_put_at(LINES - 1, 0, A_DIM, keys);
	screen_put_at(LINES - 1, COLS - (int)strlen(p->foot) - 1, A_NORMAL, p->foot);
	refresh();
}

static enum screen_key screen_key_of(int c)
{
	switch (c) {
	case 'q': case 'Q': case ESCAPE:
		return SCREEN_QUIT;
	case ' ': case 'n': case '\t': case KEY_RIGHT:
		return SCREEN_NEXT;
	case 'p': case KEY_LEFT: case KEY_BTAB:
		return SCREEN_PREVIOUS;
	case 'k': case KEY_UP:
		return SCREEN_UP;
	case 'j': case KEY_DOWN:
		return SCREEN_DOWN;
	case KEY_PPAGE:
		return SCREEN_PAGE_UP;
	case KEY_NPAGE:
		return SCREEN_PAGE_DOWN;
	case KEY_RESIZE:
		return SCREEN_RESIZED;
	case 'h': case '?':
		return SCREEN_HELP;
	case 's':
		return SCREEN_SORT;
	case '/':
		return SCREEN_FILTER;
	}
	return SCREEN_TIME;
}

void screen_ask(const char *prompt, char *answer, size_t size)
{
	char text[ANSWER_MAX + 1] = "";
	if (!is_open)
		return;
	move(LINES - 1, 0);
	clrtoeol();
	screen_put_at(LINES - 1, 0, A_BOLD, prompt);
	timeout(-1);
	echo();
	curs_set(1);
	if (getnstr(text, size - 1 < ANSWER_MAX ? (int)size - 1 : ANSWER_MAX) == OK)
		str_copy(answer, size, str_of(text));
	noecho();
	curs_set(0);
}

enum screen_key screen_wait(int64_t ms)
{
	if (!is_open)
		return sleep_slices(ms);
	do {
		timeout(wait_slice_ms(ms));
		int c = getch();
		enum screen_key key = c == ERR ? SCREEN_TIME : screen_key_of(c);
		if (key != SCREEN_TIME)
			return key;
		ms -= wait_slice_ms(ms) ? wait_slice_ms(ms) : 1;
	} while (!interrupted && ms > 0);
	return interrupted ? SCREEN_QUIT : SCREEN_TIME;
}
#else
int screen_open(void)
{
	return -ENOTSUP;
}

void screen_close(void)
{
	is_open = false;
}

static size_t scrolled_lines(void)
{
	return FRAME_LINES;
}

void screen_draw(const struct page *p, size_t scroll, const char *keys)
{
	(void)p;
	(void)scroll;
	(void)keys;
}

void screen_ask(const char *prompt, char *answer, size_t size)
{
	(void)prompt;
	(void)answer;
	(void)size;
}

enum screen_key screen_wait(int64_t ms)
{
	return sleep_slices(ms);
}
#endif

void screen_scroll(enum screen_key key, size_t *scroll)
{
	size_t by = key == SCREEN_UP || key == SCREEN_DOWN ? 1 : scrolled_lines();
	if (key == SCREEN_DOWN || key == SCREEN_PAGE_DOWN)
		*scroll += by;
	else if (key == SCREEN_UP || key == SCREEN_PAGE_UP)
		*scroll -= by < *scroll ? by : *scroll;
}
