"""The site in headless Chromium: it loads without a word on the console and without a network, filters, sorts, opens cells by
keyboard, switches its theme, prints, fits a phone, and has nothing that axe-core complains of.

    browser.py PROGRAM --scratch FOLDER [--axe axe.min.js]

Exits with 77 where Chromium, its driver or selenium is absent, and, after everything else was looked at, where axe-core is.
"""
import argparse
import base64
import csv
import json
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
PAGES = ["index.html", "glossary.html", "matrix.html", "why_not_the_normalised_index.html", "encoding_by_property.html",
         "encodings/rope.html", "encodings/cope.html"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    skip("no selenium (Debian: python3-selenium)")

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not (CHROMIUM and DRIVER):
    skip("no Chromium, or no driver of it (Debian: chromium, chromium-driver)")


def expect(holds, what):
    if not holds:
        raise AssertionError(what)


def equal(there, here, what):
    expect(there == here, f"{what}: {there!r}, not {here!r}")


class Site:
    """The folder, its data, and a browser that looks at it."""

    def __init__(self, folder, axe):
        self.folder, self.axe = folder, axe
        self.data = json.loads((folder / "matrix.json").read_text())
        options = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1300,1000"):
            options.add_argument(word)
        options.binary_location = CHROMIUM
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        from selenium.webdriver.chrome.service import Service
        self.browser = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.browser.set_script_timeout(400)  # axe-core looks at every cell of the matrix

    def prefer(self, scheme, media=""):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                     {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def show(self, page, fragment=""):
        self.browser.get("about:blank")  # else another fragment of one page is no load
        self.browser.get(f"{(self.folder / page).as_uri()}{fragment}")

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def style(self, selector, name):
        return self.one(selector).value_of_css_property(name)

    def focused(self):
        return self.browser.switch_to.active_element

    def quiet(self, where):
        said = [entry["message"] for entry in self.browser.get_log("browser")]
        equal(said, [], f"{where}: what the console says")
        asked = self.browser.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
        elsewhere = [name for name in asked if not name.startswith(("file:", "data:"))]
        equal(elsewhere, [], f"{where}: what was asked of a network")

    def accessible(self, where):
        if not self.axe:
            return
        self.browser.execute_script(self.axe.read_text())
        found = self.browser.execute_async_script("axe.run(document, {preload: false}).then(arguments[arguments.length - 1])")["violations"]
        words = [f"{one['id']}: {one['help']}: {node['html'][:160]}" for one in found for node in one["nodes"][:3]]
        equal(words, [], f"{where}: what axe-core finds")


def pages_load_in_both_themes(site):
    for scheme, ground in (("light", "rgba(255, 255, 255, 1)"), ("dark", "rgba(13, 17, 23, 1)")):
        site.prefer(scheme)
        for page in PAGES:
            site.show(page)
            equal(site.style("body", "background-color"), ground, f"{page}: ground, {scheme}")
            for image in site.all("figure img"):
                shown = image.value_of_css_property("display") != "none"
                equal(shown, image.get_attribute("class") == scheme, f"{page}: a figure, {scheme}")
                expect(not shown or site.browser.execute_script("return arguments[0].naturalWidth", image) > 0,
                       f"{page}: a figure is not there")
            site.quiet(f"{page}, {scheme}")
            site.accessible(f"{page}, {scheme}")
    site.prefer("light")


def switch_is_remembered(site):
    site.prefer("light")
    site.show("index.html")
    equal(site.one("#theme").get_attribute("aria-pressed"), "false", "the switch")
    site.one("#theme").click()
    equal(site.one("#theme").get_attribute("aria-pressed"), "true", "the switch, pressed")
    dark = site.style("body", "background-color")
    equal(dark, "rgba(13, 17, 23, 1)", "ground after the switch")
    site.show("encodings/rope.html")
    equal(site.style("body", "background-color"), dark, "ground of the next page")
    equal(site.style("img.light", "display"), "none", "the light figure of the next page")
    site.prefer("dark")
    site.one("#theme").click()
    equal(site.style("body", "background-color"), "rgba(255, 255, 255, 1)", "light where the system is dark")
    site.browser.execute_script("localStorage.clear()")
    site.prefer("light")


def count(site):
    return int(site.one("#count").text.split()[0])


def matrix_filters(site):
    answers = site.data["answers"]
    site.show("matrix.html")
    equal(count(site), len(answers), "answers without a filter")
    buttons = len({(one["encoding"], one["property"]) for one in answers})
    equal(len(site.all("#grid td button")), buttons, "cells of the grid")
    equal(len(site.all("#grid thead th")), 1 + len({one["encoding"] for one in answers}), "columns of the grid")

    Select(site.one("#encoding")).select_by_value("rope")
    rope = [one for one in answers if one["encoding"] == "rope"]
    equal(count(site), len(rope), "answers of rope")
    equal([cell.text for cell in site.all("#grid thead th")], ["property", "rope"], "columns of rope")
    site.one("#property").send_keys("Score/")
    some = [one for one in rope if "score/" in one["property"]]
    equal(count(site), len(some), "answers of rope about scores")
    site.one("#verdicts input[value=holds]").click()
    some = [one for one in some if one["verdict"] != "holds"]
    equal(count(site), len(some), "what of them does not hold")
    expect(0 < len(some) < len(rope) < len(answers), "each filter leaves less")
    address = site.browser.current_url
    site.show("matrix.html", address[address.index("#"):])
    equal(count(site), len(some), "the same address again")
    site.one("button[type=reset]").click()
    site.browser.execute_async_script("setTimeout(arguments[0], 50)")
    equal(count(site), len(answers), "answers after the filters were cleared")
    site.show("matrix.html", "#encoding=no_such&verdict=")
    equal(count(site), 0, "answers of no verdict")
    equal(site.one("#encoding").get_attribute("value"), "", "an encoding that there is not")
    site.accessible("the matrix without answers")
    site.quiet("filters")


def list_sorts(site):
    site.show("matrix.html", "#view=list&property=rotary")
    some = [one for one in site.data["answers"] if "rotary" in one["property"]]
    expect(not site.one("#grid").is_displayed(), "the grid beside the list")

    def column(number):
        return [cell.text for cell in site.all(f"#list tbody tr > :nth-child({number})")]

    def shares():
        by = {}
        for one in some:
            share = one.get("share_of_bound")
            row = one["encoding"], one["property"], one["verdict"], one["where"]
            expect(row not in by, f"two answers alike: {row}")
            by[row] = float("inf") if share is None else share
        return [by[row] for row in zip(column(1), column(2), column(3), column(5))]

    equal(len(column(1)), len(some), "rows of the list")
    equal(shares(), sorted(shares(), reverse=True), "the largest share of the bound first")
    equal(site.one("#list th[aria-sort]").get_attribute("aria-sort"), "descending", "how it is sorted")
    site.all("#list thead button")[3].click()
    equal(shares(), sorted(shares()), "the smallest share of the bound first")
    expect(len(set(shares())) > 5, "shares that differ")
    equal(site.focused().text, "error over bound \u2191", "what has the keyboard after sorting")
    site.all("#list thead button")[0].click()
    equal(column(1), sorted(column(1)), "by encoding")
    equal(site.one("#list th[aria-sort]").get_attribute("aria-sort"), "ascending", "how it is sorted by encoding")
    site.accessible("the list")
    site.quiet("list")


def cells_open_by_keyboard(site):
    site.show("matrix.html", "#encoding=rope")
    stops = [button for button in site.all("#grid td button") if button.get_attribute("tabindex") == "0"]
    equal(len(stops), 1, "stops of the keyboard in the grid")
    stops[0].send_keys(Keys.ARROW_DOWN)
    equal(site.focused(), site.all("#grid td button")[1], "one down")
    site.focused().send_keys(Keys.ARROW_UP)
    equal(site.focused(), site.all("#grid td button")[0], "and up")
    site.focused().send_keys(Keys.ARROW_UP)
    equal(site.focused(), site.all("#grid td button")[0], "and no further")
    failing = next(one for one in site.data["answers"] if one["encoding"] == "rope" and one["verdict"] == "fails")
    button = next(one for one in site.all("#grid td button") if one.get_attribute("aria-label").startswith(f"rope, {failing['property']}:"))
    button.send_keys(Keys.ENTER)
    dialog = site.one("#cell")
    expect(dialog.is_displayed(), "the dialog")
    equal(site.one("#cell-title").text, f"rope: {failing['property']}", "its title")
    statement = next(one for one in site.data["properties"] if one["id"] == failing["property"])
    for words in (statement["statement"], statement["formula"], statement["source"], failing["because"], failing["case"],
                  failing["command"]):
        expect(" ".join(words.split()) in " ".join(dialog.text.split()), f"the dialog does not say: {words}")
    site.accessible("the dialog")
    site.focused().send_keys(Keys.ESCAPE)
    expect(not dialog.is_displayed(), "the dialog after Escape")
    equal(site.focused(), button, "what has the keyboard then")
    button.click()
    site.one("#close").click()
    expect(not dialog.is_displayed(), "the dialog after its button")
    site.show("matrix.html")
    first = site.one("#grid td button[tabindex='0']")
    first.send_keys(Keys.ARROW_RIGHT)
    equal(site.focused(), site.all("#grid td button")[1], "one to the right")
    site.focused().send_keys(Keys.ARROW_LEFT)
    equal(site.focused(), first, "and back")
    site.quiet("cells")


def everything_prints(site):
    for page in PAGES:
        site.show(page)
        expect(base64.b64decode(site.browser.print_page()).startswith(b"%PDF"), f"{page} does not print")
    site.prefer("dark", "print")
    site.show("encodings/rope.html")
    equal(site.style("body", "background-color"), "rgba(255, 255, 255, 1)", "ground on paper")
    equal(site.style("header", "display"), "none", "the header on paper")
    equal([site.style("img.light", "display"), site.style("img.dark", "display")], ["inline", "none"], "figures on paper")
    site.prefer("light")


def fits_a_phone(site):
    site.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                 {"width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": False})
    for page in PAGES:
        site.show(page)
        wide = site.browser.execute_script("return document.scrollingElement.scrollWidth")
        expect(wide <= 320, f"{page} is {wide} pixels wide on a screen of 320")
    site.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def data_stands_beside(site):
    with (site.folder / "matrix.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    equal([(row["encoding"], row["property"], row["verdict"], row["command"]) for row in rows],
          [(one["encoding"], one["property"], one["verdict"], one["command"]) for one in site.data["answers"]], "matrix.csv")
    for drawing in site.folder.glob("figures/**/*-light.svg"):
        name = drawing.name.removesuffix("-light.svg")
        figure = json.loads((drawing.parent / f"{name}.json").read_text())
        with (drawing.parent / f"{name}.csv").open(newline="") as file:
            rows = list(csv.reader(file))[1:]
        cells = sum(len(one.get("points", one)) for one in figure.get("series", figure.get("rows")))
        equal(cells, len(rows), f"{drawing}: entries of its JSON and lines of its CSV")


CHECKS = [pages_load_in_both_themes, switch_is_remembered, matrix_filters, list_sorts, cells_open_by_keyboard, everything_prints,
          fits_a_phone, data_stands_beside]


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("program")
    words.add_argument("--scratch", type=pathlib.Path, required=True)
    words.add_argument("--axe", type=pathlib.Path)
    given = words.parse_args()
    axe = given.axe if given.axe and given.axe.exists() else None
    names = ["encoding_by_property", "why_not_the_normalised_index", "encodings/rope", "encodings/cope"]
    made = subprocess.run([given.program, "report", "--html", "-o", given.scratch, *names], capture_output=True, text=True)
    if "gnuplot-nox" in made.stderr:
        skip("no gnuplot (Debian: gnuplot-nox)")
    expect(made.returncode == 0, made.stderr)
    site = Site((given.scratch / "html").resolve(), axe)
    failed = 0
    try:
        for check in CHECKS:
            try:
                check(site)
                print(f"ok      {check.__name__}")
            except AssertionError as error:
                failed += 1
                print(f"FAILED  {check.__name__}: {error}")
    finally:
        site.browser.quit()
    if failed:
        sys.exit(1)
    if not axe:
        skip("no axe-core (npm install --prefix build/axe axe-core@4): everything but accessibility was looked at")


if __name__ == "__main__":
    main()
