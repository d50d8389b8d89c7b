#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "catalogue/encodings.h"
#include "catalogue/experiments.h"
#include "core/function.h"
#include "core/nearest.h"
#include "experiments/encoding_page.h"
#include "experiments/measured_matrix.h"
#include "report/figure.h"
#include "report/figure_data.h"
#include "report/file.h"
#include "report/founding_questions.h"
#include "report/glossary.h"
#include "report/markdown.h"
#include "report/site.h"

namespace posproof::report {
namespace {

namespace fs = std::filesystem;

constexpr std::array themes = {std::pair{Theme::light, "light"}, std::pair{Theme::dark, "dark"}};

template <class See>
void for_each_figure(const Document& document, const See& see) {
  for (const document::Block& block : document.blocks) {
    if (const auto* plot = std::get_if<document::Plot>(&block)) see(*plot);
    if (const auto* map = std::get_if<document::HeatMap>(&block)) see(*map);
  }
}

std::string data_path(std::string_view page, std::string_view figure) {
  return fmt::format("figures/{}/{}.csv", page, figure);
}

std::string drawing_path(std::string_view page, std::string_view figure, std::string_view theme) {
  return fmt::format("figures/{}/{}-{}.svg", page, figure, theme);
}

// The page, and the data of its figures.
std::vector<File> texts(const Page& page, const Document& document) {
  std::vector<File> out = {{fmt::format("{}.md", page.id), markdown(document, page)}};
  for_each_figure(document, [&](const auto& figure) {
    out.push_back({data_path(page.id, figure.name), csv(figure)});
  });
  return out;
}

std::vector<File> drawings(const Page& page, const Document& document) {
  std::vector<File> out;
  for_each_figure(document, [&](const auto& figure) {
    for (const auto& [theme, word] : themes)
      out.push_back({drawing_path(page.id, figure.name, word),
                     published(gnuplot(script(figure, theme)), figure.title, figure.description)});
  });
  return out;
}

// Files in the page's folder of figures that none of its figures has.
std::vector<std::string> stale(const fs::path& folder, std::string_view page, const Document& document) {
  std::set<std::string> known;
  for_each_figure(document, [&](const auto& figure) {
    known.insert(data_path(page, figure.name));
    for (const auto& [theme, word] : themes) known.insert(drawing_path(page, figure.name, word));
  });
  std::vector<std::string> out;
  const fs::path figures = folder / "figures" / page;
  if (!fs::is_directory(figures)) return out;
  for (const auto& entry : fs::directory_iterator(figures)) {
    std::string path = fmt::format("figures/{}/{}", page, entry.path().filename().string());
    if (!known.contains(path)) out.push_back(std::move(path));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Writes them and removes what is stale; the paths of what changed.
std::vector<std::string> put(const fs::path& folder, std::string_view page, const Document& document,
                             const std::vector<File>& files) {
  std::vector<std::string> changed;
  for (const File& file : files)
    if (replace_file(folder / file.path, file.bytes)) changed.push_back(file.path);
  for (const std::string& path : stale(folder, page, document))
    if (fs::remove(folder / path)) changed.push_back(path);
  return changed;
}

constexpr std::string_view encodings_folder = "encodings/";

// What writes a page: an experiment, or what is known of an encoding.
struct Written {
  Page page;
  Function<Document()> document;
};

// Throws std::invalid_argument for a name that no page has. The page is called as it is asked for.
Written page_written(std::string_view name) {
  for (const auto& [id, found] : catalogue::experiments())
    if (id == name) return {page_of(id, *found), found->run};
  if (name.starts_with(encodings_folder))
    for (const auto& [id, spec] : catalogue::encodings())
      if (name.substr(encodings_folder.size()) == id)
        return {{name, experiments::question_of_encodings, experiments::method_of_encodings,
                 fmt::format("posproof report {}", name)},
                [id = id] { return experiments::encoding_page(id); }};
  throw std::invalid_argument(fmt::format("there is no experiment `{}`{}; all: posproof list experiments",
                                          name, near_it(name, page_names())));
}

// Pages and folders of figures of encodings that the catalogue has not.
std::vector<std::string> of_no_encoding(const fs::path& folder) {
  const std::vector<std::string> known = encoding_pages();
  std::vector<std::string> out;
  for (const std::string_view parent : {"", "figures/"}) {
    const fs::path all = folder / parent / encodings_folder;
    if (!fs::is_directory(all)) continue;
    for (const auto& entry : fs::directory_iterator(all))
      if (std::ranges::find(known, fmt::format("{}{}", encodings_folder, entry.path().stem().string())) ==
          known.end())
        out.push_back(fmt::format("{}{}{}", parent, encodings_folder, entry.path().filename().string()));
  }
  std::ranges::sort(out);
  return out;
}

// The pages in the folder, of experiments that exist.
std::vector<File> pages(const fs::path& folder) {
  std::vector<File> out;
  for (const std::string& name : names())
    if (auto bytes = file_bytes(folder / fmt::format("{}.md", name)))
      out.push_back({fmt::format("{}.md", name), std::move(*bytes)});
  const std::string performance = fmt::format("{}.md", performance_name);
  if (auto bytes = file_bytes(folder / performance)) out.push_back({performance, std::move(*bytes)});
  return out;
}

std::vector<File> files_of(const Page& page, const Document& document) {
  std::vector<File> out = texts(page, document);
  for (File& file : drawings(page, document)) out.push_back(std::move(file));
  return out;
}

std::string line_at(std::string_view text, std::size_t at) {
  const auto begin = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t first = begin == std::string_view::npos ? 0 : begin + 1;
  return std::string(text.substr(first, text.find('\n', at) - first));
}

std::optional<Difference> difference(const fs::path& folder, const File& file) {
  const auto old = file_bytes(folder / file.path);
  if (!old) return Difference{file.path, 0, "no such file", ""};
  if (*old == file.bytes) return std::nullopt;
  const auto [a, b] = std::mismatch(old->begin(), old->end(), file.bytes.begin(), file.bytes.end());
  const auto at = static_cast<std::size_t>(a - old->begin());
  const auto line = static_cast<std::size_t>(std::count(old->begin(), a, '\n')) + 1;
  return Difference{file.path, line, line_at(*old, at), line_at(file.bytes, at)};
}

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [id, experiment] : catalogue::experiments()) out.emplace_back(id);
  return out;
}

std::vector<std::string> encoding_pages() {
  std::vector<std::string> out;
  for (const auto& [id, spec] : catalogue::encodings())
    out.push_back(fmt::format("{}{}", encodings_folder, id));
  return out;
}

std::vector<std::string> page_names() {
  std::vector<std::string> out = names();
  std::ranges::move(encoding_pages(), std::back_inserter(out));
  return out;
}

std::vector<File> files(std::string_view name, const Experiment& experiment) {
  return files_of(page_of(name, experiment), experiment.run());
}

std::vector<File> files(std::string_view name) {
  const auto [page, document] = page_written(name);
  return files_of(page, document());
}

namespace {

// A page begins with its title, an empty line and its finding.
std::pair<std::string, std::string> title_and_finding(const File& page) {
  const auto title = page.bytes.find('\n');
  const auto finding = page.bytes.find('\n', title + 2);
  if (!page.bytes.starts_with("# ") || finding == std::string::npos)
    throw std::logic_error(fmt::format("{}: a page begins with a title and a finding", page.path));
  return {page.bytes.substr(2, title - 2), page.bytes.substr(title + 2, finding - title - 2)};
}

}  // namespace

namespace {

std::string line_of(const File& page) {
  const auto [title, finding] = title_and_finding(page);
  return fmt::format("- [{}]({}): {}\n", title, page.path, finding);
}

// None for a page that no experiment writes.
std::optional<Asker> asker(const File& page) {
  for (const auto& [name, experiment] : catalogue::experiments())
    if (page.path == fmt::format("{}.md", name)) return experiment->asked_by;
  return std::nullopt;
}

constexpr std::pair<Asker, std::string_view> parts_of_the_index[] = {
    {Asker::choosing, "Choosing an encoding"},
    {Asker::implementing, "Implementing one"},
    {Asker::understanding, "Understanding why it works"},
    {Asker::numerics, "Numerics"},
};

}  // namespace

File index(const std::vector<File>& pages, std::string_view questions) {
  std::string out =
      "# Reports\n\n"
      "What the experiments found. Every page but `performance.md` and `mutants.md` is written, with the data of its\n"
      "figures, by `posproof report` from the numbers that it measures, and a test compares it byte for byte. The\n"
      "[glossary](glossary.md) defines the terms that are posproof's own.\n\n"
      "The [matrix](encoding_by_property.md) is the front page: which property holds for which encoding, and from there\n"
      "[a page for each encoding](encodings/).\n";
  std::map<Asker, std::string> parts;
  std::string others, measured;  // of no experiment; not computed
  for (const File& page : pages) {
    if (!page.path.ends_with(".md")) continue;
    if (page.path == fmt::format("{}.md", performance_name))
      measured = fmt::format(
          "\n[Performance]({}) is what `./run performance` measured on the machine that it names; no test compares it.\n",
          page.path);
    else if (const auto by = asker(page))
      parts[*by] += line_of(page);
    else
      others += line_of(page);
  }
  if (!others.empty()) out += "\n" + others;
  for (const auto& [by, heading] : parts_of_the_index)
    if (parts.contains(by)) out += fmt::format("\n## {}\n\n{}", heading, parts[by]);
  if (!questions.empty())
    measured += fmt::format(
        "\n## The founding questions\n\n"
        "Where each question that the project began with is answered. [All claims and questions]({}.md) have their "
        "verdicts there.\n\n{}",
        founding_name, questions);
  return {"README.md", out + measured};
}

namespace {

// The page of the experiment that the interactive matrix has its answers from.
constexpr std::string_view matrix_name = "encoding_by_property";

void put_site(const fs::path& folder, const std::vector<File>& files) {
  for (const File& file : files) replace_file(folder / "html" / file.path, file.bytes);
}

// What lies outside the reports' folder is one folder further up from html/.
std::string from_html(std::string markdown) {
  constexpr std::string_view outside = "](../", further = "](../../";
  for (auto at = markdown.find(outside); at != std::string::npos;
       at = markdown.find(outside, at + further.size()))
    markdown.insert(at + 2, "../");
  return markdown;
}

// What was measured on some machine is not measured again: its page is made from the Markdown, its figures
// are those that stand beside it.
void put_performance(const fs::path& folder, std::vector<SiteEntry>& entries) {
  auto bytes = file_bytes(folder / fmt::format("{}.md", performance_name));
  if (!bytes) return;
  const auto [title, finding] = title_and_finding({std::string(performance_name), *bytes});
  entries.push_back({std::string(performance_name), title, finding});
  std::vector<File> files = {site_text(performance_name, from_html(std::move(*bytes)))};
  const fs::path figures = fs::path("figures") / performance_name;
  if (fs::is_directory(folder / figures))
    for (const auto& one : fs::directory_iterator(folder / figures)) {
      const std::string path = (figures / one.path().filename()).string();
      if (auto drawn = file_bytes(folder / path)) files.push_back({path, std::move(*drawn)});
    }
  put_site(folder, files);
}

// The front page names what the site has.
void complete_site(const fs::path& folder, bool with_matrix) {
  if (with_matrix) {
    const experiments::MeasuredMatrix& measured = experiments::measured_matrix();
    put_site(folder,
             site_matrix({.cells = measured.cells,
                          .failed_by =
                              [&](const std::string& property, const Refuted& refuted) {
                                return experiments::failed_by(property, refuted, measured.least);
                              },
                          .condition = fmt::format("Seed {}, {} cases for each claim, double precision.",
                                                   measured.options.seed, measured.options.budget.cases)}));
  }
  std::vector<SiteEntry> entries;
  if (auto founding = file_bytes(folder / fmt::format("{}.md", founding_name))) {
    const auto [title, finding] = title_and_finding({std::string(founding_name), *founding});
    entries.push_back({std::string(founding_name), title, finding});
    put_site(folder, {site_text(founding_name, from_html(std::move(*founding)))});
  }
  put_performance(folder, entries);
  for (const std::string& name : page_names()) {
    const auto bytes = file_bytes(folder / fmt::format("{}.md", name));
    if (!bytes || !fs::exists(folder / "html" / fmt::format("{}.html", name))) continue;
    const auto [title, finding] = title_and_finding({name, *bytes});
    entries.push_back({name, title, finding});
  }
  put_site(folder, site_frame(entries, fs::exists(folder / "html/matrix.html")));
}

// Whether every page is there that the founding questions may quote.
bool complete(const std::vector<File>& there) {
  return std::ranges::all_of(names(), [&](const std::string& name) {
    return std::ranges::find(there, fmt::format("{}.md", name), &File::path) != there.end();
  });
}

// None where an experiment's page is missing, which it may quote.
std::optional<File> founding_from(const fs::path& folder) {
  const std::vector<File> there = pages(folder);
  if (!complete(there)) return std::nullopt;
  return founding_page(founding::sources(), there, may_wait);
}

File index_from(const fs::path& folder) {
  const std::vector<File> there = pages(folder);
  return index(there, complete(there) ? founding_map(founding::sources(), there) : "");
}

void put_founding(const fs::path& folder, std::vector<std::string>& changed) {
  if (const auto page = founding_from(folder); page && replace_file(folder / page->path, page->bytes))
    changed.push_back(page->path);
}

void put_index(const fs::path& folder, std::vector<std::string>& changed) {
  const File all = index_from(folder);
  if (replace_file(folder / all.path, all.bytes)) changed.push_back(all.path);
}

}  // namespace

std::vector<std::string> write_all(const fs::path& folder, const std::vector<std::string>& only,
                                   const Progress& progress, bool html) {
  std::vector<std::string> changed;
  const std::vector<std::string> all = only.empty() ? page_names() : only;
  for (const std::string& name : all)
    page_written(name);  // a wrong name, and a folder that cannot be written to,
  NewFile(folder / "README.md", 0, MissingFolders::are_made);  // are found before the minutes that follow
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (progress) progress(all[n], n, all.size());
    const auto [page, run] = page_written(all[n]);
    const Document document = run();
    const std::vector<File> fresh = files_of(page, document);
    const auto put_there = put(folder, all[n], document, fresh);
    if (html) put_site(folder, site_page(document, page, fresh));
    changed.insert(changed.end(), put_there.begin(), put_there.end());
  }
  for (const std::string& path : of_no_encoding(folder))
    if (fs::remove_all(folder / path) > 0) changed.push_back(path);
  if (replace_file(folder / "glossary.md", glossary_page())) changed.emplace_back("glossary.md");
  put_founding(folder, changed);
  put_index(folder, changed);
  if (html) complete_site(folder, std::ranges::find(all, matrix_name) != all.end());
  return changed;
}

std::vector<std::string> write_page(const fs::path& folder, const Page& page, const Document& document) {
  std::vector<File> fresh;
  try {
    fresh = files_of(page, document);
  } catch (const NoGnuplot&) {
    fresh = texts(page, document);
  }
  std::vector<std::string> changed = put(folder, page.id, document, fresh);
  put_index(folder, changed);
  return changed;
}

namespace {

void add_difference(std::vector<Difference>& out, const fs::path& folder, const File& file) {
  if (auto found = difference(folder, file)) out.push_back(std::move(*found));
}

// A drawing without a version was not published by us, and is compared.
void compare_drawings(Comparison& out, const fs::path& folder, const Page& page, const Document& document) {
  try {
    for (const File& file : drawings(page, document)) {
      const std::string there = file_bytes(folder / file.path).value_or("");
      const std::string_view then = drawn_by(there), now = drawn_by(file.bytes);
      if (then.empty() || then == now)
        add_difference(out.differences, folder, file);
      else
        out.drawings_not_compared = fmt::format("{} wrote them, here is {}", then, now);
    }
  } catch (const NoGnuplot& missing) {
    out.drawings_not_compared = missing.what();
    for_each_figure(document, [&](const auto& figure) {
      for (const auto& [theme, word] : themes)
        if (const std::string path = drawing_path(page.id, figure.name, word); !fs::exists(folder / path))
          out.differences.push_back({path, 0, "no such file", ""});
    });
  }
}

}  // namespace

std::string Difference::text() const {
  if (line == 0) return fmt::format("{}: {}", path, checked_in);
  return fmt::format("{}:{} differs\n  checked in  {}\n  now         {}", path, line, checked_in, now);
}

Comparison compare(const fs::path& folder, std::string_view name) {
  const auto [page, run] = page_written(name);
  const Document document = run();
  Comparison out;
  for (const File& file : texts(page, document)) add_difference(out.differences, folder, file);
  compare_drawings(out, folder, page, document);
  for (const std::string& path : stale(folder, name, document))
    out.differences.push_back({path, 0, "the experiment has no such figure", ""});
  return out;
}

std::vector<Difference> compare_pages_of_encodings(const fs::path& folder) {
  std::vector<Difference> out;
  for (const std::string& path : of_no_encoding(folder))
    out.push_back({path, 0, "there is no such encoding", ""});
  return out;
}

std::vector<Difference> compare_founding(const fs::path& folder) {
  const auto page = founding_from(folder);
  if (!page) return {{fmt::format("{}.md", founding_name), 0, "it quotes pages that are missing", ""}};
  if (auto found = difference(folder, *page)) return {*found};
  return {};
}

std::vector<Difference> compare_index(const fs::path& folder) {
  if (auto found = difference(folder, index_from(folder))) return {*found};
  return {};
}

}  // namespace posproof::report
