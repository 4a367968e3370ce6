#pragma once
// The text that standard3 cuts: where words would be cut at the wrong places, or not at all, the text is put into
// another form first. Most texts have nothing of that kind and stay as they are.
//   - What NFKC (UAX #15) makes words, or parts of other words, of: ½ is 1/2, ㎏ kg, ㏂ a.m., ℃ °C, № No, ㍿ 株式会社;
//     full-width letters, digits and signs are the usual ones. What is in a circle, and a fraction, stands alone. Not
//     ™ and ℠, which would become letters of the name before. Digits that are raised or lowered stay (next_token()).
//   - Between Hebrew letters a quotation mark is gershayim, and an apostrophe geresh; one behind a word is dropped.
//   - Other middle dots and ties are · and _.
// The form of a form is the form itself.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/token_cutter.h"

namespace frond::text {

// One thread; keeps its memory.
class CutForm {
 public:
  // keeps_places: whether original() is asked, for which each change takes up to 64 bytes.
  explicit CutForm(bool keeps_places = true) : keeps_places_(keeps_places) {}
  static bool changes(std::string_view text);
  // Whether a character changes wherever it stands.
  static bool changes(char32_t c);
  // The form, which is `text` itself if nothing changes. Valid until the next call. It has up to 7 times as many bytes.
  std::string_view of(std::string_view text);
  // Of the last form, or the piece at hand: where in the text a part of it stands.
  TokenSpan original(TokenSpan part) const;

  // Calls use(std::string_view piece, std::size_t from) for pieces of the form, for for_each_span(): together they have
  // the spans of the whole. The first `from` bytes are the end of the piece before, which spans of both have. Takes
  // memory for one piece of about kPieceBytes; more only where words are joined by @ or & all along. A text in which
  // nothing changes is one piece.
  template <class Use>
  void in_pieces(std::string_view text, Use&& use) {
    begin();
    if (!changes(text)) return use(text, std::size_t{0});
    while (next_piece(text)) use(std::string_view(form_).substr(0, cut_.end), from_);
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  // From where on the form has what. `whole`: all of it stands for the same part of the text.
  struct Stretch {
    std::size_t form, text, text_bytes;
    bool whole;
  };
  // Where a piece ends, and where in it the next one begins.
  struct Cut {
    std::size_t end = 0, next = 0;
  };
  void begin();
  void grow(std::string_view text, std::size_t most);
  Cut place_to_cut() const;
  bool next_piece(std::string_view text);
  std::vector<Stretch>::const_iterator stretch_of(std::size_t form) const;

  bool keeps_places_;
  std::string form_;  // that of the text before at_, without what was dropped of it
  std::size_t at_ = 0, dropped_ = 0;
  std::size_t from_ = 0;  // of the piece at hand
  Cut cut_;
  std::vector<Stretch> stretches_;  // in the whole form; none: it is the text
};

}  // namespace frond::text
