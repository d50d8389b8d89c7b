"""What is known of mutants, as text and as the page of reports/."""
import collections
import json
import pathlib

EQUIVALENT = pathlib.Path(__file__).with_name("equivalent.json")
ROOT = pathlib.Path(__file__).resolve().parents[3]
STATUS = {"never reached": "reached by no test", "survived": "every test that reaches it is green",
          "golden page alone": "only a page of reports/ differs"}


def status(result):
    """What became of a mutant; `--budget` may have ended it before every test was asked."""
    return STATUS[result["status"]] + (", of the fastest" if result.get("cut") else "")


class Refused(Exception):
    """What is wrong with the list of equivalent mutants."""


def equivalents(path=EQUIVALENT, root=ROOT):
    """The reason, by what a mutant is: its file, its line as it is written, its operator, and what it makes of what."""
    listed = {}
    for entry in json.loads(path.read_text()):
        if set(entry) != {"file", "text", "operator", "before", "after", "because"} or not entry["because"].strip():
            raise Refused(f"{path.name}: an entry has file, text, operator, before, after and because: {json.dumps(entry)}")
        source = root / entry["file"]
        if not source.is_file() or entry["text"] not in map(str.strip, source.read_text().splitlines()):
            raise Refused(f"{path.name}: `{entry['file']}` has no line `{entry['text']}`")
        listed[key(entry)] = entry["because"]
    return listed


def key(result):
    return tuple(result[part] for part in ("file", "text", "operator", "before", "after"))


def judged(results, reasons):
    """(red, equivalent, survivors): a mutant that changes nothing counts on neither side, and so does one of which a busy
    machine could not say what tests make of it."""
    red = [result for result in results if result["status"] == "red"]
    others = [result for result in results if result["status"] not in ("red", "undecided")]
    return red, [result for result in others if key(result) in reasons], [r for r in others if key(r) not in reasons]


def undecided(results):
    return sum(result["status"] == "undecided" for result in results)


def unfinished(run):
    """What an interrupt left: a fair sample, since mutants are judged in an order by chance."""
    judged_, planted = len(run["results"]), run.get("planted", 0)
    return [f"Interrupted: {judged_} of {planted} mutants were judged, in an order by chance."] if judged_ < planted else []


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _folder(result):
    words = result["file"].split("/")
    return words[0] if words[0] == "properties" else "/".join(words[:2])


def _by(results, name):
    groups = collections.defaultdict(list)
    for result in results:
        groups[name(result)].append(result)
    return sorted(groups.items())


def text(run, reasons):
    """For a terminal: the score, every file, every survivor."""
    red, equal, survivors = judged(run["results"], reasons)
    counted = len(red) + len(survivors)
    lines = []
    for file, results in _by(run["results"], lambda result: result["file"]):
        of_red, of_equal, of_survivors = judged(results, reasons)
        lines.append(f"{file}: {len(of_red)} of {len(of_red) + len(of_survivors)} red")
        lines += [f"  {result['line']}: {result['operator']}: `{result['before']}` -> `{result['after']}`: {status(result)}"
                  for result in of_survivors]
    lines += ["", *unfinished(run), f"{len(red)} of {counted} mutants turn a test red ({share(len(red), counted)}), {len(survivors)} survive; "
                  f"{len(equal)} more are equivalent",
              *([f"{late} were not decided: their tests were late without them too"] if (late := undecided(run["results"])) else []),
              f"{run['sites']} sites in {run['read']} of {run['files']} files, seed {run['seed']}; left out: " +
              ", ".join(f"{reason} {count}" for reason, count in sorted(run["excluded"].items()) if count)]
    return "\n".join(lines)


def command(run):
    """The words that draw the same faults of the same sources."""
    words = ["./run mutants", str(run["asked"]), "--seed", str(run["seed"])]
    words += [word for glob in run.get("only") or () for word in ("--files", f"'{glob}'")]
    words += ["--sources", str(run["sources"])] if run.get("sources") else []
    return " ".join(words + ["--fast"] * bool(run.get("fast")) + ["--page reports/mutants.md"])


def drawn_from(run):
    """Of which sources the sites are."""
    only = run.get("only")
    files = f"the {run['files']} files of `src/` and `properties/`" + (f" that match {', '.join(map(_code, only))}" if only else "")
    return f"{run['read']} files, which were drawn from {files}" if run.get("sources") else files


def _row(cells):
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _code(words):
    return f"`` {words} ``" if "`" in words else f"`{words}`"


def _table(heads, rows):
    return [_row(heads), _row(["---"] * len(heads)), *map(_row, rows), ""]


def page(run, reasons):
    """reports/mutants.md."""
    red, equal, survivors = judged(run["results"], reasons)
    counted = len(red) + len(survivors)
    lines = ["# Planted faults", "",
             f"*How many small faults in the sources does a test notice?* {len(red)} of {counted} ({share(len(red), counted)}). "
             f"{len(survivors)} survive; {len(equal)} more change nothing that can be observed, and count on neither side.", "",
             f"`{command(run)}` writes this page. No test compares it: it takes long. This one is of commit `{run['commit']}`. A mutant is red where a test fails, crashes or does not end "
             "with it, twice, and is green without it. One that only a checked-in page of `reports/` shows survives." +
             (" Tests that `./run test` leaves out were not run." if run.get("fast") else ""), "",
             f"{run['asked']} sites were drawn from {drawn_from(run)}: of a file in proportion to its "
             "operators, numbers and branches, and in it every operator with the same chance. "
             f"{run.get('planted', len(run['results']))} could be compiled behind a switch.", ""]
    if said := unfinished(run):
        lines += [*said, ""]
    if late := undecided(run["results"]):
        lines += [f"Of {late} nothing is known: their tests were late without them too. They count on neither side.", ""]
    rows = []
    for folder, results in _by(run["results"], _folder):
        of_red, of_equal, of_survivors = judged(results, reasons)
        rows.append([_code(folder), len(of_red), len(of_survivors), len(of_equal),
                     share(len(of_red), len(of_red) + len(of_survivors))])
    lines += ["## By folder", "", *_table(["folder", "red", "survive", "equivalent", "score"], rows)]
    rows = []
    for operator, results in _by(run["results"], lambda result: result["operator"]):
        of_red, of_equal, of_survivors = judged(results, reasons)
        rows.append([operator, len(of_red), len(of_survivors), len(of_equal), share(len(of_red), len(of_red) + len(of_survivors))])
    lines += ["## By operator", "", *_table(["operator", "red", "survive", "equivalent", "score"], rows)]
    if survivors:
        lines += ["## Survivors", "", *_table(["where", "operator", "before", "after", "result"], [
            [f"{result['file']}:{result['line']}", result["operator"], _code(result["before"]), _code(result["after"]),
             status(result)] for result in survivors])]
    if equal:
        lines += ["## Equivalent", "", *_table(["where", "operator", "before", "after", "because"], [
            [f"{result['file']}:{result['line']}", result["operator"], _code(result["before"]), _code(result["after"]),
             reasons[key(result)]] for result in equal])]
    lines += ["## Left out", "", f"In the {run['read']} files that were read, with {run['sites']} sites:", "",
              *_table(["reason", "sites"], [
        [reason, count] for reason, count in sorted(run["excluded"].items()) if count])]
    if run.get("wide"):
        lines += ["Headers that are left out, as many sources include them: " + ", ".join(map(_code, run["wide"])) + "."]
    return "\n".join(lines).rstrip() + "\n"
