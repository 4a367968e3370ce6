#pragma once
// A place between two records of the inputs, at which another reader of the same inputs can go on. With it, all that
// the first reader had counted there.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "indexer/ingest/files/input_list.h"
#include "indexer/ingest/files/skipped.h"
#include "indexer/ingest/records/document.h"
#include "indexer/ingest/records/raw_record.h"
#include "indexer/ingest/records/record_cutter.h"
#include "indexer/ingest/streams/input_limits.h"

namespace frond::indexer::ingest {

// How many files were opened, by their format's place in source_formats().
using FilesRead = std::vector<std::uint64_t>;

struct ReadPosition {
  std::uint64_t files = 0;  // walked past, in the share or not; the last one is at hand; 0: the beginning
  // Of the file at hand:
  std::uint64_t cuts = 0;    // records, and records that could not be cut
  std::uint64_t offset = 0;  // of the first byte behind them, in the decompressed content
  // Of the files before it that were opened: bytes of content, and of the files.
  std::uint64_t plain_before = 0, stored_before = 0;
  FilesRead files_read;
  Skipped skipped, skipped_records;

  std::uint64_t bytes() const { return plain_before + offset; }  // decompressed
};

// Paths to records. Reading is split in two, so that many threads can share the expensive half: one thread calls
// RecordReader::next(), which only decompresses and cuts; any number of threads turn records into documents with
// parse_record().

// Called from next().
using BadRecordSink = std::function<void(const BadRecord&)>;

struct ReadOptions {
  InputShare share;
  bool hidden = false;  // also read files and folders whose names begin with a dot
  // Files that can't be opened or read, and folders that can't be listed, are a bad record each; else they are errors.
  bool skip_unreadable = false;
  InputLimits limits;
  std::shared_ptr<const FieldNames> names = nullptr;  // null: the usual ones
  std::shared_ptr<SkippedList> list = nullptr;        // gets all skipped files; null: they are only counted
  LinesAtOnce lines;                   // of formats in which a line is a record; by default one at a time
  const ReadPosition* from = nullptr;  // where to go on; read by open() only. Null: from the beginning
  std::stop_token stop;                // ends open() while it looks for that place
};

class RecordReader {
 public:
  // Inputs are read in the order given, folders as InputWalk says; of all files, those of options.share. Names of files
  // are InputNames. `format` null: the format of each file is recognised. kNotFound: an input does not exist; kInvalid:
  // it is neither file, pipe nor folder, or there are no inputs. Memory: the record at hand, and a window as
  // options.limits allow. With options.from, reads the file at hand there again from its beginning up to that place,
  // and counts on from it; kCorrupt: the inputs are not those of that position; kUnavailable: also, stopped.
  static Result<std::unique_ptr<RecordReader>> open(std::vector<std::filesystem::path> inputs,
                                                    const SourceFormat* format, BadRecordSink sink,
                                                    ReadOptions options = {});
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  // The next record, or with options.lines many that are a line each; no value at the end. Records that cannot be cut
  // (longer than the limits allow, or without an end) go to the sink, and with options.skip_unreadable what the disk
  // does not give. Files that tell_format() says to skip, and those without a record, are counted in skipped(), records
  // that hold no document in skipped_records(). An error ends the stream: kCorrupt: a compressed file is cut short or
  // damaged; kInvalid: its window is too long (both are one bad record if the file is of a whole_file format, or in a
  // folder and its format not yet recognised); kUnavailable: a file can't be opened or read, or a folder not be listed.
  // Messages name the file, and the offset if there is one. At the end of one share of several, kInvalid: the files are
  // not those that open() saw.
  Result<std::optional<RawRecord>> next();

  // Memory that the next lines may take, so that it need not be allocated. Called from the thread of next().
  void lend(std::string memory) {
    if (memory.capacity() > memory_.capacity()) memory_ = std::move(memory);
  }

  // Whether the reader is between two records, and not behind the beginning of the next one. Called from the thread of
  // next().
  bool between_records() const { return !cutter_ || !cutter_->inside_record(); }
  // The place behind the last record that next() gave, between two records. Called from the thread of next(), after it
  // has given a record.
  ReadPosition position() const;

  // Progress; from any thread. Decompressed bytes read so far; stored (compressed) bytes read so far.
  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t stored_bytes_read() const { return stored_bytes_read_.load(std::memory_order_relaxed); }
  // ByteSource::window_bytes() of the file of the last record. Called from the thread of next().
  std::uint64_t window_bytes() const { return stream_ ? stream_->source().window_bytes() : 0; }
  // Stored bytes of the share, as open() found them, exact to about one file; pipes count as 0.
  std::uint64_t stored_bytes_total() const { return seen_.bytes() / options_.share.count; }
  // All files of the walk so far, in the share or not: the whole input once next() has given no value.
  InputSummary input() const { return walked_.summary(); }
  // Of the share so far. Called from the thread of next().
  const Skipped& skipped() const { return skipped_; }
  const Skipped& skipped_records() const { return skipped_records_; }
  const FilesRead& files_read() const { return files_read_; }

 private:
  RecordReader() = default;
  void note_progress();
  void report(const std::filesystem::path& path, std::uint64_t number, std::uint64_t offset, std::string reason) {
    if (sink_ && !going_back_) sink_({path.string(), number, offset, std::move(reason)});
  }
  void report_file(const std::filesystem::path& path, const std::string& message);
  // Whether a file with this error is a bad record: it is damaged, or may be missing.
  bool may_skip(const Error& error) const { return options_.skip_unreadable || error.code() != Code::kUnavailable; }
  void note_skipped(const Cut& record);
  void skip_file(const std::filesystem::path& path, SkipReason reason) {
    skipped_.add(reason, path.string());
    if (options_.list) options_.list->add(reason, path.string());
  }
  InputWalk::Observer observer();
  std::optional<InputFile> walk_on();
  std::optional<InputFile> next_file();
  Result<std::optional<SkipReason>> open_file();
  Result<bool> open_next();
  Result<void> go_to(const ReadPosition& position);
  void without_records();
  void close();

  const SourceFormat* wanted_ = nullptr;  // null: recognised file by file
  BadRecordSink sink_;
  InputNames names_{{}};
  std::vector<std::filesystem::path> inputs_;  // that are not yet walked; the next one last
  ReadOptions options_;
  InputCensus seen_;    // all files, in this share or not, when the reader was opened
  InputCensus walked_;  // the files that were walked past since then, in this share or not

  std::unique_ptr<InputWalk> walk_;
  bool among_tsv_ = false;  // of the files of the present input
  // The file at hand, if there is one.
  InputFile file_;
  const SourceFormat* format_ = nullptr;
  const Encoding* encoding_ = nullptr;  // as RawRecord's
  std::unique_ptr<ContentStream> stream_;
  std::unique_ptr<RecordCutter> cutter_;
  std::uint64_t plain_before_ = 0, stored_before_ = 0;  // of the files read before it
  std::uint64_t files_ = 0, cuts_ = 0;                  // as in ReadPosition
  std::string memory_;                                  // for lines
  bool failed_ = false;
  std::optional<Error> unlisted_;  // a folder on the way
  bool going_back_ = false;        // to a position: what is met on the way was counted before
  Skipped skipped_, skipped_records_;
  FilesRead files_read_;
  std::atomic<std::uint64_t> bytes_read_ = 0, stored_bytes_read_ = 0;
};

}  // namespace frond::indexer::ingest
