#include "leaf/clauses/resolve/edit_walk.h"

#include <algorithm>

#include "common/text/utf8.h"

namespace frond::leaf::clauses {

EditWalk::EditWalk(std::string_view word, std::uint32_t edits, bool swaps) : edits_(edits), swaps_(swaps) {
  for (std::size_t at = 0; at < word.size();) {
    const text::CodePoint letter = text::decode_utf8(word, at);
    word_.push_back(letter.value);
    at += letter.bytes;
  }
  rows_.emplace_back(word_.size() + 1);
  for (std::size_t i = 0; i <= word_.size(); ++i)
    rows_[0][i] = static_cast<std::uint8_t>(std::min<std::size_t>(i, edits_ + 1));
}

// Behind the last one, for the text's next letter. False: all of it is too far. Cells further from the diagonal than
// there may be edits are too far in any case.
bool EditWalk::add_row(char32_t letter) {
  text_.push_back(letter);
  const std::size_t at = text_.size(), size = word_.size();
  if (rows_.size() <= at) rows_.emplace_back(size + 1, static_cast<std::uint8_t>(edits_ + 1));
  std::vector<std::uint8_t>& row = rows_[at];
  const std::vector<std::uint8_t>& above = rows_[at - 1];
  const std::size_t first = at > edits_ ? at - edits_ : 0, last = std::min(size, at + edits_);
  std::uint32_t least = edits_ + 1;
  for (std::size_t i = first; i <= last; ++i) {
    std::uint32_t cell = above[i] + 1U;
    if (i > 0) {
      cell = std::min({cell, row[i - 1] + 1U, above[i - 1] + (word_[i - 1] == letter ? 0U : 1U)});
      if (swaps_ && i > 1 && at > 1 && word_[i - 1] == text_[at - 2] && word_[i - 2] == letter)
        cell = std::min(cell, rows_[at - 2][i - 2] + 1U);
    }
    row[i] = static_cast<std::uint8_t>(std::min(cell, edits_ + 1));
    least = std::min(least, cell);
  }
  return least <= edits_;
}

std::optional<EditWalk::Found> EditWalk::look_at(std::string_view text) {
  std::size_t at = 0, letters = 0;
  for (; at < text.size() && letters < text_.size(); ++letters) {
    const text::CodePoint letter = text::decode_utf8(text, at);
    if (letter.value != text_[letters]) break;
    at += letter.bytes;
  }
  if (hopeless_ != 0 && letters >= hopeless_) {
    ++passed_;
    return {};
  }
  text_.resize(letters);
  ends_.resize(letters);
  hopeless_ = passed_ = 0;
  while (at < text.size()) {
    const text::CodePoint letter = text::decode_utf8(text, at);
    at += letter.bytes;
    ends_.push_back(at);
    if (add_row(letter.value)) continue;
    hopeless_ = text_.size();
    return {};
  }
  const std::uint32_t found = rows_[text_.size()][word_.size()];
  if (found > edits_) return {};
  return Found{found, text_.size()};
}

}  // namespace frond::leaf::clauses
