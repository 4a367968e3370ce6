#include "indexer/ingest/record_reader.h"

#include <exception>

#include "indexer/ingest/document_fields.h"
#include "indexer/ingest/parsers.h"
#include "indexer/ingest/record_cutter.h"

namespace frond::indexer::ingest {
namespace fs = std::filesystem;
namespace {

constexpr int kFolderSniffFiles = 16;

// Whether the first files of a folder with something in them are all TSV. A text with a tab in its first line is none.
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

Result<Document> parse(const RawRecord& record) {
  switch (record.format) {
    case Format::kJsonl:
    case Format::kJson:
      return parse_jsonl(record);
    case Format::kTsv:
      return parse_tsv(record);
    case Format::kCsv:
      return parse_csv(record);
    case Format::kTrec:
      return parse_trec(record);
    case Format::kWikiextractor:
      return parse_wikiextractor(record);
    case Format::kFiles:
      return parse_text_file(record);
    case Format::kAuto:
      break;
  }
  return Error(Code::kInvalid, "a record without a format");
}

}  // namespace

struct RecordReader::State {
  Format wanted;
  BadRecordSink sink;
  std::vector<fs::path> inputs;  // the next one last
  ReadOptions options;
  InputCensus seen;    // all files, whoever reads them, when the reader was opened
  InputCensus walked;  // the files that were walked past since then, in this share or not

  std::unique_ptr<InputWalk> walk;
  bool among_tsv = false;  // of the files of the present input
  // The present file, when there is one.
  InputFile file;
  Format format = Format::kAuto;
  std::unique_ptr<ContentStream> stream;
  std::unique_ptr<RecordCutter> cutter;
  std::uint64_t plain_before = 0, stored_before = 0;  // of the files read before it
  bool failed = false;
  SkippedFiles skipped;
  FilesRead files_read{};

  void report(const fs::path& path, std::uint64_t number, std::uint64_t offset, std::string reason) {
    if (sink) sink({path.string(), number, offset, std::move(reason)});
  }
  void report_file(const fs::path& path, const std::string& message);
  InputWalk::Observer observer();
  std::optional<InputFile> next_file();
  Result<bool> open_next();
  void close();
};

// `message` may start with the file's name, which the bad record has a field for.
void RecordReader::State::report_file(const fs::path& path, const std::string& message) {
  const std::string prefix = path.string() + ": ";
  report(path, 0, 0, message.starts_with(prefix) ? message.substr(prefix.size()) : message);
}

// What the walk passes over counts for the share that would have it.
InputWalk::Observer RecordReader::State::observer() {
  return {[this](const fs::path& folder, std::string reason) { report(folder, 0, 0, std::move(reason)); },
          [this](const fs::path& path, SkipReason reason) {
            if (options.share.has(walked.bytes(), seen.bytes())) skipped.add(reason, path.string());
          }};
}

std::optional<InputFile> RecordReader::State::next_file() {
  for (;;) {
    while (walk) {
      std::optional<InputFile> found = walk->next();
      if (!found) break;
      const bool ours = options.share.has(walked.bytes(), seen.bytes());
      walked.add(*found);
      if (ours) return found;
    }
    walk.reset();
    if (inputs.empty()) return std::nullopt;
    const fs::path input = std::move(inputs.back());
    inputs.pop_back();
    walk = std::make_unique<InputWalk>(input, options.hidden, observer());
    among_tsv = wanted == Format::kAuto && walk->is_folder() && is_folder_of_tsv(input, options);
  }
}

// Makes the next file with something to read the present one; false when there is none.
Result<bool> RecordReader::State::open_next() {
  while (std::optional<InputFile> found = next_file()) {
    file = std::move(*found);
    Result<std::unique_ptr<ByteSource>> source = ByteSource::open(file.path, options.limits);
    if (!source) {
      report_file(file.path, source.error().message());
      continue;
    }
    stream = std::make_unique<ContentStream>(std::move(*source));
    const Result<std::string_view> head = stream->peek(kSniffBytes);
    if (!head) {
      if (wanted != Format::kFiles && (wanted != Format::kAuto || !walk->is_folder())) return head.error();
      report_file(file.path, head.error().message());
      close();
      continue;
    }
    const auto told = tell_format({.path = file.name,
                                   .bytes = *head,
                                   .whole = head->size() < kSniffBytes,
                                   .in_folder = walk->is_folder(),
                                   .among_tsv = among_tsv},
                                  wanted);
    if (const auto* const reason = std::get_if<SkipReason>(&told)) {
      skipped.add(*reason, file.path.string());
      close();
      continue;
    }
    format = std::get<Format>(told);
    ++files_read[static_cast<std::size_t>(format)];
    cutter = RecordCutter::create(format, options.limits.record_bytes);
    return true;
  }
  // Which files are a share's depends on all of them, so the other builders would cut it otherwise.
  if (options.share.count > 1 && seen.summary() != walked.summary())
    return Error(Code::kInvalid, "the input changed while a share of it was read: " + to_string(seen.summary()) +
                                     " at first, then " + to_string(walked.summary()));
  return false;
}

void RecordReader::State::close() {
  plain_before += stream->offset();
  stored_before += stream->source().stored_bytes_read();
  cutter.reset();
  stream.reset();
}

RecordReader::RecordReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
RecordReader::~RecordReader() = default;

Result<std::unique_ptr<RecordReader>> RecordReader::open(std::vector<fs::path> inputs, Format format,
                                                         BadRecordSink sink, ReadOptions options) {
  if (inputs.empty()) return Error(Code::kInvalid, "no inputs");
  auto state = std::make_unique<State>();
  for (const fs::path& input : inputs) {
    FROND_TRY(check_input(input));
    state->seen.add_all(input, options.hidden);
  }
  state->wanted = format;
  state->sink = std::move(sink);
  state->options = std::move(options);
  state->inputs.assign(std::make_move_iterator(inputs.rbegin()), std::make_move_iterator(inputs.rend()));
  return std::unique_ptr<RecordReader>(new RecordReader(std::move(state)));
}

std::uint64_t RecordReader::stored_bytes_total() const { return state_->seen.bytes() / state_->options.share.count; }
InputSummary RecordReader::input() const { return state_->walked.summary(); }
const SkippedFiles& RecordReader::skipped() const { return state_->skipped; }
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
    Result<std::optional<Cut>> cut = s.cutter->next(*s.stream);
    bytes_read_.store(s.plain_before + s.stream->offset(), std::memory_order_relaxed);
    stored_bytes_read_.store(s.stored_before + s.stream->source().stored_bytes_read(), std::memory_order_relaxed);
    if (!cut) {
      if (s.format != Format::kFiles) {
        s.failed = true;
        return std::move(cut).error();
      }
      s.report_file(s.file.path, cut.error().message());
      s.close();
      continue;
    }
    if (!*cut) {
      s.close();
      continue;
    }
    Cut& record = **cut;
    if (record.problem.empty())
      return std::optional<RawRecord>(RawRecord{s.format, s.file.path.string(),
                                                s.format == Format::kFiles ? s.file.name : std::string(), record.number,
                                                record.offset, std::move(record.bytes), std::move(record.columns)});
    s.report(s.file.path, record.number, record.offset, std::string(record.problem));
  }
}

Result<Document> parse_record(const RawRecord& record, ParseOptions options) {
  try {
    Document document = FROND_TRY(parse(record));
    FROND_TRY(finish_document(document, record.format, options.make_ids));
    return document;
  } catch (const std::exception& error) {  // the allocator's, or a parser's
    return Error(Code::kInvalid, std::string("cannot be parsed: ") + error.what());
  }
}

BadRecord bad_record(const RawRecord& record, const Error& error) {
  return {record.file, record.number, record.offset, error.message()};
}

std::string to_string(const BadRecord& bad) {
  std::string text = bad.file + ": ";
  if (bad.number > 0) text += "record " + std::to_string(bad.number) + " at byte " + std::to_string(bad.offset) + ": ";
  return text + bad.reason;
}

}  // namespace frond::indexer::ingest
