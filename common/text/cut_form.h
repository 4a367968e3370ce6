#pragma once
// The text that standard3 cuts: where words would be cut at the wrong places, or not at all, the text is put into
// another form first. Most texts have nothing of that kind and stay as they are.
//   - What NFKC (UAX #15) makes words, or parts of other words, of: ½ is 1/2, ㎏ kg, ㏂ a.m., ℃ °C, № No, ㍿ 株式会社;
//     full-width letters, digits and signs are the usual ones. What is in a circle, and a fraction, stands alone. Not
//     ™ and ℠, which would become letters of the name before. Digits that are raised or lowered stay (next_token()).
//   - Between Hebrew letters a quotation mark is gershayim, and an apostrophe geresh; one behind a word is dropped.
//   - Other middle dots and ties are · and _.
// The form of a form is the form itself, and that of a text is that of its pieces between spaces.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/token_span.h"

namespace frond::text {

// One thread; keeps its memory.
class CutForm {
 public:
  static bool changes(std::string_view text);
  // Whether a character changes wherever it stands.
  static bool changes(char32_t c);
  // The form, which is `text` itself if nothing changes. Valid until the next call. It has up to 7 times as many bytes.
  std::string_view of(std::string_view text);
  // Of the last form: where in the text, or the piece, a part of it stands.
  TokenSpan original(TokenSpan part) const;

  // Calls use(std::string_view form, std::size_t begin) for the forms of pieces of `text`, which begin there; no word
  // is in two of them. Takes memory for one piece.
  template <class Use>
  void in_pieces(std::string_view text, Use&& use) {
    if (!changes(text)) {
      stretches_.clear();
      return use(text, 0);
    }
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
      end = begin + std::min(kPieceBytes, text.size() - begin);
      while (end < text.size() && static_cast<unsigned char>(text[end]) > ' ') ++end;
      use(of(text.substr(begin, end - begin)), begin);
    }
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  // From where on the form has what. `whole`: all of it stands for the same part of the text.
  struct Stretch {
    std::size_t form, text, text_bytes;
    bool whole;
  };
  const Stretch& stretch_of(std::size_t form) const;

  std::string form_;
  std::vector<Stretch> stretches_;  // none: the form is the text
};

}  // namespace frond::text
