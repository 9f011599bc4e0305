#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Turns an export of Goodtime (CSV) or Toggl Track (CSV of a detailed report) into the CSV that `lockstep debt import` reads:

    import.py export.csv --zone Europe/Berlin | lockstep debt import -

The first line tells which of the two it is. In a file of Goodtime, notes become the title. In one of Toggl Track, the project
becomes the label and the description the title; clients, tags and amounts are left out. A session keeps its id, so nothing
counts twice. If a row cannot be read, nothing is written, unless --skip-bad is given."""
import argparse
import csv
import hashlib
import io
import re
import sys
import zoneinfo
from datetime import date, datetime, time, timedelta, timezone

# The columns that tell the version of a format. Goodtime: those of 2018 to 2023, of the first versions since, and of today.
# Toggl Track: those of the old and of the current report.
FORMATS = [
    ("goodtime", "time-of-completion,duration,label"), ("goodtime", "start,end,duration,label,notes,work"),
    ("goodtime", "end,duration,interruptions,label,notes,is_break"),
    ("toggl", "Description,Start date,Start time,End date,End time"),
    ("toggl", "Description,Start date,Start time,Stop date,Stop time"),
]
NAMES = {"goodtime": "Goodtime", "toggl": "Toggl Track"}
COLUMNS = ("from,to,kind,title,label,colour,status,session,corrected,correction,node,mode,icon,started,ends,approx,"
           "lineage,continued,stamp,counter,epoch,rev").split(",")
TITLE_BYTES, LABEL_BYTES, SHOWN_ERRORS = 160, 48, 20
# Characters that displays refuse, and blanks in a row: either becomes one blank.
UNCLEAN = re.compile("[ \\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb]+")


class Bad(Exception):
    """A row that cannot be read: the column, if it is one, and the reason."""
    def __init__(self, column, reason):
        super().__init__(f", {column}: {reason}" if column else f": {reason}")


def rows(text, separator):
    """The rows of comma-separated values with the lines on which they start; those that are broken as an error."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            if fields := next(reader):
                yield line, fields
        except StopIteration:
            return
        except csv.Error as error:
            yield line, Bad(None, str(error))


def unquoted_rows(text, separator, header):
    """The rows of Goodtime, which never quotes: its notes may have separators, and lines that do not start with a date."""
    first, row = 0, ""
    for line, content in enumerate(re.split(r"\r\n|[\r\n]", text.rstrip("\r\n")) + [None], 1):
        if line > 2 and content is not None and not re.match(r"\d{4}-", content):
            row += " " + content
            continue
        if row.strip():
            fields = row.split(separator)
            if (extra := len(fields) - len(header)) > 0 and "notes" in header:
                at = header.index("notes")
                fields[at:at + extra + 1] = [separator.join(fields[at:at + extra + 1])]
            yield first, fields
        first, row = line, content


def read(row, column, what, convert):
    """Converts the field in a column."""
    text = row.get(column, "")
    try:
        return convert(text)
    except (ValueError, KeyError, AttributeError, IndexError):
        shown = UNCLEAN.sub(" ", text)[:60]
        raise Bad(column, f"“{shown}” is not {what}" if text else f"empty, expected {what}") from None


def clock(text):
    """Reads 8:30, 08:30:15 or 8:30:15 PM."""
    hour, minute, second, half = re.fullmatch(r"(\d{1,2}):(\d\d)(?::(\d\d))?(?: ([AaPp][Mm]))?", text).groups()
    if half and not 1 <= int(hour) <= 12:
        raise ValueError
    return time(int(hour) % 12 + 12 * (half.upper() == "PM") if half else int(hour), int(minute), int(second or 0))


def length(text):
    """Reads 0:25, 00:25:00 or 100:25:00; none for other text."""
    parts = re.fullmatch(r"(\d{1,6}):([0-5]\d)(?::([0-5]\d))?", text)
    return parts and timedelta(hours=int(parts[1]), minutes=int(parts[2]), seconds=int(parts[3] or 0))


def instants(local, zone):
    """The instants at which the clocks of a zone show a time: two when they are set back over it.

    One that they skip is taken as if they had not been set forward yet."""
    both = [local.replace(tzinfo=zone, fold=fold).astimezone(timezone.utc) for fold in (0, 1)]
    return sorted({t for t in both if t.astimezone(zone).replace(tzinfo=None) == local}) or both[:1]


def goodtime(row, zone):
    """A session of Goodtime: it has the local time of its end, and its length without interruptions, whose place is unknown."""
    column = "time-of-completion" if row.get("time-of-completion") else "end"

    def moment(text):
        if text[10] not in "T- ":
            raise ValueError
        return datetime.combine(date.fromisoformat(text[:10]), clock(text[11:]))
    end = read(row, column, "a time such as 2026-11-21T08:30:00", moment)
    minutes = read(row, "duration", "minutes, 0 to 1440", {str(n): n for n in range(1441)}.__getitem__)
    flag = {"true": True, "false": False}.__getitem__
    is_break = row.get("is_break", "") != "" and read(row, "is_break", "true or false", flag)
    is_work = row.get("work", "") == "" or read(row, "work", "true or false", flag)
    label, notes = row["label"], row.get("notes", "")
    if label.startswith('"') or re.search(r"[\r\n]", label):
        raise Bad("label", "contains a quote or a line break")
    kind = "shortBreak" if is_break or not is_work else "focus"
    last = instants(end, zone)[0]
    return column, last - timedelta(minutes=minutes), last, kind, notes, label, [end.isoformat(), str(minutes), kind, label, notes]


def toggl(row, zone):
    """A time entry of Toggl Track. Newer reports write - for an empty field."""
    def given(column):
        return "" if (text := row.get(column, "")) == "-" else text

    def moment(name):
        day = read(row, f"{name} date", "a day such as 2026-11-21", date.fromisoformat)
        return datetime.combine(day, read(row, f"{name} time", "a time such as 08:30:00", clock))
    begin, last = moment("Start"), "Stop" if row.get("Stop date") else "End"
    if not given(f"{last} date"):
        raise Bad(f"{last} date", "empty: the entry is still running")
    end, given_length = moment(last), length(row.get("Duration", ""))
    pairs = [(a, b) for a in instants(begin, zone) for b in instants(end, zone) if b >= a]
    if not pairs:
        raise Bad(f"{last} time", "the entry ends before it begins")
    # If a time occurs twice, the length decides; else the earliest is taken.
    start, stop = min(pairs, key=lambda pair: abs(pair[1] - pair[0] - given_length)) if given_length is not None else pairs[0]
    title, label = given("Description") or given("Task"), given("Project")
    # Without tags and amounts, since people change them later.
    identity = [begin.isoformat(), end.isoformat(), str(given_length), label, title, row.get("Email", ""),
                row.get("User", "") + row.get("Member", "")]
    return "Start date", start, stop, "focus", title, label, identity


def shortened(text, limit):
    """The text on one line, cut to this many bytes, and whether it was cut."""
    clean = UNCLEAN.sub(" ", text).strip(" ")
    cut = clean.encode()[:limit].decode(errors="ignore").rstrip(" ")
    return cut, cut != clean


def guarded(text):
    """Text that a spreadsheet does not run as a formula, as Lockstep writes and reads it."""
    return "'" + text if text[:1] and text[0] in "=+-@'＝＋－＠" else text


def record(source, row, zone, now):
    """A row of Lockstep's history, and whether its title or label was cut."""
    column, begin, end, kind, title, label, identity = (goodtime if source == "goodtime" else toggl)(row, zone)
    if not 1970 <= begin.year or not end.year < 2200:
        raise Bad(column, "not between 1970 and 2200")
    if end > now:
        raise Bad(column, "after the present")
    if end - begin > timedelta(days=1):
        raise Bad(column, "more than 24 hours after the beginning, which no phase lasts")
    session = f"{source}-{hashlib.sha256(chr(31).join(identity).encode()).hexdigest()[:16]}"
    (title, is_cut), (label, is_label_cut) = shortened(title, TITLE_BYTES), shortened(label, LABEL_BYTES)
    start, stop = (t.isoformat(timespec="milliseconds") for t in (begin, end))
    fields = {"from": start, "to": stop, "kind": kind, "title": guarded(title), "label": guarded(label), "status": "completed",
              "session": session, "node": f"imported-{source}", "mode": "countdown", "started": start, "approx": "no",
              "lineage": session, "stamp": start, "counter": 0, "epoch": 0, "rev": 1}
    return fields, is_cut or is_label_cut


def find_zone(name):
    try:
        if name:
            return zoneinfo.ZoneInfo(name)
        with open("/etc/localtime", "rb") as file:
            return zoneinfo.ZoneInfo.from_file(file)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        sys.exit(f"import.py: no time zone {name or '/etc/localtime'}: give one such as --zone Europe/Berlin")


def read_text(file):
    try:
        content = sys.stdin.buffer.read() if file == "-" else open(file, "rb").read()
        return content.decode("utf-8-sig")
    except OSError as error:
        sys.exit(f"import.py: {file} cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        sys.exit(f"import.py: {file}: line {content[:error.start].count(10) + 1}: not UTF-8; save it as UTF-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="the export; - is standard input")
    parser.add_argument("--zone", help="the zone of its local times, such as Europe/Berlin (default: that of this machine)")
    parser.add_argument("--skip-bad", action="store_true", help="skip rows that cannot be read, and name them")
    options = parser.parse_args()
    zone, text, now = find_zone(options.zone), read_text(options.file), datetime.now(timezone.utc)
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    separator = max(",;\t", key=first.count)
    names = next((fields for _, fields in rows(text, separator) if not isinstance(fields, Bad)), [])
    header = [name.strip(" ") for name in names]
    source = next((source for source, columns in FORMATS if set(columns.split(",")) <= set(header)), None)
    if source is None:
        known = "\n".join(f"  {NAMES[source]}: {columns}" for source, columns in FORMATS)
        sys.exit(f"import.py: {options.file}: unknown columns in the first line: {UNCLEAN.sub(' ', first)[:200]}\n"
                 f"It needs one of these sets of columns:\n{known}")
    is_plain = source == "goodtime" and '"' not in first
    found, errors, repeats, cuts = {}, [], 0, 0
    all_rows = unquoted_rows(text, separator, header) if is_plain else rows(text, separator)
    next(all_rows)
    for line, fields in all_rows:
        try:
            if isinstance(fields, Bad):
                raise fields
            if len(fields) != len(header):
                raise Bad(None, f"{len(fields)} field{'s'[:len(fields) != 1]}, but the first line has {len(header)}")
            # The first of two columns of one name counts.
            fields, is_cut = record(source, dict(reversed(list(zip(header, fields)))), zone, now)
            repeats += fields["session"] in found
            cuts += is_cut and fields["session"] not in found
            found.setdefault(fields["session"], fields)
        except Bad as error:
            errors.append(f"line {line}{error}")
    for error in errors if options.skip_bad else errors[:SHOWN_ERRORS]:
        print(f"import.py: {options.file}: {error}", file=sys.stderr)
    if errors and not options.skip_bad:
        sys.exit(f"import.py: {options.file}: {len(errors)} of its rows cannot be read; nothing was written. --skip-bad skips them")
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    output = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    output.writeheader()
    output.writerows(found.values())
    print(f"import.py: {len(found)} sessions of {NAMES[source]}; rows that repeat another: {repeats}, "
          f"with a shortened title or label: {cuts}, skipped: {len(errors)}", file=sys.stderr)


if __name__ == "__main__":
    main()
