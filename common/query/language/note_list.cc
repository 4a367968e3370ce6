#include "common/query/language/note_list.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/text/utf8.h"

namespace frond::query {

std::string escaped(std::string_view text) {
  constexpr std::string_view kAll = "\"()+-:*?~^[]{}<>\\";
  std::string out;
  for (const char c : text) {
    if (kAll.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

bool NoteList::would_keep(std::size_t glyph) const {
  return notes_.size() < kMaxNotes || glyphs_[glyph].begin < notes_.back().byte;
}

void NoteList::add(std::size_t begin, std::size_t end, std::string expected, std::string nearest) {
  if (!would_keep(begin)) return;
  const std::string_view all = glyphs_.source(begin, end);
  std::string found(all.substr(0, text::utf8_boundary(all, kMaxNoteBytes)));
  if (found.size() < all.size()) found += "…";
  if (nearest.size() > kMaxNoteBytes) nearest.clear();
  const std::size_t byte = glyphs_[begin].begin;
  const auto place = std::ranges::upper_bound(notes_, byte, {}, &Note::byte);
  notes_.insert(place, {byte, glyphs_[begin].code_point, std::move(found), std::move(expected), std::move(nearest)});
  if (notes_.size() > kMaxNotes) notes_.pop_back();
}

std::string message_of(const Note& note) {
  return "at character " + std::to_string(note.code_point + 1) + ": found '" + note.found + "', expected " +
         note.expected + (note.nearest.empty() ? "" : "; try " + note.nearest);
}

}  // namespace frond::query
