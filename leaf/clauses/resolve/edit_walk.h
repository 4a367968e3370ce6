#pragma once
// How many edits lie between a word and others that come in byte order. What two have in common at the beginning is
// computed once.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace frond::leaf::clauses {

// An edit is a letter inserted, removed or replaced, and with `swaps` also two side by side in the other order, each
// letter in one such pair at most. Letters are code points; a byte that is not UTF-8 counts as one. One thread.
class EditWalk {
 public:
  EditWalk(std::string_view word, std::uint32_t edits, bool swaps);

  std::size_t letters() const { return word_.size(); }
  struct Found {
    std::uint32_t edits = 0;
    std::size_t letters = 0;  // of the text
  };
  // Nothing: more than `edits`.
  std::optional<Found> look_at(std::string_view text);
  // Behind a text that was too far: what begins with that many bytes of it is too far as well; 0: that is not known.
  std::size_t hopeless_bytes() const { return hopeless_ == 0 ? 0 : ends_[hopeless_ - 1]; }
  std::size_t hopeless_texts() const { return passed_; }  // that came in a row and begin so, behind the first

 private:
  bool add_row(char32_t letter);

  const std::uint32_t edits_;
  const bool swaps_;
  std::vector<char32_t> word_;
  // Of the text before, up to where it was looked at: its letters, where each ends, and a row for each and one before
  // them: how many edits there are to the word's first letters, at most edits_ + 1.
  std::vector<char32_t> text_;
  std::vector<std::size_t> ends_;
  std::vector<std::vector<std::uint8_t>> rows_;
  std::size_t hopeless_ = 0;  // letters
  std::size_t passed_ = 0;
};

}  // namespace frond::leaf::clauses
