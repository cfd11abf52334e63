#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# fields.py - check messages for sites' pipelines, field by field, against the table fields.tsv
#
# fields.py TABLE FORM=FILE...: each field of a line must be in the table, have its type, and occur
# once. A field that the table calls "always" must be in every line. Each field in the table of a
# given form must occur in some line.
import json
import sys

KINDS = {"int": (int,), "real": (int, float), "text": (str,), "bool": (bool,), "list": (list,),
         "object": (dict,)}
CLOSE = "read_single_bytes"     # field of osg: only closes with operation counts have it


def once(pairs):
    names = [name for name, _ in pairs]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"stands twice: {twice}"
    return dict(pairs)


def is_a(value, kind):
    return any(isinstance(value, KINDS[k]) and isinstance(value, bool) == (k == "bool")
               for k in kind.split("|"))


def table(path):
    forms = {}
    with open(path, encoding="utf-8") as f:
        for line in list(f)[1:]:
            form, field, kind, when, _ = line.rstrip("\n").split("\t")
            forms.setdefault(form, {})[field] = kind, when
    return forms


def check(forms, form, message, seen):
    fields = forms[form]
    for name, value in message.items():
        assert name in fields, f"{form} has no field {name}"
        kind = fields[name][0]
        assert is_a(value, kind), f"{name} of {form} is {value!r}, not {kind}"
        seen.add((form, name))
        if kind == "object":
            check(forms, name, value, seen)
    for name, (_, when) in fields.items():
        need = when == "always" or when == "ops" and CLOSE in message
        assert name in message or not need, f"{form} without {name}: {message}"


def main():
    forms, seen, count = table(sys.argv[1]), set(), 0
    for argument in sys.argv[2:]:
        form, path = argument.split("=", 1)
        with open(path, encoding="utf-8") as f:
            for line in f:
                check(forms, form, json.loads(line, object_pairs_hook=once), seen)
                count += 1
    unseen = [(form, name) for form in {f for f, _ in seen} for name in forms[form]
              if (form, name) not in seen]
    assert not unseen and count, f"of the table, nobody has seen {sorted(unseen)}"
    print(f"{count} messages, {len(seen)} fields")


main()
