#pragma once
// Writes made-up documents, for make_chunk().
#include <array>
#include <cstdint>
#include <string_view>

#include "tools/synth/random.h"
#include "tools/synth/text/text_chunk.h"

namespace frond::tools::synth {

// One thread. All arguments outlive it.
class DocumentWriter {
 public:
  DocumentWriter(const TextModel& model, Random& random, TextBuffer& out);

  struct Counts {
    std::uint32_t words = 0, tokens = 0;
  };
  // Appends document `in_chunk` of chunk `chunk`.
  Counts write(std::uint64_t chunk, std::uint32_t in_chunk);

  // How a markup spells what stands between words.
  struct Style {
    std::string_view paragraph, paragraph_end, quote, ampersand;
    std::uint32_t marked;  // of 64 words: 2 have a quote or an ampersand, further ones emphasis and links
  };

 private:
  static constexpr std::uint32_t kRemembered = 256, kMaxDrawn = 64;
  struct Word {
    std::uint64_t number;
    std::uint32_t bits;  // 10 random ones, which do not depend on the number
  };

  void write_json(std::string_view id, std::string_view url, std::uint32_t words);
  void write_html(std::string_view id, std::string_view url, std::uint32_t words);
  void write_boilerplate(std::uint32_t bytes);
  void write_navigation(std::uint32_t links);
  void write_title(std::uint32_t words);
  void write_body(std::uint32_t words);
  void write_sentence(std::uint32_t words);
  char* put_marked(std::uint64_t word, std::uint32_t kind, char* to) const;
  char* put_path(std::uint64_t word, char* to) const;
  // Draws the next words, at most kMaxDrawn, into words_.
  void draw(std::uint32_t count);

  const TextModel& model_;
  const Style& style_;
  Random& random_;
  TextBuffer& out_;
  Counts counts_;
  std::array<Word, kMaxDrawn> words_;
  // The document's last words that are neither function words nor repeated. The next one's place holds anything.
  std::array<std::uint64_t, kRemembered> recent_;
  std::uint32_t drawn_ = 0;
};

}  // namespace frond::tools::synth
