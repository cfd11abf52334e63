# SPDX-License-Identifier: BSD-3-Clause
# json_schemas.py - validate documents by their schemas, and check that each key of a schema occurs
"""json_schemas.py SCHEMAS FRAMES DOCUMENTS [NAME...]: compare JSON documents with their schemas

SCHEMAS, FRAMES and DOCUMENTS are folders with NAME-1.json, NAME-1.json.in, and NAME, which has a
document on each line. Keys that a frame leaves to tables need not occur.
"""
import json, os, re, sys
from jsonschema import Draft202012Validator

schemas, frames, documents = sys.argv[1:4]
without = sys.argv[4:]
wrong = 0


def bad(text):
    global wrong
    wrong += 1
    print(text)


def keys_of(value):
    """Return the names of all members in a document."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield key
            yield from keys_of(below)
    elif isinstance(value, list):
        for below in value:
            yield from keys_of(below)


def properties_of(schema):
    """Return the names that a schema gives to members."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for below in schema.values():
            yield from properties_of(below)


def objects_of(schema):
    """Return the schemas of objects within a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for below in schema.values():
            yield from objects_of(below)


def framed(text):
    """Return a frame without the parts that tables fill in."""
    return json.loads(re.sub(r"(,\s*)?^@[A-Z]+@$", "", text, flags=re.M))


names = sorted(name[:-len(".json")] for name in os.listdir(schemas) if name.endswith(".json"))
for schema in names:
    name, number = schema.rsplit("-", 1)
    if name in without:     # the program that prints it is not part of this build
        continue
    validator = json.load(open(os.path.join(schemas, schema + ".json")))
    Draft202012Validator.check_schema(validator)
    if validator["$id"].rsplit("/", 1)[1] != schema + ".json":
        bad(f"{schema}: $id is {validator['$id']}")
    if validator["properties"]["schema"] != {"const": int(number)}:
        bad(f"{schema}: is of another number than {number}")
    for closed in objects_of(validator):
        if closed.get("additionalProperties") is not False and "propertyNames" not in closed:
            bad(f"{schema}: takes any key in {closed}")
    validator = Draft202012Validator(validator)
    seen, n = set(), 0
    for line in open(os.path.join(documents, name)):
        document = json.loads(line)
        n += 1
        seen.update(keys_of(document))
        for error in validator.iter_errors(document):
            where = "/".join(map(str, error.absolute_path))
            bad(f"{name}, line {n}: {where}: {error.message[:300]}")
    frame = framed(open(os.path.join(frames, schema + ".json.in")).read())
    for key in sorted(set(properties_of(frame)) - seen):
        bad(f"{schema}: no document has {key}")
    print(f"{schema}: {n} documents")
sys.exit(wrong != 0)
