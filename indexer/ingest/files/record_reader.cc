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

struct RecordReader::State {
  const SourceFormat* wanted;  // null: recognised file by file
  BadRecordSink sink;
  InputNames names{{}};
  std::vector<fs::path> inputs;  // that are not yet walked; the next one last
  ReadOptions options;
  InputCensus seen;    // all files, in this share or not, when the reader was opened
  InputCensus walked;  // the files that were walked past since then, in this share or not

  std::unique_ptr<InputWalk> walk;
  bool among_tsv = false;  // of the files of the present input
  // The file at hand, if there is one.
  InputFile file;
  const SourceFormat* format = nullptr;
  const Encoding* encoding = nullptr;  // as RawRecord's
  std::unique_ptr<ContentStream> stream;
  std::unique_ptr<RecordCutter> cutter;
  std::uint64_t plain_before = 0, stored_before = 0;  // of the files read before it
  std::uint64_t files = 0, cuts = 0;                  // as in ReadPosition
  std::string memory;                                 // for lines
  bool failed = false;
  std::optional<Error> unlisted;  // a folder on the way
  bool going_back = false;        // to a position: what is met on the way was counted before
  Skipped skipped, skipped_records;
  FilesRead files_read = FilesRead(source_formats().size());

  void report(const fs::path& path, std::uint64_t number, std::uint64_t offset, std::string reason) {
    if (sink && !going_back) sink({path.string(), number, offset, std::move(reason)});
  }
  void report_file(const fs::path& path, const std::string& message);
  // Whether a file with this error is a bad record: it is damaged, or may be missing.
  bool may_skip(const Error& error) const { return options.skip_unreadable || error.code() != Code::kUnavailable; }
  void note_skipped(const Cut& record);
  void skip_file(const fs::path& path, SkipReason reason) {
    skipped.add(reason, path.string());
    if (options.list) options.list->add(reason, path.string());
  }
  InputWalk::Observer observer();
  std::optional<InputFile> walk_on();
  std::optional<InputFile> next_file();
  Result<std::optional<SkipReason>> open_file();
  Result<bool> open_next();
  Result<void> go_to(const ReadPosition& position);
  void without_records();
  void close();
};

// `message` may start with the file's name, which the bad record has a field for.
void RecordReader::State::report_file(const fs::path& path, const std::string& message) {
  const std::string prefix = path.string() + ": ";
  report(path, 0, 0, message.starts_with(prefix) ? message.substr(prefix.size()) : message);
}

void RecordReader::State::note_skipped(const Cut& record) {
  const SkipReason reason = *record.skip_because;
  // Archives have millions of such records: a text only for those that are kept.
  const bool shown = skipped_records.by_reason()[static_cast<std::size_t>(reason)].count < Tally::kMaxExamples;
  skipped_records.add(reason, shown ? file.path.string() + ": record " + std::to_string(record.number) : std::string());
}

// A file that the walk passes over counts for the share that it would be in.
InputWalk::Observer RecordReader::State::observer() {
  return {[this](const fs::path& folder, std::string reason) {
            if (options.skip_unreadable) return report(folder, 0, 0, std::move(reason));
            if (!unlisted) unlisted = ended_by({Code::kUnavailable, folder.string() + ": " + reason});
          },
          [this](const fs::path& path, SkipReason reason) {
            if (!going_back && options.share.has(walked.bytes(), seen.bytes())) skip_file(path, reason);
          }};
}

// The next file, in the share or not.
std::optional<InputFile> RecordReader::State::walk_on() {
  for (;;) {
    if (walk) {
      if (std::optional<InputFile> found = walk->next()) {
        ++files;
        return found;
      }
    }
    walk.reset();
    if (inputs.empty()) return std::nullopt;
    const fs::path input = std::move(inputs.back());
    inputs.pop_back();
    walk = std::make_unique<InputWalk>(input, options.hidden, observer());
    among_tsv = !wanted && walk->is_folder() && is_folder_of_tsv(input, options);
  }
}

std::optional<InputFile> RecordReader::State::next_file() {
  while (std::optional<InputFile> found = walk_on()) {
    const bool ours = options.share.has(walked.bytes(), seen.bytes());
    walked.add(*found);
    if (ours) return found;
  }
  return std::nullopt;
}

// Opens `file` and sets `format` and `cutter`, or says why the file is skipped. An error that is one bad record only is
// reported; then there is no cutter.
Result<std::optional<SkipReason>> RecordReader::State::open_file() {
  file.name = names.name(names.inputs() - inputs.size() - 1, file);
  Result<std::unique_ptr<ByteSource>> source = ByteSource::open(file.path, options.limits);
  if (!source) {
    if (!may_skip(source.error())) return ended_by(source.error());
    report_file(file.path, source.error().message());
    return std::optional<SkipReason>();
  }
  stream = std::make_unique<ContentStream>(std::move(*source));
  const Result<std::string_view> head = stream->peek(kSniffBytes);
  if (!head) {
    if (!may_skip(head.error())) return ended_by(head.error());
    if (!(wanted ? wanted->whole_file : walk->is_folder())) return head.error();
    report_file(file.path, head.error().message());
    return std::optional<SkipReason>();
  }
  const auto told = tell_format({.path = file.name,
                                 .bytes = *head,
                                 .whole = head->size() < kSniffBytes,
                                 .in_folder = walk->is_folder(),
                                 .among_tsv = among_tsv,
                                 .names = options.names.get()},
                                wanted);
  if (const auto* const reason = std::get_if<SkipReason>(&told)) return std::optional<SkipReason>(*reason);
  format = std::get<const SourceFormat*>(told);
  // Of the same bytes however many were read.
  const std::string_view beginning = head->substr(0, kSniffBytes);
  encoding = format->one_encoding ? encoding_of_file(beginning, beginning.size() < kSniffBytes) : nullptr;
  cutter = format->cut(options.limits.record_bytes);
  cutter->use_names(names_or_usual(options.names.get()));
  cuts = 0;
  return std::optional<SkipReason>();
}

// Opens the next file that is not skipped. False: there is none.
Result<bool> RecordReader::State::open_next() {
  while (std::optional<InputFile> found = next_file()) {
    if (unlisted) return *unlisted;
    file = std::move(*found);
    const std::optional<SkipReason> skip_because = FROND_TRY(open_file());
    if (cutter) {
      ++files_read[index_of(*format)];
      return true;
    }
    if (skip_because) skip_file(file.path, *skip_because);
    close();
  }
  if (unlisted) return *unlisted;
  // The shares depend on all files: if these have changed, other builders have found other shares.
  if (options.share.count > 1 && seen.summary() != walked.summary())
    return Error(Code::kInvalid, "the input changed while a share of it was read: " + to_string(seen.summary()) +
                                     " at first, then " + to_string(walked.summary()));
  if (options.list) FROND_TRY(options.list->end());
  return false;
}

// Walks to the position's file, and cuts its records again up to the position.
Result<void> RecordReader::State::go_to(const ReadPosition& position) {
  const auto changed = [&](const std::string& where) {
    return Error(Code::kCorrupt, where + " is not what it was: the input changed");
  };
  going_back = true;
  for (std::uint64_t i = 0; i < position.files; ++i) {
    std::optional<InputFile> found = walk_on();
    if (unlisted) return *unlisted;
    if (!found) return changed("the list of input files");
    walked.add(*found);
    file = std::move(*found);
  }
  plain_before = position.plain_before;
  stored_before = position.stored_before;
  if (position.files > 0) {
    (void)FROND_TRY(open_file());
    if (!cutter) return changed(file.path.string());
    if (!FROND_TRY(cutter->pass(*stream, position.cuts, position.offset, options.stop)))
      return changed(file.path.string());
    cuts = position.cuts;
  }
  if (position.files_read.size() != files_read.size()) return changed("the list of formats");
  files_read = position.files_read;
  skipped = position.skipped;
  skipped_records = position.skipped_records;
  going_back = false;
  return {};
}

// The file at hand was read, but it is of no use.
void RecordReader::State::without_records() {
  --files_read[index_of(*format)];
  skip_file(file.path, SkipReason::kNoRecords);
}

void RecordReader::State::close() {
  if (!stream) return;
  plain_before += stream->offset();
  stored_before += stream->source().stored_bytes_read();
  cutter.reset();
  stream.reset();
}

RecordReader::RecordReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordReader::~RecordReader() = default;

Result<std::unique_ptr<RecordReader>> RecordReader::open(std::vector<fs::path> inputs, const SourceFormat* format,
                                                         BadRecordSink sink, ReadOptions options) {
  if (inputs.empty()) return Error(Code::kInvalid, "no inputs");
  auto state = std::make_unique<State>();
  for (const fs::path& input : inputs) {
    FROND_TRY(check_input(input));
    state->seen.add_all(input, options.hidden);
  }
  state->wanted = format;
  state->names = InputNames(inputs);
  state->sink = std::move(sink);
  state->options = std::move(options);
  state->options.limits.read_memory = std::make_shared<ReadMemory>();
  state->inputs.assign(std::make_move_iterator(inputs.rbegin()), std::make_move_iterator(inputs.rend()));
  const ReadPosition* const from = std::exchange(state->options.from, nullptr);
  if (state->options.list) FROND_TRY(state->options.list->begin(from == nullptr));
  std::unique_ptr<RecordReader> reader(new RecordReader(std::move(state)));
  if (from != nullptr) {
    FROND_TRY(reader->state_->go_to(*from));
    reader->note_progress();
  }
  return reader;
}

void RecordReader::lend(std::string memory) {
  if (memory.capacity() > state_->memory.capacity()) state_->memory = std::move(memory);
}

bool RecordReader::between_records() const { return !state_->cutter || !state_->cutter->inside_record(); }

ReadPosition RecordReader::position() const {
  const State& s = *state_;
  return {s.files,   s.cuts,           s.stream ? s.stream->offset() : 0, s.plain_before, s.stored_before, s.files_read,
          s.skipped, s.skipped_records};
}

void RecordReader::note_progress() {
  const State& s = *state_;
  if (!s.stream) return;
  bytes_read_.store(s.plain_before + s.stream->offset(), std::memory_order_relaxed);
  stored_bytes_read_.store(s.stored_before + s.stream->source().stored_bytes_read(), std::memory_order_relaxed);
}

std::uint64_t RecordReader::stored_bytes_total() const { return state_->seen.bytes() / state_->options.share.count; }
InputSummary RecordReader::input() const { return state_->walked.summary(); }
std::uint64_t RecordReader::window_bytes() const {
  return state_->stream ? state_->stream->source().window_bytes() : 0;
}
const Skipped& RecordReader::skipped() const { return state_->skipped; }
const Skipped& RecordReader::skipped_records() const { return state_->skipped_records; }
const FilesRead& RecordReader::files_read() const { return state_->files_read; }

Result<std::optional<RawRecord>> RecordReader::next() {
  State& s = *state_;
  if (s.failed) return std::optional<RawRecord>();
  for (;;) {
    if (!s.stream) {
      Result<bool> opened = s.open_next();
      if (!opened || !*opened) {
        s.failed = true;
        if (!opened) return std::move(opened).error();
        return std::optional<RawRecord>();
      }
    }
    Result<std::optional<Cut>> cut = s.cutter->next_lines(*s.stream, s.options.lines, s.memory);
    note_progress();
    if (!cut) {
      if (!s.format->whole_file || !s.may_skip(cut.error())) {
        s.failed = true;
        return s.may_skip(cut.error()) ? std::move(cut).error() : ended_by(cut.error());
      }
      s.report_file(s.file.path, cut.error().message());
      s.close();
      continue;
    }
    if (!*cut) {
      if (s.cuts == 0) s.without_records();
      s.close();
      continue;
    }
    Cut& record = **cut;
    s.cuts = s.cutter->cuts_after(s.cuts, record);
    if (record.problem.empty() && record.skip_because) {
      s.note_skipped(record);
      continue;
    }
    if (record.problem.empty())
      return std::optional<RawRecord>(RawRecord{.format = s.format,
                                                .file = s.file.path.string(),
                                                .name = s.format->whole_file ? s.file.name : std::string(),
                                                .number = record.number,
                                                .offset = record.offset,
                                                .bytes = std::move(record.bytes),
                                                .columns = std::move(record.columns),
                                                .site = std::move(record.site),
                                                .encoding = s.encoding,
                                                .lines = record.lines,
                                                .front = record.front});
    s.report(s.file.path, record.number, record.offset, std::string(record.problem));
  }
}

}  // namespace frond::indexer::ingest
