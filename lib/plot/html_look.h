/* SPDX-License-Identifier: BSD-3-Clause */
/* html_look.h - style, sorting script and glossary of web pages */
#pragma once

#include <stddef.h>

extern const char html_style[], html_script[];
/* Terms that web pages explain in a glossary. */
extern const struct html_word {
	const char *word, *means;
} html_words[];
extern const size_t n_html_words;
