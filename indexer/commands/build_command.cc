#include "indexer/commands/build_command.h"

#include <iostream>

#include "common/base/machine.h"
#include "common/base/threads/pause.h"
#include "common/config/gpus.h"
#include "common/config/options.h"
#include "common/files/read.h"
#include "common/schema/schema_json.h"
#include "indexer/build/gpu_inverters.h"
#include "indexer/build/schema_inference.h"
#include "indexer/commands/build_report.h"

namespace frond::indexer {

// Sets the names of fields; none are given: the usual ones.
Result<void> BuildCommand::take_names() {
  const bool named = !id_field_.empty() || !title_field_.empty() || !text_fields_.empty() || !url_field_.empty();
  const ingest::SourceFormat* const format = invert_.format;  // null: each file's own
  if (!invert_.parse.prior_field.empty() && format != nullptr && !format->has_prior)
    return Error(Code::kInvalid,
                 "--prior-field: records of format " + format_ + " have no fields of that kind; jsonl and json have");
  if (!named) return {};
  if (format != nullptr && !format->has_names)
    return Error(Code::kInvalid, "--id-field, --title-field, --text-field and --url-field: records of format " +
                                     format_ + " have no names of fields; jsonl, json and csv have");
  ingest::FieldNames names{.join_bodies = !text_fields_.empty(), .paths = true};
  if (!id_field_.empty()) names.id = {id_field_};
  if (!title_field_.empty()) names.title = {title_field_};
  if (!text_fields_.empty()) names.body = text_fields_;
  if (!url_field_.empty()) names.url = {url_field_};
  invert_.read.names = invert_.parse.names = std::make_shared<const ingest::FieldNames>(std::move(names));
  return {};
}

Result<void> BuildCommand::take_schema() {
  if (schema_.empty()) {
    if (invert_.parse.coerce && kind_ == Kind::kBuild)
      return Error(Code::kInvalid, "--coerce needs --schema: without one, documents have no columns");
    return {};
  }
  if (schema_ == "infer" && kind_ == Kind::kBuild) {
    const InferredFields inferred = FROND_TRY(infer_schema(invert_));
    std::cerr << inferred.report;
    options_.take_schema(inferred.schema);
  } else {
    const std::string text = FROND_TRY(files::read_input(schema_, schema::kMaxSchemaBytes));
    auto schema = schema_from_text(text);
    if (!schema) return std::move(schema).error().within("--schema " + schema_);
    options_.take_schema(*std::move(schema));
  }
  FROND_TRY(expect_parameters_of(*options_.schema, names_, /*flags=*/true));
  if (gpu_texts_ == "on")
    return Error(
        Code::kInvalid,
        "--gpu-texts on: the GPU knows no fields; leave it out, and the cores index a collection with a schema");
  return {};
}

constexpr std::uint64_t kLargeInput = std::uint64_t{256} << 20;  // it takes about a second to open a device

// About as many as the inputs have. Of many files not all are looked at: so many are large.
std::uint64_t BuildCommand::input_bytes() const {
  constexpr std::size_t kMaxFiles = 100'000;  // each of 2.6 KB would do
  std::uint64_t bytes = 0;
  std::size_t files = 0;
  std::error_code failed;
  const auto count = [&](const std::filesystem::path& file) {
    std::error_code unknown;
    const std::uint64_t size =
        std::filesystem::is_regular_file(file, unknown) ? std::filesystem::file_size(file, unknown) : 0;
    if (!unknown) bytes += size;
    return ++files > kMaxFiles;
  };
  for (const auto& input : invert_.inputs) {
    if (count(input)) return std::max(bytes, kLargeInput);
    auto folder = std::filesystem::recursive_directory_iterator(input, failed);
    for (; !failed && folder != std::filesystem::recursive_directory_iterator(); folder.increment(failed))
      if (count(folder->path())) return std::max(bytes, kLargeInput);
  }
  return bytes;
}

bool BuildCommand::orders_on_gpu() const {
  const auto order = options_.order;
  const bool bisects = order == order::DocumentOrder::kBisection || order == order::DocumentOrder::kAuto;
  return gpu_order_ == "on" || (gpu_order_ == "auto" && bisects);
}

// What flags say of devices.
Result<void> BuildCommand::name_devices() {
  const config::Gpus named = *config::parse_gpus(gpu_);  // was checked
  if (gpu_ != "auto" && gpu_device_flag_->given())
    return Error(Code::kInvalid, "--gpu and --gpu-device: give one of them");
  if (named.off && (gpu_texts_ == "on" || gpu_order_ == "on" || gpu_inverters_ > 0))
    return Error(Code::kInvalid, "--gpu off, but --gpu-texts, --gpu-order or --gpu-inverters asks for one");
  if (named.off) gpu_texts_ = gpu_order_ = "off";
  devices_ = gpu_device_flag_->given() ? std::vector<int>{invert_.gpu.device} : named.devices;
  if (!devices_.empty()) invert_.gpu.device = devices_.front();
  return {};
}

// Sets the devices of texts to those that are wanted, can be used, and have so much memory free; gives what the one
// with the least has. 0: there is none.
std::uint64_t BuildCommand::find_text_devices(std::uint64_t least_free) {
  std::vector<int> wanted = devices_, found;
  // Two H200s were a sixth slower than one (docs/measurements/indexing.md).
  const std::size_t most = gpu_ == "auto" ? 1 : config::kMaxGpus;
  if (wanted.empty())
    for (int device = 0; device < count_gpus(); ++device) wanted.push_back(device);
  std::uint64_t free = 0;
  for (const int device : wanted) {
    if (found.size() == most) break;
    const auto its = free_gpu_memory(device);
    if (!its || *its < least_free) {
      unused_devices_.emplace_back(device, its ? "it has too little free memory" : its.error().message());
      continue;
    }
    free = found.empty() ? *its : std::min(free, *its);
    found.push_back(device);
  }
  if (found.empty()) return 0;
  invert_.gpu.device = found.front();
  invert_.gpu.more_devices.assign(found.begin() + 1, found.end());
  return free;
}

// What no flag says of the GPU.
void BuildCommand::choose_gpu() {
  const auto choose = [this](const std::string& flag) { chosen_ += (chosen_.empty() ? "" : ", ") + flag; };
  const bool chooses_texts = gpu_texts_ == "auto";
  std::uint64_t free = 0, input = 0;
  if (chooses_texts) {
    gpu_texts_ = "off";
    const bool may = schema_.empty() && kind_ == Kind::kBuild && gpu_inverters_ == 0 &&
                     memory_limit_ >= pipeline::kMinMemoryLimitOfTexts;
    constexpr std::uint64_t kLeastFree = std::uint64_t{1} << 30;  // with less, cores are as fast
    if (may && (input = input_bytes()) >= kLargeInput && (free = find_text_devices(kLeastFree)) > 0) {
      gpu_texts_ = "on";
      choose("--gpu-texts on");
    }
  } else if (gpu_texts_ == "on") {
    input = input_bytes();
    free = find_text_devices(0);
  }
  if (gpu_texts_ == "on" && free > 0 && devices_.empty()) {
    std::string numbers = std::to_string(invert_.gpu.device);
    for (const int device : invert_.gpu.more_devices) numbers += "," + std::to_string(device);
    choose("--gpu " + numbers + " for " + std::to_string(input >> 20) + " MiB of texts");
  }
  if (invert_.gpu.bytes != config::kAutoBytes) return;
  invert_.gpu.bytes = invert::GpuMemory().bytes;
  if (gpu_texts_ == "off" && gpu_inverters_ == 0 && !orders_on_gpu()) return;  // no device is opened
  if (free == 0) {
    const auto its = free_gpu_memory(invert_.gpu.device);
    if (!its) return;
    free = *its;
  }
  invert_.gpu.bytes = free / 5 * 4 / std::max(1u, gpu_inverters_);
  if (gpu_texts_ == "on" || gpu_inverters_ > 0)
    choose("--gpu-memory " + std::to_string(invert_.gpu.bytes >> 20) + "MiB" +
           (invert_.gpu.more_devices.empty() ? "" : " of each"));
}

Result<void> BuildCommand::take_gpu() {
  const auto refuse = [](const std::string& why) { return Error(Code::kInvalid, why); };
  set_gpu_timeout(std::chrono::seconds(gpu_timeout_s_));
  FROND_TRY(name_devices());
  choose_gpu();
  if (gpu_inverters_ > 0) {
    const auto found = gpu_inverters(invert_.gpu.device);
    if (!found) return refuse("--gpu-inverters: " + found.error().message());
    invert_.gpu_inverter = *found;
  }
  if (gpu_texts_ == "on") {
    if (memory_limit_ < pipeline::kMinMemoryLimitOfTexts)
      return refuse("--memory-limit: at least 256MiB with --gpu-texts on");
    if (gpu_inverters_ > 0) return refuse("--gpu-texts on takes the place of --gpu-inverters: give one of them");
    const auto found = gpu_text_inverter(invert_.gpu.device);
    if (!found) return refuse("--gpu-texts: " + found.error().message());
    invert_.text_inverter = *found;
  }
  options_.reckons_with_gpu = gpu_order_ == "on";
  if (!orders_on_gpu()) return {};
  auto found = gpu_bisection(invert_.gpu);
  if (!found && gpu_order_ == "on") return refuse("--gpu-order: " + found.error().message());
  if (found) options_.gpu_bisect = *std::move(found);
  return {};
}

// Fills options_.
Result<void> BuildCommand::check() {
  const auto refuse = [](const std::string& why) { return Error(Code::kInvalid, why); };
  const auto format = ingest::format_named(format_);
  if (!format) return refuse("--format: '" + format_ + "' is none of " + ingest::format_names());
  invert_.format = *format;
  FROND_TRY(take_names());
  FROND_TRY(take_kind_and_order(names_, order_, options_));
  if (share_.empty() == no_publish_) return refuse("--partition and --no-publish go together");
  if (!share_.empty() && partitions_flag_->given())
    return refuse("--partitions is the publisher's when --partition is given");
  if (checkpoint_bytes_ == 0) return refuse("--checkpoint: at least 1; --resume off makes none");
  FROND_TRY(settle_memory_limit());
  FROND_TRY(expect_collection_name());
  FROND_TRY(settle_place());
  if (std::ranges::count(invert_.inputs, "-") > 1) return refuse("--input: - is given twice");
  std::ranges::replace(invert_.inputs, std::filesystem::path("-"), std::filesystem::path("/dev/stdin"));
  if (kind_ == Kind::kAdd) FROND_TRY(expect_collection());
  for (const auto& input : invert_.inputs)
    if (std::error_code failed; !std::filesystem::exists(input, failed))
      return refuse("--input: " + input.string() + " is not there");
  invert_.read.skip_unreadable = unreadable_files_ == "skip";
  invert_.parse.store_bodies = store_bodies_ == "on";
  FROND_TRY(take_schema());
  FROND_TRY(take_gpu());

  static_cast<change::ChangeOptions&>(options_) = target_;
  const bool gpu_texts = invert_.text_inverter != nullptr;
  if (!skipped_list_.empty()) invert_.read.list = std::make_shared<ingest::SkippedList>(skipped_list_);
  invert_.inverter = invert::inverter_with(cpu_dictionary_);
  invert_.memory =
      gpu_texts ? pipeline::plan_memory_of_texts(memory_limit_, parsers_, invert_.partitions,
                                                 1 + static_cast<std::uint32_t>(invert_.gpu.more_devices.size()))
                : pipeline::plan_memory(memory_limit_, parsers_, cpu_inverters_, invert_.partitions, gpu_inverters_);
  options_.threads = hardware_threads();
  options_.resume = resume_ == "auto";
  if (checkpoint_bytes_ != kUsualCheckpoint)
    options_.checkpoint_bytes = checkpoint_bytes_;
  else
    options_.checkpoint_bytes = gpu_texts ? BuildOptions::kUsualCheckpointBytesOfGpuTexts
                                          : BuildOptions::usual_checkpoint_bytes(options_.threads, memory_limit_);
  if (no_publish_) {
    const config::Shard share = *config::parse_shard(share_);  // was checked
    invert_.read.share = {share.number, share.count};
  }
  return {};
}

Result<std::string> BuildCommand::work(Logger& logger) {
  if (!chosen_.empty()) logger.info("chosen", {{"machine", this_machine().text()}, {"flags", chosen_}});
  for (const auto& [device, why] : unused_devices_)
    logger.log(gpu_ == "auto" ? LogLevel::kInfo : LogLevel::kWarn, "a GPU is not used",
               {{"device", std::to_string(device)}, {"reason", why}});
  pipeline::bound_unused_memory(memory_limit_);
  const auto stop = stop_on_signal();
  BuildProgress progress;
  std::shared_ptr<void> status;
  if (!http_.empty()) {
    auto made = serve_status(http_, progress, *target_.objects.access.counts, logger);
    if (!made) failed_code_ = 2;
    if (!made) return Error(Code::kInvalid, "--http: " + made.error().message());
    status = *std::move(made);
  }
  const auto built = [&] {
    const std::jthread line = progress_line(progress);
    if (kind_ == Kind::kAdd) return add(options_, progress, logger, stop);
    return no_publish_ ? build_share(options_, progress, logger, stop) : build(options_, progress, logger, stop);
  }();
  if (!built) return built.error();
  const std::string summary = json_ ? summary_json(*built) : summary_text(*built);
  if (!status) return summary;
  // The process ends before a scrape sees the last values, so the server stays for a while.
  std::cout << summary << std::endl;
  pause_for(std::chrono::seconds(http_linger_seconds_), stop);
  return std::string();
}

void add_build_commands(config::CommandLine& app, Commands& all) {
  all.push_back(std::make_unique<BuildCommand>(app, BuildCommand::Kind::kBuild));
  all.push_back(std::make_unique<BuildCommand>(app, BuildCommand::Kind::kAdd));
}

}  // namespace frond::indexer
