#include "indexer/ingest/record_reader.h"

#include <exception>

#include "indexer/ingest/input_list.h"
#include "indexer/ingest/parsers.h"
#include "indexer/ingest/record_cutter.h"

namespace frond::indexer {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kSniffBytes = 64 << 10;
constexpr int kFolderSniffFiles = 16;

// The format of a folder, when it is not given: that of its first files with something in them, when all are alike
// record files; else each is a document. A text with a tab in its first line doesn't turn a folder of documents to tsv.
Format sniff_folder(const fs::path& folder) {
  InputWalk walk(folder, [](const fs::path&, const std::string&) {});
  std::optional<Format> all;
  for (int files = 0; files < kFolderSniffFiles;) {
    const std::optional<InputFile> file = walk.next();
    if (!file) break;
    Result<std::unique_ptr<ByteSource>> source = ByteSource::open(file->path);
    if (!source) continue;
    ContentStream stream(std::move(*source));
    const Result<std::string_view> head = stream.peek(kSniffBytes);
    if (!head || head->empty()) continue;
    const std::optional<Format> format = looks_binary(*head) ? std::nullopt : sniff_format(*head);
    if (!format || (all && *all != *format)) return Format::kFiles;
    all = format;
    ++files;
  }
  return all.value_or(Format::kFiles);
}

Result<Document> parse(const RawRecord& record) {
  switch (record.format) {
    case Format::kJsonl:
      return parse_jsonl(record);
    case Format::kTsv:
      return parse_tsv(record);
    case Format::kTrec:
      return parse_trec(record);
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
  InputShare share;
  InputCensus seen;    // all files, whoever reads them, when the reader was opened
  InputCensus walked;  // the files that were walked past since then, in this share or not

  std::unique_ptr<InputWalk> walk;
  Format walk_format = Format::kAuto;  // of the files of the present input; kAuto: told file by file
  // The present file, when there is one.
  InputFile file;
  Format format = Format::kAuto;
  std::unique_ptr<ContentStream> stream;
  std::unique_ptr<RecordCutter> cutter;
  std::uint64_t plain_before = 0, stored_before = 0;  // of the files read before it
  bool failed = false;

  void report(const fs::path& path, std::uint64_t number, std::uint64_t offset, std::string reason) {
    if (sink) sink({path.string(), number, offset, std::move(reason)});
  }
  void report_file(const fs::path& path, const std::string& message);
  std::optional<InputFile> next_file();
  Result<bool> open_next();
  void close();
};

// `message` may start with the file's name, which the bad record has a field for.
void RecordReader::State::report_file(const fs::path& path, const std::string& message) {
  const std::string prefix = path.string() + ": ";
  report(path, 0, 0, message.starts_with(prefix) ? message.substr(prefix.size()) : message);
}

std::optional<InputFile> RecordReader::State::next_file() {
  for (;;) {
    while (walk) {
      std::optional<InputFile> found = walk->next();
      if (!found) break;
      const bool ours = share.has(walked.bytes(), seen.bytes());
      walked.add(*found);
      if (ours) return found;
    }
    walk.reset();
    if (inputs.empty()) return std::nullopt;
    const fs::path input = std::move(inputs.back());
    inputs.pop_back();
    walk = std::make_unique<InputWalk>(
        input, [this](const fs::path& folder, std::string reason) { report(folder, 0, 0, std::move(reason)); });
    walk_format = wanted == Format::kAuto && walk->is_folder() ? sniff_folder(input) : wanted;
  }
}

// Makes the next readable file the present one; false when there is none.
Result<bool> RecordReader::State::open_next() {
  while (std::optional<InputFile> found = next_file()) {
    file = std::move(*found);
    Result<std::unique_ptr<ByteSource>> source = ByteSource::open(file.path);
    if (!source) {
      report_file(file.path, source.error().message());
      continue;
    }
    stream = std::make_unique<ContentStream>(std::move(*source));
    format = walk_format;
    if (format == Format::kAuto) {
      const std::string_view head = FROND_TRY(stream->peek(kSniffBytes));
      if (head.empty()) {
        close();
        continue;
      }
      const std::optional<Format> sniffed = sniff_format(head);
      if (!sniffed)
        return Error(Code::kInvalid, file.path.string() +
                                         ": cannot tell the format from its first line; name it with --format (" +
                                         std::string(kFormatNames) + ")");
      format = *sniffed;
    }
    cutter = RecordCutter::create(format, kMaxRecordBytes);
    return true;
  }
  // Which files are a share's depends on all of them, so the other builders would cut it otherwise.
  if (share.count > 1 && seen.summary() != walked.summary())
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
                                                         BadRecordSink sink, InputShare share) {
  if (inputs.empty()) return Error(Code::kInvalid, "no inputs");
  auto state = std::make_unique<State>();
  for (const fs::path& input : inputs) {
    FROND_TRY(check_input(input));
    state->seen.add_all(input);
  }
  state->wanted = format;
  state->sink = std::move(sink);
  state->share = share;
  state->inputs.assign(std::make_move_iterator(inputs.rbegin()), std::make_move_iterator(inputs.rend()));
  return std::unique_ptr<RecordReader>(new RecordReader(std::move(state)));
}

std::uint64_t RecordReader::stored_bytes_total() const { return state_->seen.bytes() / state_->share.count; }
InputSummary RecordReader::input() const { return state_->walked.summary(); }

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
    if (record.skip) {
      files_skipped_.fetch_add(1, std::memory_order_relaxed);
    } else if (!record.problem.empty()) {
      s.report(s.file.path, record.number, record.offset, std::string(record.problem));
    } else {
      return std::optional<RawRecord>(RawRecord{s.format, s.file.path.string(),
                                                s.format == Format::kFiles ? s.file.name : std::string(), record.number,
                                                record.offset, std::move(record.bytes)});
    }
  }
}

Result<Document> parse_record(const RawRecord& record) {
  try {
    return parse(record);
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

}  // namespace frond::indexer
