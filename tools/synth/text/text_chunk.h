#pragma once
// Made-up text, a chunk of documents at a time. A chunk depends on the model and its number only, so any thread may
// make any chunk.
//
// Words are drawn independently, but for one rule: a share of the words of a document are repeated from its last 255,
// so that documents have topics and fewer terms than words. The result is text in its statistics only: sentences have
// no grammar.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/synth/profile.h"
#include "tools/synth/text/speller.h"
#include "tools/synth/text/word_frequencies.h"

namespace frond::tools::synth {

enum class Markup {
  kJsonLines,  // an object a line: id, url, title, body; no markup in the body
  kHtml  // <DOC> with <DOCNO> and <DOCHDR> (format `trec`), then a page with styles, scripts, links and paragraphs
};

inline constexpr double kRepeats = 0.4;               // share of the words that are not function words
inline constexpr std::size_t kChunkBytes = 1u << 20;  // a chunk ends with the document that reaches them
inline constexpr std::uint32_t kMaxDocumentWords = 100'000;

// All that documents are made of. Immutable: any thread.
struct TextModel {
  TextModel(const TextProfile& profile, Markup markup, const SpellingShares& shares, std::uint64_t seed);

  const TextProfile& profile;
  Markup markup;
  std::uint64_t seed;
  WordFrequencies frequencies;
  Speller speller;
  double median_words;      // of a document; stop words count
  std::string boilerplate;  // lines of style sheets and scripts; empty without
};

// A buffer that grows and is never cleared by the way.
class TextBuffer {
 public:
  // Room for `bytes` more behind the text; returns where they go.
  char* reserve(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return data_.get() + size_;
  }
  void set_end(const char* end) { size_ = static_cast<std::size_t>(end - data_.get()); }
  void append(std::string_view text);
  void clear() { size_ = 0; }
  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  void grow(std::size_t bytes);

  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

struct TextChunk {
  struct Document {
    std::size_t end;       // of its bytes in `text`
    std::uint32_t words;   // title and body
    std::uint32_t tokens;  // … without stop words
  };
  TextBuffer text;
  std::vector<Document> documents;  // at least one
};

// Replaces `chunk` by the chunk with this number. Ids are <profile>-<chunk>-<document of the chunk>.
void make_chunk(const TextModel& model, std::uint64_t number, TextChunk& chunk);

}  // namespace frond::tools::synth
