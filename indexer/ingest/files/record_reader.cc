#include "indexer/ingest/files/record_reader.h"

#include <algorithm>
#include <utility>

#include "indexer/ingest/encoding/charset.h"
#include "indexer/ingest/formats/formats.h"

namespace frond::indexer::ingest {
namespace fs = std::filesystem;
namespace {

constexpr int kFolderSniffFiles = 16;

// Whether the first files of a folder that are not empty are all TSV.
bool is_folder_of_tsv(const fs::path& folder, const ReadOptions& options) {
  InputWalk walk(folder, options.hidden);
  for (int files = 0; files < kFolderSniffFiles;) {
    const std::optional<InputFile> file = walk.next();
    if (!file) return files > 0;
    Result<std::unique_ptr<ByteSource>> source = ByteSource::open(file->path, options.limits);
    if (!source) continue;
    ContentStream stream(std::move(*source));
    const Result<std::string_view> head = stream.peek(kSniffBytes);
    if (!head || head->empty()) continue;
    if (!looks_like_tsv(*head)) return false;
    ++files;
  }
  return true;
}

// An input that is not whole makes a collection that is not whole, so the stream ends.
Error ended_by(const Error& error) {
  return {error.code(), error.message() + "; --unreadable-files skip goes on without what can't be read"};
}

}  // namespace

// `message` may start with the file's name, which the bad record has a field for.
void RecordReader::report_file(const fs::path& path, const std::string& message) {
  const std::string prefix = path.string() + ": ";
  report(path, 0, 0, message.starts_with(prefix) ? message.substr(prefix.size()) : message);
}

void RecordReader::note_skipped(const Cut& record) {
  const SkipReason reason = *record.skip_because;
  // Archives have millions of such records: a text only for those that are kept.
  const bool shown = skipped_records_.by_reason()[static_cast<std::size_t>(reason)].count < Tally::kMaxExamples;
  skipped_records_.add(reason,
                       shown ? file_.path.string() + ": record " + std::to_string(record.number) : std::string());
}

// A file that the walk passes over counts for the share that it would be in.
InputWalk::Observer RecordReader::observer() {
  return {[this](const fs::path& folder, std::string reason) {
            if (options_.skip_unreadable) return report(folder, 0, 0, std::move(reason));
            if (!unlisted_) unlisted_ = ended_by({Code::kUnavailable, folder.string() + ": " + reason});
          },
          [this](const fs::path& path, SkipReason reason) {
            if (!going_back_ && options_.share.has(walked_.bytes(), seen_.bytes())) skip_file(path, reason);
          }};
}

// The next file, in the share or not.
std::optional<InputFile> RecordReader::walk_on() {
  for (;;) {
    if (walk_) {
      if (std::optional<InputFile> found = walk_->next()) {
        ++files_;
        return found;
      }
    }
    walk_.reset();
    if (inputs_.empty()) return std::nullopt;
    const fs::path input = std::move(inputs_.back());
    inputs_.pop_back();
    walk_ = std::make_unique<InputWalk>(input, options_.hidden, observer());
    among_tsv_ = !wanted_ && walk_->is_folder() && is_folder_of_tsv(input, options_);
  }
}

std::optional<InputFile> RecordReader::next_file() {
  while (std::optional<InputFile> found = walk_on()) {
    const bool ours = options_.share.has(walked_.bytes(), seen_.bytes());
    walked_.add(*found);
    if (ours) return found;
  }
  return std::nullopt;
}

// Opens `file` and sets `format` and `cutter`, or says why the file is skipped. An error that is one bad record only is
// reported; then there is no cutter.
Result<std::optional<SkipReason>> RecordReader::open_file() {
  file_.name = names_.name(names_.inputs() - inputs_.size() - 1, file_);
  Result<std::unique_ptr<ByteSource>> source = ByteSource::open(file_.path, options_.limits);
  if (!source) {
    if (!may_skip(source.error())) return ended_by(source.error());
    report_file(file_.path, source.error().message());
    return std::optional<SkipReason>();
  }
  stream_ = std::make_unique<ContentStream>(std::move(*source));
  const Result<std::string_view> head = stream_->peek(kSniffBytes);
  if (!head) {
    if (!may_skip(head.error())) return ended_by(head.error());
    if (!(wanted_ ? wanted_->whole_file : walk_->is_folder())) return head.error();
    report_file(file_.path, head.error().message());
    return std::optional<SkipReason>();
  }
  const auto told = tell_format({.path = file_.name,
                                 .bytes = *head,
                                 .whole = head->size() < kSniffBytes,
                                 .in_folder = walk_->is_folder(),
                                 .among_tsv = among_tsv_,
                                 .names = options_.names.get()},
                                wanted_);
  if (const auto* const reason = std::get_if<SkipReason>(&told)) return std::optional<SkipReason>(*reason);
  format_ = std::get<const SourceFormat*>(told);
  // Of the same bytes however many were read.
  const std::string_view beginning = head->substr(0, kSniffBytes);
  encoding_ = format_->one_encoding ? encoding_of_file(beginning, beginning.size() < kSniffBytes) : nullptr;
  cutter_ = format_->cut(options_.limits.record_bytes);
  cutter_->use_names(names_or_usual(options_.names.get()));
  cuts_ = 0;
  return std::optional<SkipReason>();
}

// Opens the next file that is not skipped. False: there is none.
Result<bool> RecordReader::open_next() {
  while (std::optional<InputFile> found = next_file()) {
    if (unlisted_) return *unlisted_;
    file_ = std::move(*found);
    const std::optional<SkipReason> skip_because = FROND_TRY(open_file());
    if (cutter_) {
      ++files_read_[index_of(*format_)];
      return true;
    }
    if (skip_because) skip_file(file_.path, *skip_because);
    close();
  }
  if (unlisted_) return *unlisted_;
  // The shares depend on all files: if these have changed, other builders have found other shares.
  if (options_.share.count > 1 && seen_.summary() != walked_.summary())
    return Error(Code::kInvalid, "the input changed while a share of it was read: " + to_string(seen_.summary()) +
                                     " at first, then " + to_string(walked_.summary()));
  if (options_.list) FROND_TRY(options_.list->end());
  return false;
}

// Walks to the position's file, and cuts its records again up to the position.
Result<void> RecordReader::go_to(const ReadPosition& position) {
  const auto changed = [&](const std::string& where) {
    return Error(Code::kCorrupt, where + " is not what it was: the input changed");
  };
  going_back_ = true;
  for (std::uint64_t i = 0; i < position.files; ++i) {
    std::optional<InputFile> found = walk_on();
    if (unlisted_) return *unlisted_;
    if (!found) return changed("the list of input files");
    walked_.add(*found);
    file_ = std::move(*found);
  }
  plain_before_ = position.plain_before;
  stored_before_ = position.stored_before;
  if (position.files > 0) {
    (void)FROND_TRY(open_file());
    if (!cutter_) return changed(file_.path.string());
    if (!FROND_TRY(cutter_->pass(*stream_, position.cuts, position.offset, options_.stop)))
      return changed(file_.path.string());
    cuts_ = position.cuts;
  }
  if (position.files_read.size() != files_read_.size()) return changed("the list of formats");
  files_read_ = position.files_read;
  skipped_ = position.skipped;
  skipped_records_ = position.skipped_records;
  going_back_ = false;
  return {};
}

// The file at hand was read, but it is of no use.
void RecordReader::without_records() {
  --files_read_[index_of(*format_)];
  skip_file(file_.path, SkipReason::kNoRecords);
}

void RecordReader::close() {
  if (!stream_) return;
  plain_before_ += stream_->offset();
  stored_before_ += stream_->source().stored_bytes_read();
  cutter_.reset();
  stream_.reset();
}

Result<std::unique_ptr<RecordReader>> RecordReader::open(std::vector<fs::path> inputs, const SourceFormat* format,
                                                         BadRecordSink sink, ReadOptions options) {
  if (inputs.empty()) return Error(Code::kInvalid, "no inputs");
  std::unique_ptr<RecordReader> reader(new RecordReader);
  RecordReader& r = *reader;
  for (const fs::path& input : inputs) {
    FROND_TRY(check_input(input));
    r.seen_.add_all(input, options.hidden);
  }
  r.wanted_ = format;
  r.names_ = InputNames(inputs);
  r.sink_ = std::move(sink);
  r.options_ = std::move(options);
  r.options_.limits.read_memory = std::make_shared<ReadMemory>();
  r.inputs_.assign(std::make_move_iterator(inputs.rbegin()), std::make_move_iterator(inputs.rend()));
  r.files_read_.resize(source_formats().size());
  const ReadPosition* const from = std::exchange(r.options_.from, nullptr);
  if (r.options_.list) FROND_TRY(r.options_.list->begin(from == nullptr));
  if (from != nullptr) {
    FROND_TRY(r.go_to(*from));
    r.note_progress();
  }
  return reader;
}

ReadPosition RecordReader::position() const {
  return {files_,   cuts_,           stream_ ? stream_->offset() : 0, plain_before_, stored_before_, files_read_,
          skipped_, skipped_records_};
}

void RecordReader::note_progress() {
  if (!stream_) return;
  bytes_read_.store(plain_before_ + stream_->offset(), std::memory_order_relaxed);
  stored_bytes_read_.store(stored_before_ + stream_->source().stored_bytes_read(), std::memory_order_relaxed);
}

Result<std::optional<RawRecord>> RecordReader::next() {
  if (failed_) return std::optional<RawRecord>();
  for (;;) {
    if (!stream_) {
      Result<bool> opened = open_next();
      if (!opened || !*opened) {
        failed_ = true;
        if (!opened) return std::move(opened).error();
        return std::optional<RawRecord>();
      }
    }
    Result<std::optional<Cut>> cut = cutter_->next_lines(*stream_, options_.lines, memory_);
    note_progress();
    if (!cut) {
      if (!format_->whole_file || !may_skip(cut.error())) {
        failed_ = true;
        return may_skip(cut.error()) ? std::move(cut).error() : ended_by(cut.error());
      }
      report_file(file_.path, cut.error().message());
      close();
      continue;
    }
    if (!*cut) {
      if (cuts_ == 0) without_records();
      close();
      continue;
    }
    Cut& record = **cut;
    cuts_ = cutter_->cuts_after(cuts_, record);
    if (record.problem.empty() && record.skip_because) {
      note_skipped(record);
      continue;
    }
    if (record.problem.empty())
      return std::optional<RawRecord>(RawRecord{.format = format_,
                                                .file = file_.path.string(),
                                                .name = format_->whole_file ? file_.name : std::string(),
                                                .number = record.number,
                                                .offset = record.offset,
                                                .bytes = std::move(record.bytes),
                                                .columns = std::move(record.columns),
                                                .site = std::move(record.site),
                                                .encoding = encoding_,
                                                .lines = record.lines,
                                                .front = record.front});
    report(file_.path, record.number, record.offset, std::string(record.problem));
  }
}

}  // namespace frond::indexer::ingest
