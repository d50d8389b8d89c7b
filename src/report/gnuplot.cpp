#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "report/figure.h"

namespace posproof::report {
namespace {

// A file without a name, gone when it is closed.
struct Scratch {
  std::FILE* file = std::tmpfile();
  Scratch() {
    if (!file)
      throw std::runtime_error(fmt::format("no temporary file for gnuplot: {}", std::strerror(errno)));
  }
  ~Scratch() { std::fclose(file); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  int descriptor() const { return ::fileno(file); }
  void write(const std::string& text) const {
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0)
      throw std::runtime_error(
          fmt::format("gnuplot's script could not be written: {}", std::strerror(errno)));
    std::rewind(file);
  }
  std::string read() const {
    std::string out;
    std::array<char, 65536> buffer;
    std::rewind(file);
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), file))
      out.append(buffer.data(), n);
    return out;
  }
};

void replace(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

constexpr std::string_view version_opens = "<!-- gnuplot ", version_closes = " -->\n";

std::string escaped_for_gnuplot(std::string text) {
  replace(text, "&", "&amp;");
  replace(text, "<", "&lt;");
  replace(text, ">", "&gt;");
  return text;
}

}  // namespace

std::string gnuplot(const std::string& script) {
  const Scratch in, out, err;
  in.write(script);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.descriptor(), 0);
  posix_spawn_file_actions_adddup2(&files, out.descriptor(), 1);
  posix_spawn_file_actions_adddup2(&files, err.descriptor(), 2);
  // No start-up file (-d) and no locale: both change the bytes.
  std::string program = "gnuplot", defaults = "-d", locale = "LC_ALL=C.UTF-8";
  std::array<char*, 3> arguments = {program.data(), defaults.data(), nullptr};
  std::array<char*, 2> environment = {locale.data(), nullptr};
  pid_t child = 0;
  const int failed =
      ::posix_spawnp(&child, program.c_str(), &files, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  if (failed == ENOENT)
    throw NoGnuplot("figures need `gnuplot`, which is not on the PATH; on Debian: apt install gnuplot-nox");
  if (failed)
    throw std::runtime_error(fmt::format("`gnuplot` could not be started: {}", std::strerror(failed)));

  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string svg = out.read();
  // gnuplot ends with 0 after most errors in a script; what it complains of is the evidence.
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !svg.ends_with("</svg>\n\n") || !err.read().empty())
    throw std::runtime_error(fmt::format("`gnuplot` drew no figure: {}", err.read()));
  return svg;
}

std::string published(std::string svg, const std::string& title, const std::string& description) {
  const std::string_view before = "<title>Gnuplot</title>\n<desc>Produced by GNUPLOT ", after = " </desc>\n";
  const auto begin = svg.find(before), end = svg.find(after);
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw std::runtime_error("gnuplot's SVG has no <title> and <desc> where 5.4 writes them");
  const std::string version = svg.substr(begin + before.size(), end - begin - before.size());
  svg.replace(begin, end + after.size() - begin,
              fmt::format("<title>{}</title>\n<desc>{}</desc>\n{}{}{}", escaped_for_gnuplot(title),
                          escaped_for_gnuplot(description), version_opens, version, version_closes));
  // Titles that gnuplot invents for its curves would show as tooltips.
  for (auto at = svg.find("<title>gnuplot_plot_"); at != std::string::npos;
       at = svg.find("<title>gnuplot_plot_"))
    svg.erase(at, svg.find("</title>", at) + 8 - at);
  replace(svg, "<svg \n", "<svg role=\"img\"\n");
  replace(svg, "<image ", "<image style=\"image-rendering:pixelated\" ");
  replace(svg, "<tspan font-family=\"Helvetica\" >", "<tspan>");
  replace(svg, "<tspan font-family=\"Helvetica:Bold\" >", "<tspan>");
  replace(svg, "font-family=\"Helvetica:Bold\"", "font-weight=\"bold\" font-family=\"Helvetica\"");
  replace(svg, "font-family=\"Helvetica\"", "font-family=\"Helvetica, Arial, sans-serif\"");
  while (svg.ends_with("\n\n")) svg.pop_back();
  return svg;
}

std::string_view drawn_by(std::string_view svg) {
  const auto begin = svg.find(version_opens);
  if (begin == std::string_view::npos) return {};
  const auto words = begin + std::string_view("<!-- ").size();
  return svg.substr(words, svg.find(version_closes, begin) - words);
}

}  // namespace posproof::report
