#include "common/text/snippets/snippet.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/text/snippets/term_matches.h"
#include "common/text/unicode.h"
#include "common/text/utf8.h"

namespace frond::text {
namespace {

constexpr std::string_view kEllipsis = "\xe2\x80\xa6";
constexpr std::size_t kWordSearchBytes = 40;  // how far a cut is moved to fall between words

// The first and one past the last match of the best window of `max_bytes`.
std::pair<std::size_t, std::size_t> best_window(const std::vector<TermMatch>& matches, std::size_t terms,
                                                std::size_t max_bytes) {
  std::vector<std::uint32_t> seen(terms);
  std::size_t distinct = 0, first = 0, best_distinct = 0;
  std::pair<std::size_t, std::size_t> best{0, 0};
  for (std::size_t last = 0; last < matches.size(); ++last) {
    distinct += seen[matches[last].term]++ == 0;
    while (first < last && matches[last].where.end - matches[first].where.begin > max_bytes)
      distinct -= --seen[matches[first++].term] == 0;
    const std::size_t count = last + 1 - first;
    if (distinct > best_distinct || (distinct == best_distinct && count > best.second - best.first)) {
      best_distinct = distinct;
      best = {first, last + 1};
    }
  }
  return best;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c <= ' ' || c == 0x7f;
  if (c == kNoCodePoint) return false;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP ||
         category == UTF8PROC_CATEGORY_CC;
}
bool is_ascii_space(char c) { return static_cast<unsigned char>(c) <= ' '; }
bool is_plain(char c) { return c > ' ' && c < 0x7f; }  // printable ASCII except the space

// A start for the window at or after `at`, between words when a space is near, else between grapheme clusters; never
// past `first_match`.
std::size_t start_between_words(std::string_view body, std::size_t at, std::size_t first_match) {
  const auto between_clusters = [&](std::size_t place) { return std::min(first_match, cluster_end(body, place)); };
  if (at == 0 || is_ascii_space(body[at - 1])) return between_clusters(at);
  for (std::size_t i = at; i < std::min(first_match, at + kWordSearchBytes); ++i)
    if (is_ascii_space(body[i])) return between_clusters(i + 1);
  return between_clusters(utf8_boundary(body, at));
}
// An end at or before `at`, never before `last_match`.
std::size_t end_between_words(std::string_view body, std::size_t at, std::size_t last_match) {
  if (at >= body.size() || is_ascii_space(body[at])) return std::min(at, body.size());
  const std::size_t least = std::max(last_match, at - std::min(at, kWordSearchBytes));
  for (std::size_t i = at; i > least; --i)
    if (is_ascii_space(body[i - 1])) return i - 1;
  return std::max(last_match, cluster_begin(body, utf8_boundary(body, at)));
}

// A number of bytes at the beginning of `text` that are plain or a space before a plain one; some more may follow.
std::size_t plain_words(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHigh = 0x80 * kOnes;
  std::size_t at = 0;
  for (std::uint64_t bytes = 0; at + sizeof(bytes) < text.size(); at += sizeof(bytes)) {
    std::memcpy(&bytes, text.data() + at, sizeof(bytes));
    // High bits: bytes that are not ' ' to '~', and spaces. Borrows and carries leave bytes only in the first case.
    const std::uint64_t odd = (bytes | (bytes + kOnes) | (bytes - 0x20 * kOnes)) & kHigh;
    if (odd != 0) break;
    const std::uint64_t spaces = ~((bytes ^ 0x20 * kOnes) + (0x7f * kOnes)) & kHigh;
    if ((spaces & spaces >> 8) != 0 || (spaces >> 63 != 0 && !is_plain(text[at + sizeof(bytes)]))) break;
  }
  return at;
}

// How many bytes append_folded() makes of a part without white space.
std::size_t bytes_shown(std::string_view part) {
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < part.size();) {
    const CodePoint c = decode_utf8(part, at);
    bytes += c.value == kNoCodePoint ? kReplacement.size() : c.bytes;
    at += c.bytes;
  }
  return bytes;
}

// Appends body[from, to) with folded white space and repaired bytes; `pending`: a space is owed before the next one.
// False: stopped where `budget` bytes would be exceeded (a replacement is longer than the byte it stands for), between
// grapheme clusters.
bool append_folded(std::string_view body, TokenSpan part, bool& pending, std::size_t& budget, std::string& out) {
  for (std::size_t at = part.begin; at < part.end;) {
    if (!pending && is_plain(body[at])) {  // as most of most texts is, with a space between two words
      const std::size_t stop = at + std::min(part.end - at, budget);
      std::size_t end = at + plain_words(body.substr(at, stop - at));
      while (end < stop && (is_plain(body[end]) || (body[end] == ' ' && end + 1 < stop && is_plain(body[end + 1]))))
        ++end;
      out.append(body.substr(at, end - at));
      budget -= end - at;
      if (end == at) return false;
      at = end;
      continue;
    }
    const CodePoint c = decode_utf8(body.substr(0, part.end), at);
    const std::string_view bytes = c.value == kNoCodePoint ? kReplacement : body.substr(at, c.bytes);
    at += c.bytes;
    if (is_space(c.value)) {
      pending = true;
      continue;
    }
    const bool space = pending && !out.empty();
    if (bytes.size() + space > budget) {
      budget = 0;
      const std::size_t begin = cluster_begin(body, at - c.bytes);
      const bool is_appended = !space && begin >= part.begin && !is_space(decode_utf8(body, begin).value);
      if (is_appended) out.resize(out.size() - bytes_shown(body.substr(begin, at - c.bytes - begin)));
      return false;
    }
    if (space) out.push_back(' ');
    pending = false;
    out.append(bytes);
    budget -= bytes.size() + space;
  }
  return true;
}

// The grapheme clusters that a match has a part of: of letters and what extends them, or of an emoji's parts.
TokenSpan whole_clusters(std::string_view body, TokenSpan match) {
  return {cluster_begin(body, match.begin), cluster_end(body, match.end)};
}

std::string render(std::string_view body, TokenSpan window, std::span<const TermMatch> matches, std::size_t budget) {
  std::string out;
  bool pending = false, whole = true;
  if (window.begin > 0) out.append(kEllipsis);
  const std::size_t front = out.size();
  std::size_t at = window.begin;
  for (const TermMatch& match : matches) {
    const TokenSpan whole_word = whole_clusters(body, match.where);
    const TokenSpan word{std::max(at, whole_word.begin), whole_word.end};
    if (word.begin >= word.end) continue;  // an analyzer's tokens may overlap
    whole = append_folded(body, {at, word.begin}, pending, budget, out);
    const bool space = pending && !out.empty();
    // A part of a word stands for it only if there is nothing else to show.
    whole = whole && (budget >= word.end - word.begin + space || out.size() == front);
    if (!whole) break;
    if (space) out.push_back(' ');
    budget -= space;
    pending = false;
    out.append(kMatchBegin);
    whole = append_folded(body, word, pending, budget, out);
    if (out.ends_with(kMatchBegin))
      out.resize(out.size() - kMatchBegin.size());
    else
      out.append(kMatchEnd);
    at = word.end;
    if (!whole) break;
  }
  whole = whole && append_folded(body, {at, window.end}, pending, budget, out);
  if (!whole || window.end < body.size()) out.append(kEllipsis);
  return out;
}

}  // namespace

std::string snippet(Analyzer& analyzer, std::string_view body, std::span<const std::string> terms,
                    std::size_t max_bytes) {
  // Spaces at both ends are neither shown nor marked as an omission.
  while (!body.empty() && is_ascii_space(body.front())) body.remove_prefix(1);
  while (!body.empty() && is_ascii_space(body.back())) body.remove_suffix(1);
  if (max_bytes == 0 || body.empty()) return {};
  const std::string_view scanned = body.substr(0, utf8_boundary(body, kSnippetScanBytes));
  const std::vector<TermMatch> matches = find_terms(analyzer, scanned, terms);
  const auto [first, last] = best_window(matches, terms.size(), max_bytes);
  TokenSpan window{0, 0};  // the matches' own extent, then with what stands around it
  if (last > first) window = whole_clusters(body, {matches[first].where.begin, matches[last - 1].where.end});
  const TokenSpan core = window;
  const std::size_t room = max_bytes - std::min(max_bytes, core.end - core.begin);
  // A third of the room goes before the matches, since the text after them tells more; near an end of the body, more.
  std::size_t before = std::min(core.begin, room / 3);
  before = std::max(before, room - std::min(room, body.size() - core.end));
  before = std::min(before, core.begin);
  window.begin = start_between_words(body, core.begin - before, core.begin);
  const std::size_t left = room - std::min(room, core.begin - window.begin);
  window.end = end_between_words(body, core.end + std::min(left, body.size() - core.end), core.end);
  // Matches outside the best window may have come in with its surroundings.
  std::size_t shown_first = first, shown_last = last;
  while (shown_first > 0 && matches[shown_first - 1].where.begin >= window.begin) --shown_first;
  while (shown_last < matches.size() && matches[shown_last].where.end <= window.end) ++shown_last;
  const std::span<const TermMatch> shown(matches.data() + shown_first, shown_last - shown_first);
  return render(body, window, shown, max_bytes);
}

}  // namespace frond::text
