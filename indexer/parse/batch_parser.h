#pragma once
// The work of a parser thread on a batch: turns records into documents, collects their stored fields, analyzes title
// and body, and groups the tokens by trie collection.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/result.h"
#include "common/partition/partition_writer.h"
#include "indexer/ingest/records/parse_record.h"
#include "indexer/parse/document_tokens.h"
#include "indexer/parse/known_words.h"
#include "indexer/parse/parsed_batch.h"
#include "indexer/parse/term_finder.h"
#include "indexer/runs/document_frame.h"

namespace frond::indexer::parse {

// Memory that parser threads share for expensive records: a thread that needs more than is left waits. Any
// thread. The holder of a lease never waits for another thread, so every lease is given back.
class WorkingMemory {
 public:
  explicit WorkingMemory(std::uint64_t bytes) : all_(bytes), left_(bytes) {}

  class Lease {
   public:
    Lease(WorkingMemory& from, std::uint64_t bytes) : from_(&from), bytes_(bytes) {}
    Lease(Lease&& other) noexcept : from_(std::exchange(other.from_, nullptr)), bytes_(other.bytes_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (from_) from_->give_back(bytes_);
    }

   private:
    WorkingMemory* from_;
    std::uint64_t bytes_;
  };
  // Waits until `bytes` bytes are left, or all bytes if it asks for more than all. No value: stopped.
  std::optional<Lease> take(std::uint64_t bytes, std::stop_token stop) {
    bytes = std::min(bytes, all_);
    MutexLock lock(mutex_);
    if (!given_back_.wait(mutex_, stop, [&]() FROND_REQUIRES(mutex_) { return left_ >= bytes; })) return std::nullopt;
    left_ -= bytes;
    return Lease(*this, bytes);
  }

 private:
  void give_back(std::uint64_t bytes) {
    MutexLock lock(mutex_);
    left_ += bytes;
    given_back_.notify_all();
  }

  const std::uint64_t all_;
  Mutex mutex_;
  std::condition_variable_any given_back_;
  std::uint64_t left_ FROND_GUARDED_BY(mutex_);
};

// Records with at most so many RawRecord::parse_bytes are parsed within the memory that every parser has.
inline constexpr std::uint64_t kCheapRecordBytes = std::uint64_t{1} << 20;

struct ParseLimits {
  std::size_t document_bytes = partition::kMaxDocumentBytes;  // all fields; a document with more is malformed
  std::size_t kept_bytes = std::size_t{4} << 20;              // of tokens and fields, from batch to batch
  int table_bits = kMaxTableBits;                             // of the tables of terms and tokens (term_table.h)
  WorkingMemory* memory = nullptr;  // lends memory for other than cheap records; null: no limit
};

// What a parser makes of texts: tokens, or a copy for those that analyze it later (invert/inverter.h), which knows no
// schema.
enum class TextUse : std::uint8_t { kTokens, kCopy };

// One thread; keeps its memory from batch to batch.
class BatchParser {
 public:
  BatchParser(const text::AnalyzerConfig& analyzer, std::uint32_t partitions, const ParseLimits& limits = {},
              ingest::ParseOptions options = {}, TextUse use = TextUse::kTokens);
  // Parses records. Afterwards the bytes of other than cheap ones are freed. Records that give no document are appended
  // to out.bad. If stopped, it leaves out the rest.
  // REQUIRES: at most kMaxBatchDocuments records, lines counted one by one.
  void parse(std::span<ingest::RawRecord> records, ParsedBatch& out, const std::stop_token& stop = {});

 private:
  // Returns the document's length; 0 if its text is copied.
  std::uint32_t take_text(const ingest::Document& document, ParsedBatch& out);
  std::uint32_t take_fields(ingest::Document& document, ParsedBatch& out);
  // Which of the batch's records, and which of its lines.
  struct Place {
    std::uint32_t record = 0;
    ingest::LinePlace line;
  };
  // False: stopped.
  bool parse_within_memory(ingest::RawRecord& record, Place place, ParsedBatch& out, const std::stop_token& stop);
  void parse_one(ingest::RawRecord& record, Place place, ParsedBatch& out);
  Result<ingest::Document> document_of(ingest::RawRecord& record) const;

  ParseLimits limits_;
  ingest::ParseOptions options_;
  TextUse use_;
  TokenGrouper grouper_;
  TermFinder terms_;
  std::optional<text::CutForm> form_;  // of standard3
  // Of a collection with a schema, in place of terms_:
  std::optional<DocumentTokens> schema_tokens_;
  std::optional<KnownWords> known_words_;
  std::vector<DocumentTokens::Text> texts_;
  ByteBuffer values_;                              // of the document at hand
  std::vector<runs::DocumentFrameWriter> frames_;  // one a partition
  double text_share_ = 0;                          // of the last batch's bytes, what its texts took
};

}  // namespace frond::indexer::parse
