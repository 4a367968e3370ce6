#include <algorithm>
#include <iostream>

#include "common/base/machine.h"
#include "common/config/options.h"
#include "common/files/read.h"
#include "common/schema/schema_json.h"
#include "indexer/build/build.h"
#include "indexer/build/gpu_inverters.h"
#include "indexer/build/schema_inference.h"
#include "indexer/commands/build_report.h"
#include "indexer/commands/command.h"
#include "indexer/ingest/formats/csv.h"
#include "indexer/ingest/formats/formats.h"

namespace frond::indexer {
namespace {

// `build` and `add`, which has the same flags but for those that are the collection's.
class BuildCommand final : public Command {
 public:
  enum class Kind : std::uint8_t { kBuild, kAdd };
  BuildCommand(config::CommandLine& app, Kind kind)
      : Command(app, kind == Kind::kBuild ? "build" : "add",
                kind == Kind::kBuild
                    ? "Indexes documents and publishes them as a new generation, which replaces the current one"
                    : "Indexes documents and publishes them with those of the current generation; documents that have "
                      "their ids are replaced"),
        kind_(kind) {
    invert_.max_bad_records = 1000;
    invert_.gpu.bytes = config::kAutoBytes;
    add_place_flags();
    add_input_flags();
    partitions_flag_ = &number("--partitions", invert_.partitions, 1, 256, "Partitions that documents are dealt to")
                            .group("Resources");
    if (kind == Kind::kBuild) add_share_flags();
    add_resource_flags();
    if (kind == Kind::kBuild) add_collection_flags();
    add_other_flags();
    add_run_flags();
  }

 private:
  void add_input_flags();
  void add_share_flags();
  void add_resource_flags();
  void add_collection_flags();
  void add_other_flags();
  void add_run_flags();
  Result<void> check() override;
  Result<void> take_names();
  Result<void> take_schema();
  bool is_large() const;
  bool orders_on_gpu() const;
  void choose_gpu();
  Result<void> take_gpu();
  Result<std::string> work(Logger& logger) override;

  const Kind kind_;
  const config::Flag* partitions_flag_ = nullptr;
  BuildOptions options_;
  pipeline::InvertOptions& invert_ = options_.invert;
  std::string format_{ingest::kAutoFormat}, share_;
  std::string order_{name_of(order::DocumentOrder::kInput)};
  CollectionNames names_;
  std::uint32_t parsers_ = std::min(256u, hardware_threads());
  std::uint32_t cpu_inverters_ = std::clamp(hardware_threads() / 3, 1u, 256u);
  std::string cpu_dictionary_{invert::kUsualCpuDictionary}, store_bodies_ = "on";
  std::uint32_t gpu_inverters_ = 0, gpu_timeout_s_ = 30;
  std::string gpu_texts_ = "auto", gpu_order_ = "auto";
  std::string resume_ = "auto";
  static constexpr std::uint64_t kUsualCheckpoint = ~std::uint64_t{0};
  std::uint64_t checkpoint_bytes_ = kUsualCheckpoint;
  std::string id_field_, title_field_, url_field_;
  std::vector<std::string> text_fields_;
  std::string schema_;
  std::filesystem::path skipped_list_;
  std::string unreadable_files_ = "fail";
  bool no_publish_ = false;
  std::string http_;
  std::uint32_t http_linger_seconds_ = 0;
};

void BuildCommand::add_input_flags() {
  line_
      .add_option("--input", invert_.inputs,
                  "Files and folders to index, in this order; gzip, zstd, bzip2 and xz are told by "
                  "content; - is standard input; may be given again")
      .required()
      .type_name("PATH");
  line_
      .add_option("--format", format_,
                  "Format of the input: " + ingest::format_names() +
                      ". auto tells each file's from its content and name; files: each file is a document")
      .show_default()
      .group("Documents");
  line_.add_flag("--hidden", invert_.read.hidden,
                 "Index files and folders whose names begin with a dot, too; without it those inside a folder are "
                 "passed over");
  line_.add_flag("--make-ids", invert_.parse.make_ids,
                 "Records without an id get one that is made from their content: the same content has the same id, so "
                 "that a second record of it is a duplicate");
  line_
      .add_option("--schema", schema_,
                  kind_ == Kind::kBuild
                      ? "What the fields of documents are, as a file of JSON; infer: found out from the input, and "
                        "printed; default: documents have the usual texts only"
                      : "The collection's schema with more fields, as a file of JSON; default: the collection's")
      .type_name(kind_ == Kind::kBuild ? "FILE|infer" : "FILE")
      .group("Documents");
  line_.add_flag("--coerce", invert_.parse.coerce,
                 "Values that are none of their column's type in the schema are taken from other types where they can "
                 "be (\"2010\" is 2010), and left out where they can't; without it such a record is a bad one");
  line_.add_option("--prior-field", invert_.parse.prior_field,
                   "The field of JSON records that holds a document's static prior, a number from 0 to 1000 that is "
                   "added to its scores; a record without it has 0; default: no document has a prior");
  line_
      .add_option("--id-field", id_field_,
                  "The field of JSON, or column of CSV, that holds a document's id, instead of the usual names. For "
                  "JSON, article.id is a path: id in the object article")
      .group("Documents");
  line_.add_option("--title-field", title_field_, "The same for the title").group("Documents");
  line_
      .add_option("--text-field", text_fields_,
                  "The same for the text; may be given again: then each that is there becomes lines of the text")
      .group("Documents");
  line_.add_option("--url-field", url_field_, "The same for the URL");
}

void BuildCommand::add_share_flags() {
  line_
      .add_option("--partition", share_,
                  "I/N: build only partition I of N, from its share of the input: whole files, about as many bytes as "
                  "the others have. All builders must see the same input and be given the same options")
      .check(config::shard());
  line_.add_flag("--no-publish", no_publish_,
                 "With --partition: keep the partition for frond-indexer publish --partitions P");
}

void BuildCommand::add_resource_flags() {
  line_.add_option("--parsers", parsers_, "Parser threads")
      .check(config::range(1, 256))
      .show_default("one for each core");
  line_.add_option("--cpu-inverters", cpu_inverters_, "Inverter threads on the CPU")
      .check(config::range(1, 256))
      .show_default("a third of the cores");
  choice("--cpu-dictionary", cpu_dictionary_, {"hash", "btree"},
         "What an inverter on the CPU finds terms by: hash, the faster one, or btree, the paper's; the index is the "
         "same");
  number("--gpu-inverters", gpu_inverters_, 0, 64,
         "Inverter threads with a GPU each, which take the trie collections of less frequent terms, those on the CPU "
         "the hundred most frequent ones. The index is the same; if the GPU fails, the build goes on without it");
  choice(
      "--gpu-texts", gpu_texts_, {"auto", "on", "off"},
      "on: the GPU analyzes texts and makes the postings, in place of all inverters; parsers only copy texts; the "
      "index is the same. Needs --memory-limit of 256MiB, and no --schema. auto: on where there is a GPU and 256 MiB "
      "of input; auto|on|off")
      .group("Resources");
  choice("--gpu-order", gpu_order_, {"auto", "on", "off"},
         "Whether a GPU bisects for --order bp and auto; the order is the same. It takes 16 bytes of "
         "--gpu-memory a posting of frequent terms and 36 a document. auto: if there is one; on: --order auto also "
         "reckons with its time, so that it chooses bisection more often; auto|on|off");
  line_.add_option("--gpu-device", invert_.gpu.device, "The number of the GPU that these use").show_default();
  line_
      .add_option(
          "--gpu-memory", invert_.gpu.bytes,
          "Memory of the GPU for each inverter on it, for texts, or for bisection; auto: four fifths of what is "
          "free, divided among the inverters")
      .transform(config::byte_size_or_auto())
      .show_default("auto");
  number("--gpu-timeout-seconds", gpu_timeout_s_, 1, 3600,
         "How long the GPU may take for one step. Then the build goes on without it, from what is still in memory; the "
         "index is the same");
  add_memory_limit(
      "Resident memory of the build, at least 128MiB; what does not fit goes to disk below the repository");
  add_disk_reserve_flag(target_.disk_reserve);
}

// What all documents of a collection have in common.
void BuildCommand::add_collection_flags() {
  line_
      .add_option("--codec", names_.codec,
                  "Codec of posting lists: a codec's name; DOCIDS,FREQUENCIES, two of them; or auto, for each list the "
                  "smallest of the fast ones")
      .show_default();
  choice("--stored-compression", names_.stored_compression, {"small", "fast"},
         "Stored fields: small, or fast, which takes a third of the time and up to half as much space again; "
         "small|fast");
  add_analyzer_flags(line_, names_, "How text becomes terms, of which a collection and its queries have one kind");
  add_bm25_flags(line_, names_);
}

void BuildCommand::add_other_flags() {
  line_
      .add_option("--order", order_,
                  "Order of the documents, which decides how small lists become and which of equally good "
                  "hits comes first: " +
                      std::string(order::kOrderNames))
      .show_default();
  choice("--store-bodies", store_bodies_, {"on", "off"},
         "off: bodies are indexed, not stored: hits come with id, title and URL, without a snippet; on|off");
  choice("--unreadable-files", unreadable_files_, {"fail", "skip"},
         "What the build does at a file that can't be opened or read, or a folder that can't be listed: fail, "
         "and nothing is published; skip: it is reported as a bad record");
  line_
      .add_option("--skipped", skipped_list_,
                  "Write all skipped files here: a line with the reason, a tab, and the path for each; default: only "
                  "three for each reason are named")
      .type_name("FILE");
  line_
      .add_option("--max-bad-records", invert_.max_bad_records,
                  "Malformed records that are reported and skipped; one more ends the build and nothing is published. "
                  "Duplicate ids do not count: the first stays")
      .show_default();
}

// How the command runs, whatever it builds.
void BuildCommand::add_run_flags() {
  choice("--resume", resume_, {"auto", "off"},
         "auto: goes on with a build of the same inputs and options that was killed, from its last checkpoint; off: "
         "begins anew, and cannot be gone on with; auto|off");
  line_
      .add_option(
          "--checkpoint", checkpoint_bytes_,
          "Bytes of input, decompressed, between checkpoints: as much may be lost when the build is killed. A "
          "build of less input begins anew. 1GiB for each core, 4GiB to 16GiB, or --memory-limit, if that is more, up "
          "to four times as much; 64GiB with --gpu-texts on. "
          "Postings that fit stay in memory, or on the GPU, until there is a checkpoint")
      .transform(config::byte_size());
  line_.add_flag("--json", json_, "Print the summary as one JSON object");
  line_.add_option("--http", http_, "Serve /metrics and /livez of the build here while it runs; default: nowhere")
      .type_name("HOST:PORT");
  number("--http-linger-seconds", http_linger_seconds_, 0, 3600,
         "With --http: stay so long after a build that published, for a last scrape");
}

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

// Whether the inputs are worth a device: it takes about a second to open one.
bool BuildCommand::is_large() const {
  constexpr std::uint64_t kLarge = std::uint64_t{256} << 20;
  constexpr std::size_t kMaxFiles = 100'000;  // that are looked at; of more, each of 2.6 KB would do
  std::uint64_t bytes = 0;
  std::size_t files = 0;
  std::error_code failed;
  const auto count = [&](const std::filesystem::path& file) {
    std::error_code unknown;
    const std::uint64_t size =
        std::filesystem::is_regular_file(file, unknown) ? std::filesystem::file_size(file, unknown) : 0;
    if (!unknown) bytes += size;
    return ++files > kMaxFiles || bytes >= kLarge;
  };
  for (const auto& input : invert_.inputs) {
    if (count(input)) return true;
    auto folder = std::filesystem::recursive_directory_iterator(input, failed);
    for (; !failed && folder != std::filesystem::recursive_directory_iterator(); folder.increment(failed))
      if (count(folder->path())) return true;
  }
  return false;
}

bool BuildCommand::orders_on_gpu() const {
  const auto order = options_.order;
  const bool bisects = order == order::DocumentOrder::kBisection || order == order::DocumentOrder::kAuto;
  return gpu_order_ == "on" || (gpu_order_ == "auto" && bisects);
}

// What no flag says of the GPU.
void BuildCommand::choose_gpu() {
  if (gpu_texts_ == "auto") {
    const bool wanted = schema_.empty() && kind_ == Kind::kBuild && gpu_inverters_ == 0 &&
                        memory_limit_ >= pipeline::kMinMemoryLimitOfTexts && is_large();
    constexpr std::uint64_t kLeastFree = std::uint64_t{1} << 30;  // with less, cores are as fast
    gpu_texts_ = "off";
    if (wanted)
      if (const auto free = free_gpu_memory(invert_.gpu.device); free && *free >= kLeastFree) gpu_texts_ = "on";
    if (gpu_texts_ == "on") chosen_ += std::string(chosen_.empty() ? "" : ", ") + "--gpu-texts on";
  }
  if (invert_.gpu.bytes != config::kAutoBytes) return;
  invert_.gpu.bytes = invert::GpuMemory().bytes;
  if (gpu_texts_ == "off" && gpu_inverters_ == 0 && !orders_on_gpu()) return;  // no device is opened
  const auto free = free_gpu_memory(invert_.gpu.device);
  if (!free) return;
  invert_.gpu.bytes = *free / 5 * 4 / std::max(1u, gpu_inverters_);
  if (gpu_texts_ == "on" || gpu_inverters_ > 0)
    chosen_ +=
        std::string(chosen_.empty() ? "" : ", ") + "--gpu-memory " + std::to_string(invert_.gpu.bytes >> 20) + "MiB";
}

Result<void> BuildCommand::take_gpu() {
  const auto refuse = [](const std::string& why) { return Error(Code::kInvalid, why); };
  set_gpu_timeout(std::chrono::seconds(gpu_timeout_s_));
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
      gpu_texts ? pipeline::plan_memory_of_texts(memory_limit_, parsers_, invert_.partitions)
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
  change::pause_for(std::chrono::seconds(http_linger_seconds_), stop);
  return std::string();
}

}  // namespace

void add_build_commands(config::CommandLine& app, Commands& all) {
  all.push_back(std::make_unique<BuildCommand>(app, BuildCommand::Kind::kBuild));
  all.push_back(std::make_unique<BuildCommand>(app, BuildCommand::Kind::kAdd));
}

}  // namespace frond::indexer
