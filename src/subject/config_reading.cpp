#include "subject/config_reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "subject/words.h"

namespace posproof {
namespace {

// A model of text and images has an object for each, and that of the text comes before what stands beside
// it.
std::string of_text(std::string_view name) {
  return fmt::format("text_config.{}", name);
}

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

std::string shown(const Value& value) {
  return printable(text(value), 100);
}

[[noreturn]] void refuse_kind(std::string_view name, std::string_view shown, std::string_view kind,
                              std::string_view expected) {
  throw std::invalid_argument(
      fmt::format("has `{}` as {}, {}; expected: {}", shown, printable(name, 100), kind, expected));
}

std::string_view kind_of(const Value& value) {
  if (std::holds_alternative<double>(value)) return "a number";
  if (std::holds_alternative<std::vector<double>>(value)) return "a list";
  const std::string& word = std::get<std::string>(value);
  return word == "true" || word == "false" ? "a truth value" : "a text";
}

// How many letters were dropped, added or changed.
std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

bool bears_on_position(std::string_view name) {
  const std::string_view last = last_part(name);
  if (last.starts_with("max_") && (last.ends_with("_positions") || last.ends_with("position_embeddings")))
    return false;
  if (last == "n_positions" || last == "original_max_position_embeddings") return false;
  if (last == "qk_nope_head_dim") return false;  // the width of what has no position
  for (const std::string_view phrase : {"attn_factor", "attn_temp", "attention_temp", "attention.temp",
                                        "attn_scale", "floor_scale", "scaling_beta", "relative_attention",
                                        "bucket_distance", "rope_scaling.", "rope_parameters.", "rotary"})
    if (name.find(phrase) != name.npos) return true;
  constexpr std::array<std::string_view, 8> beginnings = {"rope", "mrope", "alibi", "yarn",
                                                          "ntk",  "logn",  "theta", "sinusoidal"};
  constexpr std::array<std::string_view, 7> words = {"position", "positions", "positional", "pos",
                                                     "buckets",  "nope",      "mscale"};
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find_first_of("._-", at), name.size());
    const std::string_view word = name.substr(at, end - at);
    if (std::ranges::find(words, word) != words.end()) return true;
    if (std::ranges::any_of(beginnings, [&](std::string_view one) { return word.starts_with(one); }))
      return true;
    at = end + 1;
  }
  return false;
}

std::string Reading::Found::text() const {
  return fmt::format("{} {}", name, number_text(value));
}

const Value* Reading::find(std::string_view name) const {
  const Value* inner = settings_.find(of_text(name));
  return inner != nullptr ? inner : settings_.find(name);
}

const Value* Reading::take(std::string_view name) {
  asked_.emplace(last_part(name));
  for (const std::string& whole : {of_text(name), std::string(name)}) {
    if (const auto other = settings_.others.find(whole); other != settings_.others.end())
      refuse_kind(whole, printable(other->second, 100), "a list", "a number or a word");
    if (const Value* value = settings_.find(whole)) {
      taken_.insert(whole);
      return value;
    }
  }
  return nullptr;
}

std::optional<Reading::Found> Reading::number(Names names) {
  for (const std::string_view name : names) {
    const Value* value = take(name);
    if (value == nullptr && has_object(name)) refuse_kind(name, "{...}", "an object", "a number");
    if (value == nullptr) continue;
    const std::string whole = settings_.find(of_text(name)) == value ? of_text(name) : std::string(name);
    if (const auto* one = std::get_if<double>(value)) return Found{whole, *one};
    refuse_kind(whole, shown(*value), kind_of(*value), "a number");
  }
  return std::nullopt;
}

const std::string* Reading::word(Names names) {
  for (const std::string_view name : names) {
    const Value* value = take(name);
    if (value == nullptr) continue;
    if (const auto* one = std::get_if<std::string>(value)) return one;
    refuse_kind(name, shown(*value), kind_of(*value), "a word, or true or false");
  }
  return nullptr;
}

const std::vector<double>* Reading::list(std::string_view name) {
  const Value* value = take(name);
  if (value == nullptr) return nullptr;
  if (const auto* all = std::get_if<std::vector<double>>(value)) return all;
  refuse_kind(name, shown(*value), kind_of(*value), "a list of numbers");
}

const std::vector<double>* Reading::list_or_number(std::string_view name) {
  const Value* value = take(name);
  if (value == nullptr || !std::holds_alternative<double>(*value)) return list(name);
  number_as_list_ = {std::get<double>(*value)};
  return &number_as_list_;
}

std::vector<std::string> Reading::words(std::string_view name) {
  asked_.emplace(last_part(name));
  std::vector<std::string> out;
  for (const std::string& whole : {of_text(name), std::string(name)}) {
    const auto other = settings_.others.find(whole);
    if (other == settings_.others.end()) continue;
    taken_.insert(whole);
    for (const auto& one : nlohmann::json::parse(other->second)) {
      if (!one.is_string()) refuse_kind(whole, printable(other->second, 100), "a list", "a list of words");
      out.push_back(one.get<std::string>());
    }
    return out;
  }
  const std::string* text = word({name});
  for (std::size_t at = 0; text != nullptr && at <= text->size();) {
    const std::size_t end = std::min(text->find('|', at), text->size());
    out.push_back(text->substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool Reading::is(std::string_view name, std::string_view expected) {
  const std::string* value = word({name});
  return value != nullptr && *value == expected;
}

bool Reading::has_object(std::string_view name) const {
  for (const std::string& whole : {of_text(name) + ".", std::string(name) + "."}) {
    const auto first = settings_.all.lower_bound(whole);
    if (first != settings_.all.end() && first->first.starts_with(whole)) return true;
  }
  return false;
}

std::string Reading::below(std::string_view object, std::string_view last) const {
  for (const std::string& whole : {of_text(object) + ".", std::string(object) + "."})
    for (auto at = settings_.all.lower_bound(whole);
         at != settings_.all.end() && at->first.starts_with(whole); ++at)
      if (last_part(at->first) == last) return at->first;
  return "";
}

void Reading::expect_object(std::string_view name, std::string_view allowed) const {
  for (const std::string& whole : {of_text(name), std::string(name)}) {
    if (const Value* value = settings_.find(whole))
      refuse_kind(whole, shown(*value), kind_of(*value), allowed);
    if (const auto other = settings_.others.find(whole); other != settings_.others.end())
      refuse_kind(whole, printable(other->second, 100), "a list", allowed);
  }
}

void Reading::set(std::string_view parameter, Value value, std::string_view because) {
  out_.understood.push_back(
      fmt::format("{}: {}={}", printable(because, 100), parameter, printable(text(value), 200)));
  out_.parameters.set(parameter, std::move(value));
}

void Reading::set(std::string_view parameter, const std::optional<Found>& found) {
  if (found) set(parameter, found->value, found->text());
}

void Reading::two_readings(std::string_view parameter, std::string readings) {
  out_.ambiguous.push_back({std::string(parameter), std::move(readings)});
}

void Reading::missing(std::string_view parameter, std::string what) {
  out_.missing.push_back({std::string(parameter), std::move(what)});
}

void Reading::agree(std::string_view parameter, const std::vector<std::optional<Found>>& all) {
  std::vector<Found> different;
  for (const auto& one : all)
    if (one && std::ranges::none_of(different, [&](const Found& had) { return had.value == one->value; }))
      different.push_back(*one);
  if (different.size() == 1) set(parameter, different.front());
  if (different.size() < 2) return;
  std::vector<std::string> readings;
  for (const Found& one : different)
    readings.push_back(fmt::format("{} ({})", number_text(one.value), one.name));
  two_readings(parameter, fmt::format("{}", fmt::join(readings, " or ")));
}

void Reading::note(std::string_view parameter, std::string what) {
  out_.notes.push_back({std::string(parameter), std::move(what)});
}

bool Reading::is_accounted(std::string_view parameter) const {
  const auto names_it = [&](const auto& one) { return one.parameter == parameter; };
  return out_.parameters.has(parameter) || std::ranges::any_of(out_.ambiguous, names_it) ||
         std::ranges::any_of(out_.missing, names_it);
}

void Reading::note_where_unsaid(std::string_view parameter, std::string what) {
  if (!is_accounted(parameter)) note(parameter, std::move(what));
}

void Reading::note_what_was_not_read() {
  const auto tell = [&](const std::string& name, const std::string& value) {
    const std::string_view last = last_part(name);
    if (name.starts_with("tensors.") || name.starts_with("general.") || name.starts_with("tokenizer."))
      return;
    const bool about_position = bears_on_position(name);
    std::string near;
    const auto is_taken = [&](std::string_view one) {
      return std::ranges::any_of(taken_, [&](const std::string& whole) { return last_part(whole) == one; });
    };
    if (!asked_.contains(last))
      for (const std::string& one : asked_)
        if (last.size() >= 6 && letters_apart(last, one) <= (about_position ? 2u : 1u) && !is_taken(one))
          near = one;
    if (about_position || !near.empty())
      note("", fmt::format("not read: {} = {}{}", printable(name, 100), value,
                           near.empty() ? "" : fmt::format("; near it: {}", near)));
  };
  for (const auto& [name, value] : settings_.all)
    if (!taken_.contains(name)) tell(name, shown(value));
  for (const auto& [name, value] : settings_.others)
    if (!taken_.contains(name)) tell(name, printable(value, 100));
}

Configured Reading::done() {
  note_what_was_not_read();
  return std::move(out_);
}

void set_layout(Reading& to, const std::string* model, std::span<const std::string_view> interleaved,
                std::span<const std::string_view> half_split) {
  const auto among = [&](std::span<const std::string_view> all) {
    return model != nullptr && is_among(*model, all);
  };
  if (among(interleaved)) return to.set("layout", std::string("interleaved"), "model " + *model);
  if (among(half_split)) return to.set("layout", std::string("half_split"), "model " + *model);
  to.note("layout",
          fmt::format("{} says no layout that is known: half_split is taken",
                      model == nullptr ? "a file without model_type" : "model " + printable(*model, 100)));
}

bool is_among(std::string_view word, std::span<const std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

std::optional<Reading::Found> width_of_head(Reading& from, Reading::Names own, Reading::Names width,
                                            Reading::Names heads) {
  if (auto found = from.number(own)) return found;
  const auto all = from.number(width), count = from.number(heads);
  if (!all || !count || count->value <= 0) return std::nullopt;
  return Reading::Found{all->name + " / " + count->name, all->value / count->value};
}

void set_width_of_head(Reading& to) {
  if (const auto dim = width_of_head(to, {"head_dim"}, {"hidden_size", "d_model"},
                                     {"num_attention_heads", "encoder_attention_heads"}))
    to.set("dim", dim->value, dim->name);
}

void refuse_other(std::string_view encoding, std::string_view why) {
  throw std::invalid_argument(fmt::format("describes no {}: {}", encoding, why));
}

}  // namespace posproof
