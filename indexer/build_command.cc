#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <thread>

#include "common/base/line_writer.h"
#include "common/base/mutex.h"
#include "common/base/thread_name.h"
#include "common/config/command_line.h"
#include "common/config/options.h"
#include "common/objects/place.h"
#include "indexer/build.h"
#include "indexer/build_report.h"
#include "indexer/build_status_server.h"
#include "indexer/commands.h"
#include "indexer/gpu_inverters.h"
#include "indexer/ingest/formats/formats.h"

namespace frond::indexer {
namespace {

// A line on the terminal, updated while the build runs. Does nothing if stderr is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(const BuildProgress& progress) {
    if (!::isatty(STDERR_FILENO)) return;
    thread_ = std::jthread([this, &progress](std::stop_token stop) {
      name_this_thread("progress");
      const auto start = std::chrono::steady_clock::now();
      MutexLock lock(mutex_);
      while (!stop.stop_requested()) {
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        std::fprintf(stderr, "\r\x1b[K%s", progress_text(progress, elapsed.count()).c_str());
        std::fflush(stderr);
        wake_.wait_for(mutex_, stop, std::chrono::milliseconds(250), [] { return false; });
      }
      std::fputs("\r\x1b[K", stderr);
    });
  }

 private:
  Mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace

// kInvalid: flags that do not go together, or have wrong values. The others are checked where they are used.
Result<void> BuildCommand::check() {
  const auto refuse = [](const std::string& why) { return Error(Code::kInvalid, why); };
  if (share_.empty() == no_publish_) return refuse("--partition and --no-publish go together");
  if (!share_.empty() && partitions_flag_->given())
    return refuse("--partitions is the publisher's when --partition is given");
  if (checkpoint_bytes_ == 0) return refuse("--checkpoint: at least 1; --resume off makes none");
  if (memory_limit_ < pipeline::kMinMemoryLimit) return refuse("--memory-limit: at least 128MiB");
  if (!repository::is_safe_name(place_.collection))
    return refuse("--collection: '" + place_.collection + "' is no name: use [A-Za-z0-9._-]");
  FROND_TRY(settle_place(place_));
  if (std::ranges::count(inputs_, "-") > 1) return refuse("--input: - is given twice");
  std::ranges::replace(inputs_, std::filesystem::path("-"), std::filesystem::path("/dev/stdin"));
  if (kind_ == Kind::kAdd) FROND_TRY(expect_collection(place_));
  for (const auto& input : inputs_) {
    std::error_code failed;
    if (!std::filesystem::exists(input, failed)) return refuse("--input: " + input.string() + " is not there");
  }
  return {};
}

Result<BuildCommand::GpuParts> BuildCommand::gpu_parts(order::DocumentOrder order) const {
  GpuParts parts;
  set_gpu_timeout(std::chrono::seconds(gpu_timeout_s_));
  if (gpu_inverters_ > 0) {
    const auto found = gpu_inverters(gpu_.device);
    if (!found) return Error(Code::kInvalid, "--gpu-inverters: " + found.error().message());
    parts.inverter = *found;
  }
  if (gpu_texts_ == "on") {
    if (memory_limit_ < pipeline::kMinMemoryLimitOfTexts)
      return Error(Code::kInvalid, "--memory-limit: at least 256MiB with --gpu-texts on");
    if (gpu_inverters_ > 0)
      return Error(Code::kInvalid, "--gpu-texts on takes the place of --gpu-inverters: give one of them");
    const auto found = gpu_text_inverter(gpu_.device);
    if (!found) return Error(Code::kInvalid, "--gpu-texts: " + found.error().message());
    parts.text_inverter = *found;
  }
  const bool bisects = order == order::DocumentOrder::kBisection || order == order::DocumentOrder::kAuto;
  if (gpu_order_ == "on" || (gpu_order_ == "auto" && bisects)) {
    auto found = gpu_bisection(gpu_);
    if (!found && gpu_order_ == "on") return Error(Code::kInvalid, "--gpu-order: " + found.error().message());
    if (found) parts.bisect = *std::move(found);
  }
  return parts;
}

// Null: the usual ones.
std::shared_ptr<const ingest::FieldNames> BuildCommand::field_names() const {
  ingest::FieldNames names{.join_bodies = !text_fields_.empty(), .paths = true};
  if (!id_field_.empty()) names.id = {id_field_};
  if (!title_field_.empty()) names.title = {title_field_};
  if (!text_fields_.empty()) names.body = text_fields_;
  if (!url_field_.empty()) names.url = {url_field_};
  const bool usual = id_field_.empty() && title_field_.empty() && text_fields_.empty() && url_field_.empty();
  return usual ? nullptr : std::make_shared<const ingest::FieldNames>(std::move(names));
}

Result<BuildOptions> BuildCommand::options() {
  const auto refuse = [](const std::string& why) { return Error(Code::kInvalid, why); };
  const auto format = ingest::format_named(format_);
  if (!format) return refuse("--format: '" + format_ + "' is none of " + ingest::format_names());
  if (!prior_field_.empty() && *format != nullptr && !(*format)->has_prior)
    return refuse("--prior-field: records of format " + format_ + " have no fields of that kind; jsonl and json have");
  const auto names = field_names();
  if (names != nullptr && *format != nullptr && !(*format)->has_names)
    return refuse("--id-field, --title-field, --text-field and --url-field: records of format " + format_ +
                  " have no names of fields; jsonl, json and csv have");
  const auto analyzer = FROND_TRY(analyzer_.made());
  const auto order = order::order_named(order_);
  if (!order) return refuse("--order: '" + order_ + "' is none of " + std::string(order::kOrderNames));
  const auto codecs = codec::codec_choice_named(codec_);
  if (!codecs) return refuse("--codec: " + codecs.error().message());
  const auto stored = partition::stored_compression_named(stored_compression_);
  if (!stored)
    return refuse("--stored-compression: '" + stored_compression_ + "' is none of " +
                  std::string(partition::kStoredCompressionNames));
  FROND_TRY(check());
  GpuParts gpu = FROND_TRY(gpu_parts(*order));

  BuildOptions options;
  options.repository = place_.repository;
  options.collection = place_.collection;
  options.objects = place_.objects;
  options.invert = {
      .inputs = inputs_,
      .format = *format,
      .read = {.share = {},
               .hidden = hidden_,
               .skip_unreadable = unreadable_files_ == "skip",
               .names = names,
               .list = skipped_list_.empty() ? nullptr : std::make_shared<ingest::SkippedList>(skipped_list_)},
      .parse = {.make_ids = make_ids_,
                .store_bodies = store_bodies_ == "on",
                .prior_field = prior_field_,
                .names = names},
      .analyzer = analyzer,
      .partitions = partitions_,
      .max_bad_records = max_bad_records_,
      .inverter = invert::inverter_with(cpu_dictionary_),
      .gpu_inverter = gpu.inverter,
      .text_inverter = gpu.text_inverter,
      .gpu = gpu_,
      .memory = gpu.text_inverter != nullptr
                    ? pipeline::plan_memory_of_texts(memory_limit_, parsers_, partitions_)
                    : pipeline::plan_memory(memory_limit_, parsers_, cpu_inverters_, partitions_, gpu_inverters_)};
  options.codecs = *codecs;
  options.stored = *stored;
  options.disk_reserve = disk_reserve_;
  options.order = *order;
  options.gpu_bisect = std::move(gpu.bisect);
  options.reckons_with_gpu = gpu_order_ == "on";
  options.bm25 = {k1_, b_};
  options.threads = hardware_threads();
  options.resume = resume_ == "auto";
  if (checkpoint_bytes_ != kUsualCheckpoint)
    options.checkpoint_bytes = checkpoint_bytes_;
  else if (gpu.text_inverter != nullptr)
    options.checkpoint_bytes = BuildOptions::kUsualCheckpointBytesOfGpuTexts;
  else
    options.checkpoint_bytes = BuildOptions::usual_checkpoint_bytes(options.threads, memory_limit_);
  if (no_publish_) {
    const config::Shard share = *config::parse_shard(share_);  // was checked
    options.invert.read.share = {share.number, share.count};
  }
  return options;
}

int BuildCommand::run(Logger& logger) {
  const auto made_options = options();
  if (!made_options) return command_.refuse(made_options.error().message());
  const BuildOptions& options = *made_options;
  pipeline::bound_unused_memory(memory_limit_);
  const StopOnSignal signals;
  BuildProgress progress;
  std::unique_ptr<BuildStatusServer> status;
  if (!http_.empty()) {
    auto made = BuildStatusServer::create(http_, progress, *place_.objects.access.counts, logger);
    if (!made) return command_.refuse("--http: " + made.error().message());
    status = *std::move(made);
  }
  auto built = [&] {
    const ProgressLine line(progress);
    if (kind_ == Kind::kAdd) return add(options, progress, logger, signals.token());
    return no_publish_ ? build_share(options, progress, logger, signals.token())
                       : build(options, progress, logger, signals.token());
  }();
  if (!built) {
    if (signals.signal() != 0) {
      write_stderr("frond-indexer: stopped by signal " + std::to_string(signals.signal()) + "; nothing is published\n");
      return 128 + signals.signal();
    }
    write_stderr("frond-indexer: " + built.error().message() + "\n");
    return 1;
  }
  std::cout << (json_ ? summary_json(*built) : summary_text(*built)) << std::endl;
  if (status) linger(std::chrono::seconds(http_linger_seconds_), signals.token());
  return 0;
}

}  // namespace frond::indexer
