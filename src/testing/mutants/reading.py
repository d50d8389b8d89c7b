"""Draws faults, and reads those sources that hold one: to read all of them takes minutes."""
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import pickle
import random
import re

import sites as text_sites
import syntax

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FOLDERS = ("src", "properties")
NOT_OURS = re.compile(r"(_test|_long|_search)\.cpp$|/testing/|^src/main\.cpp$")  # no part of the program

_INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
_NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:[^"\\\n]|\\.)*"|^#[^\n]*', re.S | re.M)
_PLACE = re.compile(r"[<>=!]=|&&|\|\||[-+*/?\[]|\b(?:if|for|while|return|true|false)\b|\b\d")


def weight(text):
    """About how many sites a source has: its operators, numbers and branches."""
    return len(_PLACE.findall(_NO_CODE.sub(" ", text)))


def included(path, seen):
    """Adds the headers of the project that a file includes, however far away."""
    for name in _INCLUDE.findall((ROOT / path).read_text()):
        for folder in (pathlib.PurePath(path).parent, *FOLDERS):
            header = os.path.normpath(f"{folder}/{name}")
            if header not in seen and (ROOT / header).is_file():
                seen.add(header)
                included(header, seen)
    return seen


def read_for(wanted, known):
    """The sources to read: those that are wanted, and for each header that none of them includes one that does."""
    chosen = [path for path in known if path in wanted]
    missing = {path for path in wanted if path.endswith(".h")}.difference(*(included(path, set()) for path in chosen))
    for path in known:
        if missing and path not in chosen and missing & (headers := included(path, set())):
            chosen.append(path)
            missing -= headers
    return chosen


def kept_sites_in(task):
    """What sites.sites_in() says, remembered for as long as the source, what it includes and the way it is read stay."""
    folder, path, read = task
    clang, command, directory, file, texts = read
    content = hashlib.sha256(repr((clang, syntax.flags_of(command), sorted(texts.items()))).encode())
    for tool in ("sites.py", "syntax.py"):
        content.update((HERE / tool).read_bytes())
    name = path.replace("/", "+")
    kept = folder / f"{name}-{content.hexdigest()[:16]}.pickle"
    if kept.is_file():
        return pickle.loads(kept.read_bytes())
    found = text_sites.sites_in(read)
    for old in folder.glob(f"{name}-*.pickle"):
        old.unlink()
    kept.write_bytes(pickle.dumps(found))
    return found


class Reader:
    """Reads sources as the scratch copy compiles them."""

    def __init__(self, scratch, clang, jobs, say):
        self._scratch = scratch
        self._clang = clang
        self._jobs = jobs
        self._say = say
        self._folder = scratch.folder / "read"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._commands = {path: entry for path, entry in scratch.commands().items()
                          if path.split("/")[0] in FOLDERS and not NOT_OURS.search(path) and (ROOT / path).is_file()}
        self.excluded = collections.Counter()

    def _task(self, path):
        tree, entry = str(self._scratch.tree), self._commands[path]
        command = entry["command"].replace(f"-I{tree}/mutated", "").replace(tree, str(ROOT))
        command = command.replace(f"{ROOT}/build/", f"{tree}/build/")
        texts = {str(ROOT / file): (ROOT / file).read_bytes().decode("latin-1") for file in {path} | included(path, set())}
        return self._folder, path, (self._clang, command, entry["directory"], str(ROOT / path), texts)

    def read(self, wanted):
        """The sites of each file of `wanted`."""
        tasks = [self._task(path) for path in read_for(wanted, sorted(self._commands))]
        found = {path: [] for path in wanted}
        seen = set()
        with concurrent.futures.ProcessPoolExecutor(self._jobs) as pool:
            for number, results in enumerate(pool.map(kept_sites_in, tasks)):
                if number % 50 == 0:
                    self._say(f"read {number} of {len(tasks)} sources")
                for file, sites, left_out in results:
                    path = os.path.relpath(file, ROOT)
                    if path not in found:
                        continue
                    if path not in seen:
                        self.excluded.update(left_out)
                        seen.add(path)
                    # A template that another source instantiates adds nothing; a macro may.
                    known = {(site.operator, site.begin, site.end, site.code) for site in found[path]}
                    found[path] += [site for site in sites if (site.operator, site.begin, site.end, site.code) not in known]
        for path, listed in found.items():
            for site in listed:
                site.file = path
        return found


def quotas(weights, number, random_):
    """How many of `number` fall on each: its share, and what rounding cuts off by chance in proportion to it."""
    total = sum(weights.values())
    if not total:
        return {}
    shares = {path: number * size / total for path, size in weights.items()}
    counts = {path: int(share) for path, share in shares.items()}
    paths = sorted(weights)
    while sum(counts.values()) < number:
        path = random_.choices(paths, [max(shares[path] - counts[path], 0) for path in paths])[0]
        counts[path] += 1
    return {path: count for path, count in counts.items() if count}


def drawn_files(weights, number, seed):
    """Files drawn in proportion to their weights, each with how often: of a file that weighs twice as much twice the faults."""
    paths = sorted(path for path in weights if weights[path])
    return dict(collections.Counter(random.Random(f"{seed} sources").choices(paths, [weights[path] for path in paths], k=number)))


def drawn_from(listed, number, random_):
    """`number` of the sites of a file, or all; every operator has the same chance."""
    by_operator = collections.defaultdict(list)
    for site in listed:
        by_operator[site.operator].append(site)
    for sites in by_operator.values():
        random_.shuffle(sites)
    chosen = []
    while by_operator and len(chosen) < number:
        operator = random_.choice(sorted(by_operator))
        chosen.append(by_operator[operator].pop())
        if not by_operator[operator]:
            del by_operator[operator]
    return chosen


def sample(weights, read, number, seed):
    """(the faults, the files that were read): as many of each file as its share of all weights says. What a file cannot
    hold goes to others, until there are no more."""
    random_ = random.Random(f"{seed}")
    left, found, wanted = dict(weights), {}, collections.Counter()
    chosen = []
    while len(chosen) < number and left:
        counts = quotas(left, number - len(chosen), random_)
        wanted.update(counts)
        found.update(read(sorted(path for path in counts if path not in found)))
        chosen = []
        for path in sorted(found):
            mine = drawn_from(found[path], wanted[path], random.Random(f"{seed} {path}"))
            chosen += mine
            wanted[path] = len(mine)
        left = {path: size for path, size in left.items() if size and (path not in found or wanted[path] < len(found[path]))}
    return sorted(chosen, key=lambda site: (site.file, site.begin, -site.end)), found
