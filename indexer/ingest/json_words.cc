#include "indexer/ingest/json_words.h"

#include <algorithm>

#include "common/text/json_surrogates.h"
#include "common/text/utf8.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kShortNumber = 18;  // digits and a sign that fit into 64 bits
constexpr std::size_t kShownWord = 40;
constexpr std::string_view kEndsOfWords = " \t\r\n,:[]{}\"";

std::string_view word_at(std::string_view json, std::size_t at) {
  return json.substr(at, json.find_first_of(kEndsOfWords, at) - at);
}

bool is_whole_number(std::string_view word) { return word.find_first_of(".eE") == word.npos; }

// Behind the string that begins at json[at].
std::size_t string_end(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return std::min(at + 1, json.size());
}

}  // namespace

bool is_json_number(std::string_view word) {
  const auto pass_digits = [&word] {
    const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    word.remove_prefix(digits);
    return digits;
  };
  if (word.starts_with('-')) word.remove_prefix(1);
  const bool zero = word.starts_with('0');
  const std::size_t digits = pass_digits();
  if (digits == 0 || (zero && digits > 1)) return false;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    if (pass_digits() == 0) return false;
  }
  if (word.starts_with('e') || word.starts_with('E')) {
    word.remove_prefix(1);
    if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
    if (pass_digits() == 0) return false;
  }
  return word.empty();
}

Result<JsonWords> JsonWords::set_aside(std::string_view json) {
  JsonWords aside;
  aside.source_ = text::with_whole_surrogates(json);
  const std::string_view source = aside.source_;
  std::string& out = aside.json;
  out.reserve(source.size() + 64);
  std::size_t depth = 0;
  const auto append = [&](std::string_view text) {
    if (depth < kMaxDepth) out.append(text);
  };
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    if (c == '"') {
      const std::size_t end = string_end(source, at);
      append(source.substr(at, end - at));
      at = end;
    } else if (kEndsOfWords.find(c) != kEndsOfWords.npos) {
      if (c == '[' || c == '{') {
        if (depth + 1 == kMaxDepth) append("null");
        ++depth;
      }
      append(source.substr(at, 1));
      if ((c == ']' || c == '}') && depth > 0) --depth;
      ++at;
    } else {
      const std::string_view word = word_at(source, at);
      const bool number = is_json_number(word);
      if (word == "true" || word == "false" || word == "null" ||
          (number && is_whole_number(word) && word.size() <= kShortNumber)) {
        append(word);
      } else if (number || word == "NaN" || word == "Infinity" || word == "-Infinity") {
        append(std::to_string(aside.begins_.size()) + "e0");
        aside.begins_.push_back(static_cast<std::uint32_t>(at));
      } else {
        const std::string shown(word.substr(0, text::utf8_boundary(word, std::min(word.size(), kShownWord))));
        return Error(Code::kInvalid, "broken JSON: '" + shown + "' is no value");
      }
      at += word.size();
    }
  }
  return aside;
}

std::string_view JsonWords::written(double place) const {
  const auto index = static_cast<std::size_t>(place);
  return index < begins_.size() ? word_at(source_, begins_[index]) : std::string_view();
}

}  // namespace frond::indexer::ingest
