#include "tools/synth/text/text_output.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace frond::tools::synth {
namespace {

constexpr int kPipeBytes = 1 << 20;

Error failed(const std::string& name) {
  return Error(Code::kUnavailable, name + ": " + std::generic_category().message(errno));
}

}  // namespace

// Closed when the last piece for it is written.
class TextOutput::File {
 public:
  static Result<std::shared_ptr<File>> create(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (descriptor < 0) return failed(path.string());
    return std::shared_ptr<File>(new File(descriptor, path.string(), false));
  }
  static std::shared_ptr<File> standard_output() {
    ::fcntl(STDOUT_FILENO, F_SETPIPE_SZ, kPipeBytes);  // if it is a pipe
    return std::shared_ptr<File>(new File(STDOUT_FILENO, "standard output", true));
  }
  ~File() {
    if (!is_stream_) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_stream() const { return is_stream_; }
  // `at` has no meaning for a stream.
  Result<void> write(std::string_view bytes, std::uint64_t at) const {
    while (!bytes.empty()) {
      const auto written = is_stream_ ? ::write(descriptor_, bytes.data(), bytes.size())
                                      : ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return failed(name_);
      bytes.remove_prefix(static_cast<std::size_t>(written));
      at += static_cast<std::uint64_t>(written);
    }
    return {};
  }

 private:
  File(int descriptor, std::string name, bool is_stream)
      : descriptor_(descriptor), name_(std::move(name)), is_stream_(is_stream) {}

  const int descriptor_;
  const std::string name_;
  const bool is_stream_;
};

Result<std::unique_ptr<TextOutput>> TextOutput::open(const OutputOptions& options) {
  FROND_CHECK(options.max_bytes != 0 || options.max_documents != 0);
  std::unique_ptr<TextOutput> output(new TextOutput(options));
  if (options.file_bytes == 0) {
    const MutexLock lock(output->mutex_);
    FROND_TRY(output->open_file());
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
    file_ = File::standard_output();
  } else if (options_.file_bytes == 0) {
    file_ = FROND_TRY(File::create(options_.path));
  } else {
    file_ = FROND_TRY(File::create(options_.path / fmt::format("text-{:05}{}", totals_.files, options_.suffix)));
  }
  file_size_ = 0;
  ++totals_.files;
  return {};
}

Result<std::vector<TextOutput::Piece>> TextOutput::placed(const TextChunk& chunk) {
  std::vector<Piece> pieces;
  std::size_t begin = 0, end = 0;  // of the piece at hand
  const auto end_piece = [&]() FROND_REQUIRES(mutex_) {
    pieces.push_back({file_, file_size_, {chunk.text.data() + begin, end - begin}});
    file_size_ += end - begin;
    begin = end;
  };
  for (const auto& document : chunk.documents) {
    if (!file_) FROND_TRY(open_file());
    ++totals_.documents;
    totals_.words += document.words;
    totals_.tokens += document.tokens;
    totals_.bytes += document.end - end;
    end = document.end;
    complete_ = (options_.max_documents != 0 && totals_.documents >= options_.max_documents) ||
                (options_.max_bytes != 0 && totals_.bytes >= options_.max_bytes);
    const bool full = options_.file_bytes != 0 && file_size_ + (end - begin) >= options_.file_bytes;
    if (complete_ || full) end_piece();
    if (full) file_.reset();
    if (complete_) break;
  }
  if (begin != end) end_piece();
  if (complete_) file_.reset();
  return pieces;
}

Result<bool> TextOutput::put(std::uint64_t number, const TextChunk& chunk) {
  std::vector<Piece> pieces;
  {
    MutexLock lock(mutex_);
    while (next_ != number && !complete_ && !failure_) turn_.wait(lock.mutex());
    if (failure_) return *failure_;
    if (complete_) return false;
    Result<void> outcome;
    if (auto found = placed(chunk)) {
      pieces = *std::move(found);
    } else {
      outcome = std::move(found).error();
    }
    if (!pieces.empty() && pieces.front().file->is_stream()) {
      outcome = pieces.front().file->write(pieces.front().bytes, 0);
      pieces.clear();
    }
    if (!outcome) failure_ = std::make_unique<Error>(outcome.error());
    ++next_;
    turn_.notify_all();
    if (!outcome) return std::move(outcome).error();
  }
  for (const auto& [file, at, bytes] : pieces)
    if (auto written = file->write(bytes, at); !written) return fail(std::move(written).error());
  return true;
}

Result<bool> TextOutput::fail(Error error) {
  const MutexLock lock(mutex_);
  if (!failure_) failure_ = std::make_unique<Error>(error);
  turn_.notify_all();
  return error;
}

OutputTotals TextOutput::totals() const {
  const MutexLock lock(mutex_);
  return totals_;
}

namespace {

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

std::string suffix_of(Markup markup) { return markup == Markup::kHtml ? ".trec" : ".jsonl"; }

Result<TextSummary> make_text(const TextOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu_begin = cpu_seconds();
  const TextModel model(*options.profile, options.markup, options.shares, options.seed);
  const auto output = FROND_TRY(TextOutput::open(options.output));
  std::atomic<std::uint64_t> next = 0;
  Mutex mutex;
  Result<void> outcome;
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < options.threads; ++i)
      threads.emplace_back([&] {
        TextChunk chunk;
        for (;;) {
          const std::uint64_t number = next++;
          make_chunk(model, number, chunk);
          auto more = output->put(number, chunk);
          if (more && *more) continue;
          if (!more) {
            const MutexLock lock(mutex);
            if (outcome) outcome = std::move(more).error();
          }
          return;
        }
      });
  }
  FROND_TRY(std::move(outcome));
  TextSummary summary{.totals = output->totals(),
                      .tail_exponent = model.frequencies.tail_exponent(),
                      .expected_terms = 0,
                      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                      .cpu_seconds = cpu_seconds() - cpu_begin};
  summary.expected_terms = model.frequencies.expected_terms(static_cast<double>(summary.totals.tokens), kRepeats);
  return summary;
}

}  // namespace frond::tools::synth
