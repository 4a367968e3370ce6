#pragma once
// Where made-up text goes: a file, files of a given size in a folder, or standard output.
#include <cstdint>
#include <filesystem>
#include <string>

#include "common/base/result.h"
#include "common/files/descriptor.h"
#include "tools/synth/text/text_chunk.h"

namespace frond::tools::synth {

struct OutputOptions {
  std::filesystem::path path;    // "-": standard output
  std::string suffix;            // of the names of files in a folder: ".jsonl"
  std::uint64_t file_bytes = 0;  // not 0: `path` is a folder; a file ends with the document that reaches these
  // The output ends with the document that reaches one of these; 0: no limit. One must be set.
  std::uint64_t max_bytes = 0, max_documents = 0;
};

struct OutputTotals {
  std::uint64_t documents = 0, bytes = 0, files = 0, words = 0, tokens = 0;
};

// One thread.
class TextOutput {
 public:
  // Creates the folder, which must be empty if it exists, or replaces the file. kInvalid: neither is possible.
  static Result<TextOutput> open(const OutputOptions& options);

  // Writes the next chunk, or its beginning if the limit is reached. False: it is, and there are no further chunks.
  // kUnavailable: it can't be written.
  Result<bool> put(const TextChunk& chunk);

  const OutputTotals& totals() const { return totals_; }

 private:
  explicit TextOutput(const OutputOptions& options) : options_(options) {}
  Result<void> open_file();

  OutputOptions options_;
  files::Descriptor file_;  // none: the next document begins one
  std::filesystem::path file_name_;
  std::uint64_t file_size_ = 0;
  OutputTotals totals_;
};

// Makes text of any size, for `frond synth --text`: by several threads, a chunk at a time. The bytes depend on the
// options but not on the number of threads.
//
// Memory: about 3 MiB a thread, more only while a document is longer than that; 1 MiB for the tables.
struct TextOptions {
  const TextProfile* profile = nullptr;
  Markup markup = Markup::kJsonLines;
  SpellingShares shares;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  OutputOptions output;
};

struct TextSummary {
  OutputTotals totals;
  double tail_exponent = 0;   // of word frequencies; the vocabulary grows with tokens to the power of its reciprocal
  double expected_terms = 0;  // different words, stop words not counted
  double seconds = 0, cpu_seconds = 0;
};

// Errors as TextOutput's.
Result<TextSummary> make_text(const TextOptions& options);

// ".jsonl" or ".trec".
std::string suffix_of(Markup markup);

}  // namespace frond::tools::synth
