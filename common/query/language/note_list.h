#pragma once
// Collects notes. Internal to this folder.
#include <string>
#include <utility>
#include <vector>

#include "common/query/language/glyphs.h"
#include "common/query/language/query_parser.h"

namespace frond::query {

class NoteList {
 public:
  explicit NoteList(const Glyphs& glyphs) : glyphs_(glyphs) {}

  // Glyphs [begin, end) were not what they seem.
  void add(std::size_t begin, std::size_t end, std::string expected, std::string nearest = "");
  // Whether a note about this glyph is among the first: whoever builds long texts for a note asks before.
  bool would_keep(std::size_t glyph) const;
  // By place, at most kMaxNotes.
  std::vector<Note> take() && { return std::move(notes_); }

 private:
  const Glyphs& glyphs_;
  std::vector<Note> notes_;  // by place
};

// The text with a `\` before each sign.
std::string escaped(std::string_view text);

}  // namespace frond::query
