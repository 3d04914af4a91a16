#!/usr/bin/env bash
# sqlite-utils' transform, which renames a column or changes its type, makes the table anew from the columns that it
# knows. What it does not know of is gone afterwards without a word: triggers, generated columns with what they hold,
# and a column's collation, so that names are no longer found whatever their case. Indexes, checks, defaults and
# AUTOINCREMENT stay.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/forgets.py" <<'END'
import importlib.metadata

import sqlite_utils

MADE = """
create table people (
    id integer primary key autoincrement,
    name text collate nocase,
    points integer check (points >= 0) default 0,
    twice integer generated always as (points * 2)
);
create table log (name text);
create index by_points on people (points);
create trigger note after insert on people begin insert into log values (new.name); end;
insert into people (name, points) values ('Ada', 3);
"""


def seen(db):
    table = db["people"]
    sql = table.schema.lower()
    found = db.query("select count(*) as many from people where name = 'ADA'")
    return {
        "the trigger": [trigger.name for trigger in table.triggers] == ["note"],
        "the generated column": "generated" in sql,
        "'ADA' is 'Ada'": next(found)["many"] == 1,
        "the index": "by_points" in {index.name for index in table.indexes},
        "the check": "check" in sql,
        "the default": "default" in sql,
        "autoincrement": "autoincrement" in sql,
    }


print(f"sqlite-utils {importlib.metadata.version('sqlite-utils')}")
db = sqlite_utils.Database(memory=True)
db.conn.executescript(MADE)
before = seen(db)
db["people"].transform(rename={"points": "marks"})
after = seen(db)
for name in before:
    print(f"{name}: {before[name]} before a column is renamed, {after[name]} afterwards")
lost = [name for name in after if before[name] and not after[name]]
raise SystemExit(not all(before.values()) or lost != ["the trigger", "the generated column", "'ADA' is 'Ada'"])
END
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet sqlite-utils==4.2.1
if ! "$folder/venv/bin/python" "$folder/forgets.py"; then
  echo "This has changed." >&2
  exit 1
fi
