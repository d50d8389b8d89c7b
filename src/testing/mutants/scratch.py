"""A copy of the sources with its own build, in which some files are others."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

from reading import FOLDERS, HERE, NOT_OURS, ROOT

SWITCH = {"src/core/mutants_switch.h": "switch.h", "src/core/mutants_switch.cpp": "switch.cpp",
          "src/core/mutants_listener_test.cpp": "listener.cpp"}


def say(text):
    print(text, file=sys.stderr, flush=True)


class Failed(Exception):
    """What the user can do something about; its text says what."""


def shadow(path):
    """Where the copy keeps a mutated header: who does not see a mutant includes the header as it is, and need not be compiled."""
    return path.replace("src/", "mutated/", 1) if path.startswith("src/") and path.endswith(".h") else path


def names(path, headers):
    """Whether a source names one of the headers itself."""
    text = (ROOT / path).read_text()
    return any(f'#include "{header.removeprefix("src/")}"' in text for header in headers)


class Scratch:
    """A copy of the tree with its own build, several sources as one as in `release`: a source with a mutant is compiled with
    its group, and so is one that sees a mutated header."""

    def __init__(self, folder, jobs):
        self.folder = pathlib.Path(folder).resolve()
        self.tree = self.folder / "tree"
        self.build = self.tree / "build" / "release"
        self.apart = self.tree / "build" / "apart"  # never built: how each source is compiled where it stands alone
        self._jobs = jobs

    def write(self, path, text):
        """Only what changed, so that only that is compiled again."""
        target = self.tree / path
        if target.is_file() and target.read_bytes() == text:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            target.unlink()
        target.write_bytes(text)

    def copy(self, paths, mutated):
        """The tree as it is, with the files of `mutated` as they are given."""
        for path in paths:
            if shadow(path) != path or path not in mutated:
                self.write(path, (ROOT / path).read_bytes())
                shutil.copymode(ROOT / path, self.tree / path)
        for path, text in mutated.items():
            self.write(shadow(path), text)
        for path, name in SWITCH.items():
            self.write(path, (HERE / name).read_bytes())
        self._remove_all_but([*paths, *map(shadow, mutated)])
        self.write("CMakeLists.txt", (ROOT / "CMakeLists.txt").read_bytes() + self._options(paths, mutated).encode())

    @staticmethod
    def _options(paths, mutated):
        """How the libraries, which hold the mutants, are compiled, and the tests that name a mutated header."""
        headers = {path for path in mutated if shadow(path) != path}
        seeing = [path for path in paths if path.endswith(".cpp") and NOT_OURS.search(path) and path != "src/main.cpp"
                  and path.split("/")[0] in FOLDERS and names(path, headers)]
        lines = ["", "", "get_property(folders GLOBAL PROPERTY posproof_folders)", "foreach(folder IN LISTS folders)",
                 "  target_compile_options(${folder} PRIVATE -O1 -w -fdiagnostics-column-unit=byte)"]
        if headers:  # what stands in src/ itself finds the plain header beside it first
            lines.append("  target_include_directories(${folder} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/mutated)")
        lines.append("endforeach()")
        if seeing:
            lines.append(f"set_property(SOURCE {' '.join(seeing)} APPEND PROPERTY INCLUDE_DIRECTORIES ${{PROJECT_SOURCE_DIR}}/mutated)")
        return "\n".join(lines) + "\n"

    def follow(self, paths):
        """The files that are new, without those that are gone, so that the build knows of both; what is mutated stays so."""
        for path in paths:
            if not (self.tree / path).is_file():
                self.write(path, (ROOT / path).read_bytes())
        self._remove_all_but(paths)

    def _remove_all_but(self, paths):
        kept = {*paths, *SWITCH}
        for folder in {path.split("/")[0] for path in paths if "/" in path}:
            for file in (self.tree / folder).rglob("*"):
                if file.is_file() and str(file.relative_to(self.tree)) not in kept:
                    file.unlink()

    def configure(self):
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        for folder, options in ((self.build, ["-DPOSPROOF_UNITY=ON", *launcher]),
                                (self.apart, ["-DPOSPROOF_UNITY=OFF", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"])):
            say(f"configuring {folder.relative_to(self.folder)}")
            ran = subprocess.run(["cmake", "-S", str(self.tree), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                                  "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options], capture_output=True, text=True)
            if ran.returncode != 0:
                raise Failed(f"configuring the scratch copy failed:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")

    def compile(self, targets=()):
        """(whether it built, what the compiler said), at low priority."""
        words = ["nice", "-n", "10", "ninja", "-C", str(self.build), "-j", str(self._jobs), "-k", "0", *targets]
        # Errors are read, in English. Another LC_ALL would be another compiler to ccache: what other builds have left is found.
        english = os.environ.get("LC_ALL", os.environ.get("LANG", "C")).startswith(("C", "POSIX", "en"))
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.tree), "CCACHE_SLOPPINESS": "pch_defines,time_macros",
                       **({} if english else {"LC_ALL": "C"})}
        ran = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        said, start, told = [], time.monotonic(), time.monotonic()
        for line in ran.stdout:
            said.append(line)
            if line.startswith("[") and time.monotonic() - told > 60:
                told = time.monotonic()
                say(f"built {line.split(']')[0][1:].replace('/', ' of ')} after {told - start:.0f} s")
        return ran.wait() == 0, "".join(said)

    def commands(self):
        """For each source of the tree, by its path there: how it is compiled where it stands alone."""
        entries = json.loads((self.apart / "compile_commands.json").read_text())
        found = {}
        for entry in entries:
            file = pathlib.Path(entry["file"])
            if file.is_relative_to(self.tree) and not file.is_relative_to(self.tree / "build"):
                found.setdefault(str(file.relative_to(self.tree)), entry)
        return found
