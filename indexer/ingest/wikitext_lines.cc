#include "indexer/ingest/wikitext_lines.h"

#include <algorithm>

#include "indexer/ingest/lines.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::string_view kNoBreakSpace = "\xc2\xa0";

// The end of a pair of brackets at text[0] that hold nothing but separators; 0: they hold something.
std::size_t empty_brackets(std::string_view text) {
  constexpr std::size_t kMaxSeparators = 32;
  const std::size_t end = text.substr(1, kMaxSeparators).find_first_not_of(" \t,;:/");
  return end != text.npos && text[1 + end] == ')' ? end + 2 : 0;
}

bool says_something(std::string_view line) {
  return std::ranges::any_of(line, [](char c) {
    const char small = small_letter(c);
    return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
  });
}

}  // namespace

std::string folded_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::size_t begin = out.size();
    bool space = false;
    while (!line.empty()) {
      if (line.starts_with(kNoBreakSpace) || static_cast<unsigned char>(line.front()) <= ' ' || line.front() == 0x7f) {
        line.remove_prefix(line.starts_with(kNoBreakSpace) ? kNoBreakSpace.size() : 1);
        space = true;
        continue;
      }
      if (line.front() == '(') {
        if (const std::size_t end = empty_brackets(line); end > 0) {
          line.remove_prefix(end);
          continue;
        }
      }
      if (space && out.size() > begin) out.push_back(' ');
      space = false;
      out.push_back(line.front());
      line.remove_prefix(1);
    }
    if (says_something(std::string_view(out).substr(begin)))
      out.push_back('\n');
    else
      out.resize(begin);
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace frond::indexer::ingest
