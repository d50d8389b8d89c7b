// The matrix: filters, two views of the same answers, and what stands behind a cell. Filters stand in the address.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const properties = new Map(data.properties.map((one) => [one.id, one]));
  const encodings = new Map(data.encodings.map((one) => [one.id, one]));
  const verdicts = [...new Set(data.answers.map((one) => one.verdict))].sort();
  const at = (id) => document.getElementById(id);
  const sorting = { by: "share_of_bound", down: true };

  // make("td", {class: "holds"}, "text", element, ...)
  const make = (name, attributes = {}, ...within) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...within);
    return element;
  };
  const className = (verdict) => ({ holds: "holds", fails: "fails", "holds?": "open", "fails?": "open" })[verdict] ?? "wrong";
  const sign = (verdict) => ({ holds: "\u2713", fails: "\u2717", "holds?": "\u2713?", "fails?": "\u2717?" })[verdict] ?? "!";
  const digits = (number) => number === 0 ? "0" : Number(number.toPrecision(3)).toString();
  const margin = (answer) => {
    if (answer.off_by !== undefined) return `${answer.off_by.includes(" of ") ? "effect" : "off by"} ${answer.off_by}`;
    return answer.share_of_bound == null ? "" : `${digits(100 * answer.share_of_bound)} % of the bound`;
  };

  const wanted = () => ({
    encoding: at("encoding").value,
    property: at("property").value.trim().toLowerCase(),
    verdicts: new Set([...document.querySelectorAll("#verdicts input:checked")].map((box) => box.value)),
    view: document.querySelector("input[name=view]:checked").value,
  });
  const filtered = (filter) => data.answers.filter((one) =>
    (!filter.encoding || one.encoding === filter.encoding) && one.property.toLowerCase().includes(filter.property) &&
    filter.verdicts.has(one.verdict));

  // Behind a cell: everything that is known of its answers.
  const open = (answers) => {
    const { encoding, property } = answers[0];
    const { statement, formula, source } = properties.get(property);
    at("cell-title").textContent = `${encoding}: ${property}`;
    const list = make("dl");
    const say = (term, ...what) => { if (what[0]) list.append(make("dt", {}, term), make("dd", {}, ...what)); };
    const code = (text) => text ? make("code", {}, text) : "";
    say("Statement", statement);
    say("Formula", code(formula));
    say("Source", source);
    say("Encoding", make("a", { href: `encodings/${encoding}.html` }, encoding), `, a ${encodings.get(encoding).kind}: ${encodings.get(encoding).summary}`);
    for (const answer of answers) {
      say("Verdict", `${answer.verdict}${margin(answer) ? `, ${margin(answer)}` : ""}`);
      say("For", code(answer.where));
      say("Because", answer.because);
      say("Follows from", answer.follows_from);
      if (answer.cases !== undefined) say("Searched", `${answer.cases} cases, ${answer.vacuous} of them vacuous`);
      say(answer.verdict.startsWith("fails") ? "Witness" : "Worst case", code(answer.case));
      say("Judge it again", code(answer.command));
    }
    at("cell-body").replaceChildren(list);
    at("cell").showModal();
  };

  const openButton = (answers, text, label) => {
    const button = make("button", { type: "button", "aria-haspopup": "dialog", "aria-label": label }, text);
    button.addEventListener("click", () => open(answers));
    return button;
  };

  // Properties down, encodings across; one cell has the keyboard, and arrows move it.
  const grid = (answers) => {
    const cells = new Map();
    for (const one of answers) {
      const key = `${one.property} ${one.encoding}`;
      cells.set(key, [...(cells.get(key) ?? []), one]);
    }
    const columns = data.encodings.map((one) => one.id).filter((id) => answers.some((one) => one.encoding === id));
    const head = make("tr", {}, make("th", { scope: "col" }, "property"),
      ...columns.map((id) => make("th", { scope: "col" }, make("span", {}, make("a", { href: `encodings/${id}.html` }, id)))));
    const body = make("tbody");
    for (const { id } of data.properties) {
      if (!answers.some((one) => one.property === id)) continue;
      const row = make("tr", {}, make("th", { scope: "row" }, id));
      for (const encoding of columns) {
        const here = cells.get(`${id} ${encoding}`);
        if (!here) { row.append(make("td")); continue; }
        const all = [...new Set(here.map((one) => one.verdict))];
        const wrong = all.find((one) => className(one) === "wrong");
        const colour = wrong ? "wrong" : all.length > 1 ? "open" : className(all[0]);  // open: it depends on the parameters
        const label = `${encoding}, ${id}: ${here.map((one) => `${one.verdict} ${margin(one)}`.trim()).join("; ")}`;
        const button = openButton(here, all.map(sign).join(""), label);
        button.title = label;
        button.tabIndex = -1;
        row.append(make("td", { class: colour }, button));
      }
      body.append(row);
    }
    at("grid").replaceChildren(make("table", {}, make("thead", {}, head), body));
    const first = at("grid").querySelector("td button");
    if (first) first.tabIndex = 0;
  };

  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  at("grid").addEventListener("keydown", (event) => {
    const from = event.target.closest("td");
    if (!from || !step[event.key]) return;
    event.preventDefault();
    const rows = [...at("grid").querySelectorAll("tbody tr")];
    let [row, column] = [rows.indexOf(from.parentElement), from.cellIndex];
    for (;;) {
      row += step[event.key][0];
      column += step[event.key][1];
      const cell = rows[row]?.cells[column];
      if (!cell || column < 1) return;
      const to = cell.querySelector("button");
      if (!to) continue;
      event.target.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
      return;
    }
  });

  const columns = [["encoding", "encoding"], ["property", "property"], ["verdict", "verdict"], ["share_of_bound", "error over bound"]];
  const list = (answers) => {
    const value = (one) => one[sorting.by] ?? (sorting.by === "share_of_bound" ? Infinity : "");
    const order = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) * (sorting.down ? -1 : 1);
    const head = make("tr");
    for (const [key, words] of columns) {
      const button = make("button", { type: "button" }, `${words}${sorting.by === key ? (sorting.down ? " \u2193" : " \u2191") : ""}`);
      button.addEventListener("click", () => {
        Object.assign(sorting, { by: key, down: sorting.by === key ? !sorting.down : key === "share_of_bound" });
        show();
        document.querySelectorAll("#list thead button")[columns.findIndex((one) => one[0] === key)].focus();
      });
      const state = sorting.by === key ? { "aria-sort": sorting.down ? "descending" : "ascending" } : {};
      head.append(make("th", { scope: "col", ...state }, button));
    }
    head.append(make("th", { scope: "col" }, "where"), make("th", { scope: "col" }, "details"));
    const body = make("tbody");
    for (const one of [...answers].sort(order))
      body.append(make("tr", {}, make("th", { scope: "row" }, one.encoding), make("td", {}, one.property),
        make("td", { class: className(one.verdict) }, one.verdict), make("td", {}, margin(one)), make("td", {}, make("code", {}, one.where)),
        make("td", {}, openButton([one], "Open", `Open ${one.encoding}, ${one.property}`))));
    at("list").replaceChildren(make("table", {}, make("thead", {}, head), body));
  };

  const show = () => {
    const filter = wanted(), answers = filtered(filter);
    const words = new URLSearchParams();
    if (filter.encoding) words.set("encoding", filter.encoding);
    if (filter.property) words.set("property", filter.property);
    if (filter.verdicts.size < verdicts.length) words.set("verdict", [...filter.verdicts].join(" "));
    if (filter.view !== "grid") words.set("view", filter.view);
    history.replaceState(null, "", `#${words}`);
    at("count").textContent = `${answers.length} of ${data.answers.length} answers`;
    at("grid").hidden = filter.view !== "grid";
    at("list").hidden = filter.view !== "list";
    if (filter.view === "grid") grid(answers); else list(answers);
  };

  document.querySelector("main").classList.add("wide");
  for (const { id } of data.encodings) at("encoding").append(make("option", { value: id }, id));
  for (const verdict of verdicts)
    at("verdicts").append(make("label", {}, make("input", { type: "checkbox", value: verdict, checked: "" }), ` ${sign(verdict)} ${verdict}`));
  const given = new URLSearchParams(location.hash.slice(1));
  if (encodings.has(given.get("encoding"))) at("encoding").value = given.get("encoding");
  at("property").value = given.get("property") ?? "";
  if (given.has("verdict"))
    for (const box of document.querySelectorAll("#verdicts input")) box.checked = given.get("verdict").split(" ").includes(box.value);
  if (given.get("view") === "list") document.querySelector("input[value=list]").checked = true;
  at("property").addEventListener("input", show);
  // The text tells of each letter; a change of it, told when it is left, would take a cell from under the pointer.
  at("filters").addEventListener("change", (event) => { if (event.target !== at("property")) show(); });
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(show));
  at("close").addEventListener("click", () => at("cell").close());
  show();
})();
