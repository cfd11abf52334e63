/* SPDX-License-Identifier: BSD-3-Clause */
/* amd_cards.c - find the GPUs of the driver amdgpu */
#include "collectors/amd_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "base/vec.h"

#define CLASS "sys/class/drm"
#define CARDS_MAX 256

struct amd_cards_state {
	bool looked;
	struct amd_card *card;
	size_t n, cap;
	struct names names, hwmon;
};

static void amd_cards_free_state(void *state)
{
	struct amd_cards_state *st = state;
	free(st->card);
	names_free(&st->names);
	names_free(&st->hwmon);
}

/*
 * Returns true if the energy counter has 64 bits, as on an MI200
 * (drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c, CHIP_ALDEBARAN).
 */
static bool counts_energy_wide(struct str pci_id)
{
	static const char *const ids[] = { "1002:7408", "1002:740C", "1002:740F", "1002:7410" };
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (str_eq(pci_id, str_of(ids[i])))
			return true;
	return false;
}

/*
 * Read the file uevent of the card's device. Returns false if the card is not a PCI device of
 * amdgpu, such as a partition of an MI300.
 */
static bool amd_card_read_uevent(struct source *s, const char *name, struct amd_card *card)
{
	struct str text, line;
	bool ours = false, placed = false;
	snprintf(card->dir, sizeof(card->dir), CLASS "/%.16s", name);
	if (source_read_in(s, card->dir, "device", "uevent", &text) < 0)
		return false;
	while (str_take_line(&text, &line))
		if (str_eq(line, STR("DRIVER=amdgpu")))
			ours = true;
		else if (str_take_prefix(&line, STR("PCI_ID=")))
			card->wide = counts_energy_wide(line);
		else if (str_take_prefix(&line, STR("PCI_SLOT_NAME=")))
			placed = str_copy(card->address, sizeof(card->address), line);
	return ours && placed;
}

static void amd_cards_add(struct amd_cards_state *st, const struct amd_card *card)
{
	st->card = vec_reserve(st->card, &st->cap, st->n + 1, sizeof(*st->card));
	st->card[st->n++] = *card;
}

static int amd_cards_by_address(const void *a, const void *b)
{
	return strcmp(((const struct amd_card *)a)->address, ((const struct amd_card *)b)->address);
}

static void amd_card_find_hwmon(struct source *s, struct amd_cards_state *st, struct amd_card *card)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/device/hwmon", card->dir);
	if (names_list(&st->hwmon, &s->files, path, "hwmon") == 0 && st->hwmon.n)
		snprintf(card->hwmon, sizeof(card->hwmon), "device/hwmon/%.32s",
			 st->hwmon.name[0]);
}

/* List the GPUs in st->card. Skip connectors, such as "card0-DP-1". */
static void amd_cards_find(struct source *s, struct amd_cards_state *st)
{
	char path[96];
	st->n = 0;
	if (names_list(&st->names, &s->files, CLASS, "card") < 0)
		return;
	for (size_t i = 0; i < st->names.n && st->n < CARDS_MAX; i++) {
		struct amd_card card = { 0 };
		const char *name = st->names.name[i];
		if (!str_is_u64(str_skip(str_of(name), 4)))
			continue;
		if (amd_card_read_uevent(s, name, &card)) {
			amd_card_find_hwmon(s, st, &card);
			amd_cards_add(st, &card);
		}
		snprintf(path, sizeof(path), "%s/device/uevent", card.dir);
		files_forget(&s->files, path);
	}
	if (st->n)
		qsort(st->card, st->n, sizeof(*st->card), amd_cards_by_address);
}

const struct amd_card *amd_cards(struct source *s, size_t *n)
{
	struct amd_cards_state *st = source_state(s, sizeof(*st));
	s->end_state = amd_cards_free_state;
	if (!st->looked || s->rescan)
		amd_cards_find(s, st);
	st->looked = true;
	*n = st->n;
	return st->card;
}

int amd_cards_present(struct source *s)
{
	size_t n;
	amd_cards(s, &n);
	return n ? 0 : source_absent(s, "no /sys/class/drm/cardN/device is a PCI device of amdgpu");
}
