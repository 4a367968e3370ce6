#include "tools/papers/experiments/workbench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/codec/codec_choice.h"
#include "indexer/build/gpu_inverters.h"
#include "leaf/engines.h"
#include "tools/papers/index/indexing_results.h"
#include "tools/papers/intersect/intersection_set.h"
#include "tools/synth/collection/collection.h"

namespace frond::tools::papers {

using namespace bench;
namespace {

constexpr std::size_t kMaxRows = 7;           // of Figure 10 of Wei 2011, as there
constexpr std::string_view kRanked = "gov2";  // the collection of Ding 2009

// The workbench's user says that it is about the GPU.
std::string without_prefix(std::string message) {
  constexpr std::string_view kPrefix = "GPU: ";
  if (message.starts_with(kPrefix)) message.erase(0, kPrefix.size());
  return message;
}

std::uint32_t documents_of(const Sizes& sizes, std::string_view profile) {
  if (profile == "gov") return sizes.gov_documents;
  return profile == "gov2" ? sizes.gov2_documents : sizes.clueweb_documents;
}

// As figures.json calls the lists of a collection.
std::string set_name(std::string_view profile, synth::DocidOrder order, std::string_view kind) {
  const bool input = order == synth::DocidOrder::kInput;
  if (input && profile == "gov2") return fmt::format("index {}", kind);
  if (input && profile == "clueweb09") return fmt::format("clueweb09 {}", kind);
  return fmt::format("{}/{} {}", profile, input ? "input" : "random", kind);
}

// Lengths of the lists of the first queries that have at most so many postings together; 0 for other lists.
std::vector<std::uint32_t> lengths_of(const synth::QuerySet& drawn, std::uint64_t max_postings) {
  std::vector<std::uint32_t> lengths(drawn.list_lengths.size(), 0);
  std::uint64_t postings = 0;
  for (const auto& query : drawn.queries)
    for (const std::uint32_t list : query) {
      if (lengths[list] != 0 || postings + drawn.list_lengths[list] > max_postings) continue;
      lengths[list] = drawn.list_lengths[list];
      postings += lengths[list];
    }
  return lengths;
}

std::vector<const codec::ListCodec*> codecs_named(std::span<const std::string_view> names) {
  std::vector<const codec::ListCodec*> codecs;
  for (const std::string_view name : names) codecs.push_back(codec::codec_named(name));
  return codecs;
}

// Measures what is not known yet, all in one go, and gives all in the order of `names`.
template <class Timing, class Measure>
Result<std::vector<Timing>> known_or(std::map<std::pair<std::string, std::string_view>, Timing>& known,
                                     const std::string& set, std::span<const std::string_view> names,
                                     const Measure& measure) {
  std::vector<std::string_view> missing;
  for (const std::string_view name : names)
    if (!known.contains({set, name})) missing.push_back(name);
  if (!missing.empty()) {
    const std::vector<Timing> timings = FROND_TRY(measure(codecs_named(missing)));
    for (const Timing& timing : timings) known[{set, timing.codec->info().name}] = timing;
  }
  std::vector<Timing> all;
  for (const std::string_view name : names) all.push_back(known.at({set, name}));
  return all;
}

// Numbers of parsers from 1 to threads - 1, at most kMaxRows.
std::vector<std::uint32_t> rows_of(std::uint32_t threads) {
  std::vector<std::uint32_t> rows;
  const std::uint32_t most = threads - 1;
  const std::size_t count = std::min<std::size_t>(most, kMaxRows);
  for (std::size_t i = 0; i < count; ++i)
    rows.push_back(count == 1 ? 1 : static_cast<std::uint32_t>(1 + i * (most - 1) / (count - 1)));
  return rows;
}

}  // namespace

const Sizes& small_sizes() {
  static const Sizes kSmall{.name = "small",
                            .gov_documents = 0,
                            .gov2_documents = 1'000'000,
                            .clueweb_documents = 1'000'000,
                            .max_postings = 8'000'000,
                            .coded_queries = 200,
                            .searched_queries = 200,
                            .intersected_queries = 300,
                            .sparse = 16,
                            .dense = 25,
                            .lengths = {16, 18, 20, 22},
                            .pairs = {5'000, 50'000, 500'000, 4'000'000},
                            .thresholds = {1u << 14, 1u << 16, 1u << 18, 1u << 20},
                            .device_integers = std::uint64_t{1} << 25,
                            .gpu_bytes = std::size_t{4} << 30,
                            .rounds = 3,
                            .arrivals = 5'000,
                            .rates = 10,
                            .text_bytes = 30'000'000};
  return kSmall;
}

const Sizes& full_sizes() {
  static const Sizes kFull{
      .name = "full",
      .gov_documents = 0,
      .gov2_documents = 0,
      .clueweb_documents = 0,
      .max_postings = std::uint64_t{1} << 28,
      .coded_queries = 1'000,
      .searched_queries = 1'000,
      .intersected_queries = 10'000,
      .sparse = 16,
      .dense = 25,
      .lengths = {16, 17, 18, 19, 20, 21, 22, 23, 24, 25},
      .pairs = {5'000, 20'000, 80'000, 320'000, 1'280'000, 5'120'000, 16'000'000},
      .thresholds = {1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21},
      .device_integers = std::uint64_t{1} << 27,
      .gpu_bytes = std::size_t{32} << 30,
      .rounds = 5,
      .arrivals = 20'000,
      .rates = 16,
      .text_bytes = 2'000'000'000};
  return kFull;
}

Workbench::Workbench(Sizes sizes, unsigned threads, std::uint32_t seed, IndexingOptions indexing,
                     std::unique_ptr<ScratchFolder> scratch)
    : sizes_(std::move(sizes)),
      threads_(std::max(1u, threads)),
      seed_(seed),
      scratch_(std::move(scratch)),
      options_(std::move(indexing)) {
  if (auto described = describe_device())
    gpu_ = *std::move(described);
  else
    no_gpu_ = without_prefix(described.error().message());
}

Result<std::unique_ptr<Workbench>> Workbench::create(Sizes sizes, unsigned threads, std::uint32_t seed,
                                                     IndexingOptions indexing) {
  auto scratch = FROND_TRY(ScratchFolder::create());
  return std::unique_ptr<Workbench>(
      new Workbench(std::move(sizes), threads, seed, std::move(indexing), std::move(scratch)));
}

Result<const Workbench::Lists*> Workbench::lists(std::string_view profile_name, synth::DocidOrder order) {
  const std::string name = set_name(profile_name, order, "docids");
  if (const auto found = lists_.find(name); found != lists_.end()) return &found->second;
  const synth::Profile* profile = FROND_TRY(synth::profile_named(profile_name));
  const std::uint32_t asked = documents_of(sizes_, profile_name);
  const synth::CollectionSize size{profile, asked > 0 ? asked : profile->documents, order, seed_};
  const synth::QuerySet drawn = synth::draw_queries(*profile, size.documents, sizes_.coded_queries, seed_);
  const auto lengths = lengths_of(drawn, sizes_.max_postings);
  Lists made{{name, codec::Numbers::kDocIds, {}},
             {set_name(profile_name, order, "freqs"), codec::Numbers::kFrequencies, {}}};
  made.docids.lists.resize(lengths.size());
  made.frequencies.lists.resize(lengths.size());
  draw_lists(size, lengths, threads_, [&](std::size_t l, synth::Postings postings) {
    made.docids.lists[l] = std::move(postings.docids);
    made.frequencies.lists[l] = std::move(postings.frequencies);
  });
  const auto is_short = [](const auto& list) { return list.size() < codec::kBlockLength; };
  std::erase_if(made.docids.lists, is_short);
  std::erase_if(made.frequencies.lists, is_short);
  if (made.docids.lists.empty()) return Error(Code::kInvalid, name + ": no list is long enough");
  return &lists_.emplace(name, std::move(made)).first->second;
}

const IntegerSet& Workbench::synthetic(std::string_view model, unsigned log2_count) {
  const std::string name = fmt::format("{} {}", model, log2_count);
  const auto found = synthetic_.find(name);
  return found != synthetic_.end() ? found->second
                                   : synthetic_.emplace(name, synthetic_set(model, log2_count, seed_)).first->second;
}

Result<std::vector<CodecTiming>> Workbench::codecs(const IntegerSet& set, std::span<const std::string_view> codecs) {
  return known_or(codecs_, set.name, codecs,
                  [&](const auto& missing) { return time_codecs(set, missing, sizes_.rounds); });
}

Result<std::vector<DeviceCodecTiming>> Workbench::device_codecs(const IntegerSet& set,
                                                                std::span<const std::string_view> codecs) {
  return known_or(device_codecs_, set.name, codecs, [&](const auto& missing) {
    return time_codecs_on_device(set, missing, sizes_.rounds, sizes_.device_integers);
  });
}

Result<const IntersectionSet*> Workbench::gov(synth::DocidOrder order) {
  if (const auto found = gov_.find(order); found != gov_.end()) return &found->second;
  auto made = FROND_TRY(make_intersection_set({.profile = "gov",
                                               .order = order,
                                               .documents = sizes_.gov_documents,
                                               .queries = sizes_.intersected_queries,
                                               .seed = seed_,
                                               .threads = threads_}));
  return &gov_.emplace(order, std::move(made)).first->second;
}

IntersectionOptions Workbench::intersection_options(unsigned threads) const {
  IntersectionOptions options;
  options.rounds = sizes_.rounds;
  options.threads = threads > 0 ? threads : threads_;
  return options;
}

Result<IntersectionTiming> Workbench::intersect_on_cpu(const IntersectionSet& set, Method method, unsigned threads) {
  const auto options = intersection_options(threads);
  const std::string key = fmt::format("{} {} {}", set.name, name_of(method), options.threads);
  if (const auto found = on_cpu_.find(key); found != on_cpu_.end()) return found->second;
  return on_cpu_.emplace(key, FROND_TRY(time_on_cpu(set, method, options))).first->second;
}

Result<IntersectionTiming> Workbench::intersect_by_engine(const IntersectionSet& set, unsigned threads) {
  const std::string key = fmt::format("{} engine {}", set.name, threads);
  if (const auto found = on_cpu_.find(key); found != on_cpu_.end()) return found->second;
  return on_cpu_.emplace(key, FROND_TRY(time_cpu_engine(set, intersection_options(threads)))).first->second;
}

Result<std::vector<IntersectionTiming>> Workbench::intersect_on_gpu(const IntersectionSet& set, Method method,
                                                                    std::span<const std::uint32_t> thresholds) {
  const std::string key = fmt::format("{} {} {}", set.name, name_of(method), fmt::join(thresholds, ","));
  if (const auto found = on_gpu_.find(key); found != on_gpu_.end()) return found->second;
  auto options = intersection_options(threads_);
  options.thresholds.assign(thresholds.begin(), thresholds.end());
  return on_gpu_.emplace(key, FROND_TRY(time_on_gpu(set, method, options))).first->second;
}

Result<const Workbench::Searches*> Workbench::searches() {
  if (searches_) return searches_.get();
  const synth::Profile* profile = FROND_TRY(synth::profile_named(kRanked));
  const std::uint32_t asked = documents_of(sizes_, kRanked);
  const synth::CollectionSize size{profile, asked > 0 ? asked : profile->documents, synth::DocidOrder::kInput, seed_};
  const auto codecs = FROND_TRY(codec::codec_choice_named(codec::kDefaultCodec));
  const auto made = FROND_TRY(synth::synthesize({.size = size,
                                                 .repository = scratch_->path() / "repository",
                                                 .collection = std::string(kRanked),
                                                 .queries = sizes_.searched_queries,
                                                 .codecs = codecs,
                                                 .threads = threads_},
                                                {}));
  const auto searcher = FROND_TRY(PartitionSearcher::open(
      {.repository = (scratch_->path() / "repository").string(), .collection = std::string(kRanked)}));
  const auto queries = FROND_TRY(parse_queries(synth::query_lines(made.queries), "", searcher->analyzer()));
  const auto cpu = FROND_TRY(leaf::engine_named(leaf::kDefaultEngine));
  std::unique_ptr<BenchGpu> gpu;
  if (has_gpu()) gpu = FROND_TRY(make_bench_gpu({.memory_bytes = sizes_.gpu_bytes, .timed = true}, *cpu));
  auto searches = std::make_unique<Searches>();
  searches->documents = size.documents;
  searches->postings = made.manifest.postings;
  const ProcessorOptions options{.modes = {BenchMode::kAnd, BenchMode::kOr, BenchMode::kAuto},
                                 .ks = {10},
                                 .batches = {64},
                                 .threads = threads_,
                                 .rounds = sizes_.rounds,
                                 .seconds = 0.2,
                                 .steps = true};
  searches->summary = FROND_TRY(measure_processors(
      *searcher, queries, options, {cpu.get(), gpu.get()},
      {.say = {}, .row = [&](const ProcessorRow& row) { searches->rows.push_back(row); }, .by_postings = {}}));
  searches_ = std::move(searches);
  return searches_.get();
}

Result<const IndexingResults*> Workbench::indexing() {
  if (indexing_) return indexing_.get();
  IndexingOptions options = options_;
  if (options.inputs.empty()) options.synth_bytes = sizes_.text_bytes;
  options.threads = std::max(2u, threads_);
  if (options.rows.empty()) options.rows = rows_of(options.threads);
  options.rounds = sizes_.rounds;
  if (!options.gpu_inverter) options.gpu_inverter = indexer::gpu_inverters(options.gpu.device);
  indexing_ = std::make_unique<IndexingResults>(FROND_TRY(measure_indexing(options)));
  return indexing_.get();
}

}  // namespace frond::tools::papers
