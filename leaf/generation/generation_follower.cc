#include "leaf/generation/generation_follower.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "common/base/threads/thread_name.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf::generation {
namespace {

// Messages of a server that does not answer differ from poll to poll by milliseconds and attempts.
std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

}  // namespace

GenerationFollower::GenerationFollower(Options options, const repository::RepositorySource& source,
                                       const DataFolder& data, GenerationLoader& loader, ServedBoard& board,
                                       const BrokerRoll& brokers, const Clock& clock, Logger& log,
                                       metrics::Registry* registry)
    : options_(std::move(options)),
      source_(source),
      data_(data),
      loader_(loader),
      board_(board),
      brokers_(brokers),
      clock_(clock),
      log_(log) {
  if (registry == nullptr) return;
  static constexpr double kLoadSeconds[] = {0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1200, 3600};
  refused_total_ = registry->counter(families::kGenerationRefused, options_.labels);
  unread_total_ = registry->counter(families::kRepositoryFailures, options_.labels);
  mended_total_ = registry->counter(families::kMended, options_.labels);
  damaged_ = registry->gauge(families::kDamaged, options_.labels);
  generation_ = registry->gauge(families::kGeneration, options_.labels);
  generations_ = registry->gauge(families::kGenerationsServed, options_.labels);
  partitions_ = registry->gauge(families::kPartitions, options_.labels);
  documents_ = registry->gauge(families::kDocuments, options_.labels);
  superseded_age_ = registry->gauge(families::kSupersededAge, options_.labels);
  brokers_heard_ = registry->gauge(families::kBrokers, options_.labels);
  disk_free_ = registry->gauge(families::kDiskFree);
  load_time_ = registry->histogram(families::kGenerationLoad, kLoadSeconds, options_.labels);
}

void GenerationFollower::run() {
  name_this_thread("leaf-follower");
  yield_to_others(5);  // searches come first; with free cores it makes no difference
  auto poll_at = std::chrono::steady_clock::now();
  do {
    const bool polls = std::chrono::steady_clock::now() >= poll_at;
    try {
      polls ? step() : look();
    } catch (const std::exception& e) {
      log_.error("following the repository failed", {{"error", e.what()}});
    }
    if (polls) poll_at = std::chrono::steady_clock::now() + options_.poll;
  } while (thread_.pause_until(poll_at));
}

void GenerationFollower::step() {
  if (!std::exchange(begun_, true)) serve_remembered();
  retire();
  advance();
  hear_of_damage();
  mend();
  delete_unused();
  measure();
  if (options_.at_poll) options_.at_poll(*board_.get());
}

void GenerationFollower::look() {
  retire();
  advance();
  if (hear_of_damage()) mend();
  delete_unused();
  measure();
}

// Loads the current generation first, so that searches can be answered early.
void GenerationFollower::serve_remembered() {
  if (const Result<std::string> kept = data_.remembered()) {
    if (auto loaded = load_remembered(*kept)) {
      const GenerationId id = loaded->id();
      take(std::move(loaded));
      remember(id, *kept);  // earlier versions wrote only SERVED
    }
  }
  ServedSet superseded;
  for (const std::string& kept : data_.kept_manifests()) {
    if (auto loaded = load_remembered(kept)) {
      loaded->last_used.store(clock_.now(), std::memory_order_relaxed);
      superseded.push_back(std::move(loaded));
    }
  }
  const auto current = board_.get();
  if (superseded.empty()) return;
  for (const auto& one : superseded) superseded_.emplace(one->id(), clock_.now());
  superseded.insert(superseded.end(), current->begin(), current->end());
  superseded_.erase(superseded.back()->id());
  board_.put(std::move(superseded));
}

// Null: already served, another collection's, not complete on disk, or it failed to load.
std::shared_ptr<const ServedGeneration> GenerationFollower::load_remembered(const std::string& text) {
  const Result<repository::Manifest> manifest = repository::manifest_from_json(text);
  if (!manifest || manifest->collection != options_.collection || !loader_.on_disk(*manifest)) return nullptr;
  const auto set = board_.get();
  const GenerationId id{manifest->generation, manifest->content};
  if (std::any_of(set->begin(), set->end(), [&](const auto& one) { return one->id() == id; })) return nullptr;
  auto loaded = loader_.load(*manifest, *set, [this] { return thread_.stopping(); });
  if (loaded) return std::move(*loaded);
  // It may load at the next start, so its files stay until another generation comes.
  if (loaded.error().code() != Code::kCorrupt && loaded.error().code() != Code::kInvalid) swept_ = true;
  return nullptr;
}

void GenerationFollower::advance() {
  const Result<Generation> current = source_.current();
  if (!current) return refuse({}, current.error());
  const Instant now = clock_.now();
  if (*current == looked_at_ && now < look_again_) {
    if (refused_.number == 0) settle();
    return;
  }
  looked_at_ = *current;
  const Result<std::string> text = source_.manifest_text(*current);
  if (!text) return refuse({*current, 0}, text.error());
  // A manifest may be several megabytes. A large one is not read at every poll.
  look_again_ = now + std::max<std::chrono::milliseconds>(
                          options_.poll, std::chrono::milliseconds(text->size() * 1000 / kManifestBytesASecond));
  const Result<repository::Manifest> manifest = source_.parse_manifest(*current, *text);
  if (!manifest) return refuse({*current, 0}, manifest.error());
  load(*manifest, *text);
}

// Makes the manifest's generation the current one on this leaf. No-op if it is already.
void GenerationFollower::load(const repository::Manifest& manifest, const std::string& text) {
  const GenerationId id{manifest.generation, manifest.content};
  const auto set = board_.get();
  if (!set->empty() && set->back()->id() == id) {
    if (!std::exchange(swept_, true)) sweep(nullptr);  // what an earlier process left
    return settle();
  }
  const auto known = std::find_if(set->begin(), set->end(), [&](const auto& one) { return one->id() == id; });
  if (known != set->end()) {
    take(*known);
    sweep(nullptr);  // deletes the partial files of an abandoned generation
    return remember(id, text);
  }
  // Frees disk space: deletes files left by an earlier process and by abandoned generations.
  sweep(&manifest);
  make_room(manifest);
  const Instant before = clock_.now();
  auto loaded = loader_.load(manifest, *board_.get(), [this] { return thread_.stopping(); });
  if (!loaded) {
    if (thread_.stopping()) return;
    swept_ = false;  // what was begun goes where the one before becomes the current one again
    return refuse(id, loaded.error());
  }
  load_time_.observe(std::chrono::duration<double>(clock_.now() - before).count());
  take(std::move(*loaded));
  remember(id, text);
}

// The current generation is served: clears the refusal.
void GenerationFollower::settle() {
  refused_ = {};
  refused_why_.clear();
  board_.set_detail(what_is_kept());
}

// Best effort: without the saved manifest the next leaf process on this folder must wait for the repository.
void GenerationFollower::remember(const GenerationId& id, const std::string& manifest) {
  Result<void> kept = data_.remember(manifest);
  if (kept) kept = data_.keep_manifest(id, manifest);
  if (!kept) log_.warn("the generation served is not remembered", {{"error", kept.error().message()}});
}

void GenerationFollower::take(std::shared_ptr<const ServedGeneration> generation) {
  if (options_.before_serving)
    options_.before_serving(*generation, *board_.get(), [this] { return thread_.stopping(); });
  ServedSet next = *board_.get();
  std::erase_if(next, [&](const auto& one) { return one->id() == generation->id(); });
  if (!next.empty() && superseded_.emplace(next.back()->id(), clock_.now()).second)
    next.back()->last_used.store(clock_.now(), std::memory_order_relaxed);
  superseded_.erase(generation->id());
  generation->leaving_since.store(Instant::max(), std::memory_order_relaxed);
  next.push_back(generation);
  std::uint64_t documents = 0;
  for (const ServedPartition& one : generation->partitions) {
    retired_.erase(one.open->id());
    documents += one.documents();
  }
  board_.put(std::move(next));
  settle();
  if (options_.on_change) options_.on_change();
  log_.info("serving a generation", {{"generation", std::to_string(generation->generation)},
                                     {"content", to_hex(generation->content)},
                                     {"partitions", std::to_string(generation->partitions.size())},
                                     {"partitions_total", std::to_string(generation->partitions_total)},
                                     {"documents", std::to_string(documents)}});
}

void GenerationFollower::refuse(const GenerationId& id, const Error& why) {
  const std::string told = id.number == 0 ? "repository: " + why.message() : name_of(id) + " refused: " + why.message();
  board_.set_detail(told);
  if (id.number != 0) {
    refused_total_.add();
    back_off_ = refused_ == id ? std::min(kLongestBackOff, back_off_ * 2) : options_.poll;
    look_again_ = clock_.now() + back_off_;
    refused_ = id;
  }
  if (id.number == 0 && why.code() != Code::kNotFound) unread_total_.add();  // not found: nothing is published
  const std::string reason = id.number == 0 ? without_digits(told) : told;
  if (reason == refused_why_) return;
  refused_why_ = reason;
  log_.error("staying with what is served", {{"reason", told}});
}

}  // namespace frond::leaf::generation
