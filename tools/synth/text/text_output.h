#pragma once
// Where made-up text goes: a file, files of a given size in a folder, or standard output. Chunks may be given by any
// thread in any order of time. They are put down in the order of their numbers, so the bytes do not depend on threads.
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
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

// Any thread.
class TextOutput {
 public:
  // Creates the folder, which must be empty if it exists, or replaces the file. kInvalid: neither is possible.
  static Result<std::unique_ptr<TextOutput>> open(const OutputOptions& options);

  // Waits until all chunks before this one have been given, then writes it, or its beginning if the limit is reached.
  // Files are written by several threads at once, standard output by one. False: the output is complete, and further
  // chunks are ignored. kUnavailable: it can't be written; then and from then on.
  Result<bool> put(std::uint64_t number, const TextChunk& chunk);

  OutputTotals totals() const;

 private:
  class File;
  struct Piece {
    std::shared_ptr<File> file;
    std::uint64_t at;  // in the file
    std::string_view bytes;
  };

  explicit TextOutput(const OutputOptions& options) : options_(options) {}
  Result<std::vector<Piece>> placed(const TextChunk& chunk) FROND_REQUIRES(mutex_);
  Result<void> open_file() FROND_REQUIRES(mutex_);
  Result<bool> fail(Error error);

  const OutputOptions options_;
  mutable Mutex mutex_;
  std::condition_variable_any turn_;
  std::uint64_t next_ FROND_GUARDED_BY(mutex_) = 0;
  bool complete_ FROND_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Error> failure_ FROND_GUARDED_BY(mutex_);
  std::shared_ptr<File> file_ FROND_GUARDED_BY(mutex_);  // null: the next document begins one
  std::uint64_t file_size_ FROND_GUARDED_BY(mutex_) = 0;
  OutputTotals totals_ FROND_GUARDED_BY(mutex_);
};

// Makes text of any size, for `frond synth --text`: a thread a chunk. The bytes depend on the options but not on the
// number of threads.
//
// Memory: about 1.5 MiB a thread, more only while a document is longer than that; 1 MiB for the tables.
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
