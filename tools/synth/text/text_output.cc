#include "tools/synth/text/text_output.h"

#include <fcntl.h>
#include <unistd.h>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/check.h"
#include "common/base/threads/task_pool.h"
#include "common/files/write.h"

namespace frond::tools::synth {
namespace {

constexpr int kPipeBytes = 1 << 20;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

Result<TextOutput> TextOutput::open(const OutputOptions& options) {
  FROND_CHECK(options.max_bytes != 0 || options.max_documents != 0);
  TextOutput output(options);
  if (options.file_bytes == 0) {
    FROND_TRY(output.open_file());
    return output;
  }
  std::error_code error;
  std::filesystem::create_directories(options.path, error);
  if (!error && !std::filesystem::is_empty(options.path, error) && !error)
    return Error(Code::kInvalid, options.path.string() + ": the folder is not empty");
  if (error) return Error(Code::kInvalid, options.path.string() + ": " + error.message());
  return output;
}

Result<void> TextOutput::open_file() {
  if (options_.path == "-") {
    file_name_ = "standard output";
    ::fcntl(STDOUT_FILENO, F_SETPIPE_SZ, kPipeBytes);  // if it is a pipe
    file_ = files::Descriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!file_.valid()) return files::system_error(Code::kUnavailable, "opening", file_name_);
  } else {
    file_name_ = options_.path;
    if (options_.file_bytes != 0) file_name_ /= fmt::format("text-{:05}{}", totals_.files, options_.suffix);
    file_ = FROND_TRY(files::open(file_name_, O_WRONLY | O_CREAT | O_TRUNC));
  }
  file_size_ = 0;
  ++totals_.files;
  return {};
}

Result<bool> TextOutput::put(const TextChunk& chunk) {
  std::size_t begin = 0, end = 0;  // of what is not written
  const auto write = [&]() -> Result<void> {
    const std::string_view piece(chunk.text.data() + begin, end - begin);
    file_size_ += piece.size();
    begin = end;
    return files::write_all(file_, as_bytes(piece), file_name_);
  };
  bool complete = false;
  for (const auto& document : chunk.documents) {
    if (!file_.valid()) FROND_TRY(open_file());
    ++totals_.documents;
    totals_.words += document.words;
    totals_.tokens += document.tokens;
    totals_.bytes += document.end - end;
    end = document.end;
    complete = (options_.max_documents != 0 && totals_.documents >= options_.max_documents) ||
               (options_.max_bytes != 0 && totals_.bytes >= options_.max_bytes);
    const bool full = options_.file_bytes != 0 && file_size_ + (end - begin) >= options_.file_bytes;
    if (complete || full) FROND_TRY(write());
    if (full) file_ = {};
    if (complete) break;
  }
  if (begin != end) FROND_TRY(write());
  return !complete;
}

std::string suffix_of(Markup markup) { return markup == Markup::kHtml ? ".trec" : ".jsonl"; }

Result<TextSummary> make_text(const TextOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = cpu_seconds();
  const TextModel model(*options.profile, options.markup, options.shares, options.seed);
  TextOutput output = FROND_TRY(TextOutput::open(options.output));
  using Chunk = std::shared_ptr<TextChunk>;
  std::vector<Chunk> spare;  // memory of chunks that were written
  TaskPool pool("text", options.threads);
  OrderedTasks<Chunk> chunks(pool, 2 * pool.threads());
  std::uint64_t next = 0;
  for (bool more = true; more;) {
    while (!chunks.full()) {
      Chunk chunk = spare.empty() ? std::make_shared<TextChunk>() : std::move(spare.back());
      if (!spare.empty()) spare.pop_back();
      chunks.begin(1, [&model, chunk = std::move(chunk), number = next++](std::size_t) -> Result<Chunk> {
        make_chunk(model, number, *chunk);
        return chunk;
      });
    }
    spare.push_back(FROND_TRY(chunks.take()));
    more = FROND_TRY(output.put(*spare.back()));
  }
  TextSummary summary{.totals = output.totals(),
                      .tail_exponent = model.frequencies.tail_exponent(),
                      .expected_terms = 0,
                      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                      .cpu_seconds = cpu_seconds() - cpu_begin};
  summary.expected_terms = model.frequencies.expected_terms(static_cast<double>(summary.totals.tokens), kRepeats);
  return summary;
}

}  // namespace frond::tools::synth
