#pragma once
// Paths in, records out. Reading is split so that many threads can share the dear half: one thread calls
// RecordReader::next(), which only decompresses and cuts; any number of threads turn records into documents with
// parse_record().
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "indexer/ingest/document.h"
#include "indexer/ingest/format.h"
#include "indexer/ingest/html.h"
#include "indexer/ingest/input_limits.h"
#include "indexer/ingest/input_list.h"
#include "indexer/ingest/skipped.h"

namespace frond::indexer::ingest {

struct CsvColumns;

// One record as it stands in its file, not yet looked into.
struct RawRecord {
  Format format = Format::kJsonl;  // never kAuto
  std::string file;                // the path, for messages
  std::string name;                // kFiles: the path below the input folder, which becomes the id; else empty
  std::uint64_t number = 0;        // from 1: the line (jsonl, tsv), the row (csv), the record in its file, 1 (files)
  std::uint64_t offset = 0;        // of the first byte, in the decompressed file
  std::string bytes;               // without the line's end
  std::shared_ptr<const CsvColumns> columns = nullptr;  // kCsv
  std::uint64_t parse_bytes = 0;             // what parsing it takes at most (parse_cost.h), where somebody asked
  std::uint64_t tree_bytes = kMaxTreeBytes;  // of that, an HTML page's elements
};

// A record, or a whole file, that gave no document.
struct BadRecord {
  std::string file;
  std::uint64_t number = 0;  // 0: the file as a whole
  std::uint64_t offset = 0;
  std::string reason;
};
// "corpus.jsonl.gz: record 17 at byte 4711: no id"
std::string to_string(const BadRecord& bad);
// Called by next(), in its thread.
using BadRecordSink = std::function<void(const BadRecord&)>;

// How many files were opened, by Format.
using FilesRead = std::array<std::uint64_t, kFormats>;

struct ReadOptions {
  InputShare share;
  bool hidden = false;  // files and folders whose names begin with a dot, too
  InputLimits limits;
};

class RecordReader {
 public:
  // Inputs are read in the order given; folders recursively in byte order of path, without following symbolic links
  // inside them; of all files, those of options.share. kNotFound, kInvalid: an input that isn't there, or is neither
  // file, pipe nor folder; no inputs. Memory: the record at hand, and what options.limits allow for a window.
  static Result<std::unique_ptr<RecordReader>> open(std::vector<std::filesystem::path> inputs, Format format,
                                                    BadRecordSink sink, ReadOptions options = {});
  ~RecordReader();
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // The next record; nothing at the end. Records that can't be cut (longer than the limits allow, without their end)
  // and files that can't be opened go to the sink. Files that hold nothing to read are counted in skipped():
  // tell_format() says which. An error ends the stream: kCorrupt, a compressed file is cut short or damaged, kInvalid,
  // its window is too long (in format files, and where the format of a file in a folder isn't told yet, these are one
  // bad record instead); kUnavailable, the disk failed. All name the file, and the offset where there is one. At the
  // end of a share of several, kInvalid: the files are not those that open() saw.
  Result<std::optional<RawRecord>> next();

  // Progress; from any thread. Decompressed bytes read so far; stored (compressed) bytes read so far.
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t stored_bytes_read() const { return stored_bytes_read_.load(std::memory_order_relaxed); }
  // Stored bytes of the share of all inputs, as found by open(), to about a file; pipes count 0.
  std::uint64_t stored_bytes_total() const;
  // All files that were walked past so far, in the share or not: the whole input once next() has given nothing.
  InputSummary input() const;
  // Of the share, so far; in next()'s thread.
  const SkippedFiles& skipped() const;
  const FilesRead& files_read() const;

 private:
  struct State;
  explicit RecordReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
  std::atomic<std::uint64_t> bytes_read_ = 0, stored_bytes_read_ = 0;
};

struct ParseOptions {
  bool make_ids = false;  // of the content, for records without one
};

// The document of one record. Thread-safe. kInvalid: the record is malformed; the message is a BadRecord's reason (it
// doesn't repeat file and number).
Result<Document> parse_record(const RawRecord& record, ParseOptions options = {});

// What to report for a record that parse_record() refused.
BadRecord bad_record(const RawRecord& record, const Error& error);

}  // namespace frond::indexer::ingest
