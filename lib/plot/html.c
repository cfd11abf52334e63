/* SPDX-License-Identifier: BSD-3-Clause */
/* html.c - parts of a self-contained web page */
#include "plot/html.h"

#include <string.h>
#include "plot/html_look.h"

void html_put_text(struct buf *b, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&': buf_add(b, STR("&amp;")); break;
		case '<': buf_add(b, STR("&lt;")); break;
		case '>': buf_add(b, STR("&gt;")); break;
		case '"': buf_add(b, STR("&quot;")); break;
		default:  buf_add_char(b, *text);
		}
	}
}

void html_put_element(struct buf *b, const char *name, const char *text)
{
	buf_addf(b, "<%s>", name);
	html_put_text(b, text);
	buf_addf(b, "</%s>", name);
}

static void html_begin_with(struct buf *b, const char *title, const char *scripts)
{
	buf_add(b, STR("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		       "img-src data:; style-src 'unsafe-inline'; script-src "));
	buf_addf(b, "%s\">\n", scripts);
	buf_add(b, STR("<meta name=\"viewport\" content=\"width=device-width\">\n"
		       "<link rel=\"icon\" href=\"data:,\">\n"));
	html_put_element(b, "title", title);
	buf_addf(b, "\n<style>\n%s</style></head>\n<body><main>\n", html_style);
	html_put_element(b, "h1", title);
	buf_add_char(b, '\n');
}

void html_begin(struct buf *b, const char *title)
{
	html_begin_with(b, title, "'unsafe-inline'");
}

void html_begin_beside(struct buf *b, const char *title, const char *script)
{
	html_begin_with(b, title, "'unsafe-inline' 'self'");
	buf_addf(b, "<script src=\"%s\"></script>\n", script);
}

void html_end(struct buf *b)
{
	buf_addf(b, "<p class=\"soft\">nodometer " PACKAGE_VERSION "</p></main>\n<script>\n"
		 "%s</script>\n</body></html>\n", html_script);
}

void html_end_table(struct buf *b)
{
	buf_add(b, STR("</tbody></table></div>\n"));
}

/* Embed the chart as an image, in which browsers run no scripts: names in it are harmless. */
void html_put_chart(struct buf *b, const struct html_drawing *d)
{
	static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "-._~/:=;, ()";
	buf_add(b, STR("<h2>Over time</h2>\n"));
	if (d->svg.n == 0) {
		buf_add(b, STR("<p class=\"soft\">No chart: "));
		html_put_text(b, d->why_not ? d->why_not : "none was drawn");
		buf_add(b, STR("</p>\n"));
		return;
	}
	buf_add(b, STR(HTML_WIDE "<img class=\"chart\" alt=\""));
	html_put_text(b, d->words);
	buf_add(b, STR("\" src=\"data:image/svg+xml,"));
	for (size_t i = 0; i < d->svg.n; i++) {
		unsigned char c = (unsigned char)d->svg.p[i];
		if (c && strchr(kept, c))
			buf_add_char(b, (char)c);
		else
			buf_addf(b, "%%%02X", c);
	}
	buf_add(b, STR("\"></div>\n"));
}
