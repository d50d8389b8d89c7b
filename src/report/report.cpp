#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "catalogue/experiments.h"
#include "report/figure.h"
#include "report/file.h"
#include "report/glossary.h"
#include "report/markdown.h"

namespace posproof::report {
namespace {

namespace fs = std::filesystem;

template <class Drawn>
void draw(std::vector<File>& out, std::string_view name, const Drawn& drawn) {
  for (const auto& [theme, word] : {std::pair{Theme::light, "light"}, std::pair{Theme::dark, "dark"}})
    out.push_back({fmt::format("figures/{}/{}-{}.svg", name, drawn.name, word),
                   published(gnuplot(script(drawn, theme)), drawn.title, drawn.description)});
}

// Figures in the folder that the experiment does not have.
std::vector<std::string> stale(const fs::path& folder, std::string_view name,
                               const std::vector<File>& fresh) {
  std::vector<std::string> out;
  const fs::path figures = folder / "figures" / name;
  if (!fs::is_directory(figures)) return out;
  for (const auto& entry : fs::directory_iterator(figures)) {
    const std::string path = fmt::format("figures/{}/{}", name, entry.path().filename().string());
    if (std::none_of(fresh.begin(), fresh.end(), [&](const File& file) { return file.path == path; }))
      out.push_back(path);
  }
  std::sort(out.begin(), out.end());
  return out;
}

const Experiment& experiment(std::string_view name) {
  for (const auto& [id, found] : catalogue::experiments())
    if (id == name) return *found;
  throw std::invalid_argument(
      fmt::format("no experiment is called `{}`; `posproof list experiments` has them", name));
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

namespace {

std::vector<File> files(const Page& page, const Document& document, bool figures) {
  const std::string_view name = page.id;
  std::vector<File> out = {{fmt::format("{}.md", name), markdown(document, page)}};
  if (!figures) return out;
  for (const document::Block& block : document.blocks) {
    if (const auto* plot = std::get_if<document::Plot>(&block)) draw(out, name, *plot);
    if (const auto* map = std::get_if<document::HeatMap>(&block)) draw(out, name, *map);
  }
  return out;
}

}  // namespace

std::vector<File> files(std::string_view name, const Experiment& experiment, bool figures) {
  return files(page_of(name, experiment), experiment.run(), figures);
}

std::vector<File> files(std::string_view name) {
  return files(name, experiment(name));
}

// A page begins with its title, an empty line and its finding.
File index(const std::vector<File>& pages) {
  std::string out =
      "# Reports\n\n"
      "What the experiments found. Every page is written by `posproof report` from the numbers it measures, "
      "and a\n"
      "test compares it byte for byte. The [glossary](glossary.md) defines the terms that are posproof's "
      "own.\n\n";
  std::string measured;  // not computed
  for (const File& page : pages) {
    if (!page.path.ends_with(".md")) continue;
    if (page.path == fmt::format("{}.md", performance_name)) {
      measured = fmt::format(
          "\n[Performance]({}) is what `./run performance` measured on the machine that it names; no test "
          "compares it.\n",
          page.path);
      continue;
    }
    const auto title = page.bytes.find('\n');
    const auto finding = page.bytes.find('\n', title + 2);
    if (!page.bytes.starts_with("# ") || finding == std::string::npos)
      throw std::logic_error(fmt::format("{}: a page begins with a title and a finding", page.path));
    out += fmt::format("- [{}]({}): {}\n", page.bytes.substr(2, title - 2), page.path,
                       page.bytes.substr(title + 2, finding - title - 2));
  }
  return {"README.md", out + measured};
}

std::vector<std::string> write_all(const fs::path& folder, const std::vector<std::string>& only,
                                   const Progress& progress) {
  std::vector<std::string> changed;
  const auto put = [&](const File& file) {
    if (replace_file(folder / file.path, file.bytes)) changed.push_back(file.path);
  };
  const std::vector<std::string> all = only.empty() ? names() : only;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::string& name = all[n];
    if (progress) progress(name, n, all.size());
    const std::vector<File> fresh = files(name);
    for (const File& file : fresh) put(file);
    for (const std::string& path : stale(folder, name, fresh))
      if (fs::remove(folder / path)) changed.push_back(path);
  }
  put({"glossary.md", glossary_page()});
  put(index(pages(folder)));
  return changed;
}

std::vector<std::string> write_page(const fs::path& folder, const Page& page, const Document& document) {
  std::vector<File> fresh;
  bool drawn = true;
  try {
    fresh = files(page, document, true);
  } catch (const NoGnuplot&) {
    fresh = files(page, document, false);
    drawn = false;
  }
  std::vector<std::string> changed;
  for (const File& file : fresh)
    if (replace_file(folder / file.path, file.bytes)) changed.push_back(file.path);
  if (drawn)
    for (const std::string& path : stale(folder, page.id, fresh))
      if (fs::remove(folder / path)) changed.push_back(path);
  const File all = index(pages(folder));
  if (replace_file(folder / all.path, all.bytes)) changed.push_back(all.path);
  return changed;
}

std::string Difference::text() const {
  if (line == 0) return fmt::format("{}: {}", path, checked_in);
  return fmt::format("{}:{} differs\n  checked in  {}\n  now         {}", path, line, checked_in, now);
}

std::vector<Difference> compare(const fs::path& folder, std::string_view name, bool figures) {
  std::vector<Difference> out;
  const std::vector<File> fresh = files(name, experiment(name), figures);
  for (const File& file : fresh)
    if (auto found = difference(folder, file)) out.push_back(std::move(*found));
  if (figures)
    for (const std::string& path : stale(folder, name, fresh))
      out.push_back({path, 0, "the experiment has no such figure", ""});
  return out;
}

std::vector<Difference> compare_index(const fs::path& folder) {
  if (auto found = difference(folder, index(pages(folder)))) return {*found};
  return {};
}

}  // namespace posproof::report
