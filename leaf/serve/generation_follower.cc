#include "leaf/serve/generation_follower.h"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "common/base/thread_name.h"
#include "common/metrics/leaf_families.h"

namespace frond::leaf {
namespace {
constexpr std::chrono::milliseconds kLongestBackOff{60'000};

}  // namespace

GenerationFollower::GenerationFollower(Options options, const repository::RepositorySource& source,
                                       const DataFolder& data, GenerationLoader& loader, ServedBoard& board,
                                       const Clock& clock, Logger& log, metrics::Registry* registry)
    : options_(std::move(options)),
      source_(source),
      data_(data),
      loader_(loader),
      board_(board),
      clock_(clock),
      log_(log) {
  if (registry == nullptr) return;
  namespace names = metrics::leaf;
  static constexpr double kLoadSeconds[] = {0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1200, 3600};
  refused_total_ = registry->counter(names::kGenerationRefused);
  generation_ = registry->gauge(names::kGeneration);
  generations_ = registry->gauge(names::kGenerationsServed);
  partitions_ = registry->gauge(names::kPartitions);
  documents_ = registry->gauge(names::kDocuments);
  load_time_ = registry->histogram(names::kGenerationLoad, kLoadSeconds);
}

GenerationFollower::~GenerationFollower() {
  {
    const MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void GenerationFollower::start() {
  {
    const MutexLock lock(mutex_);
    ended_ = false;
  }
  thread_ = std::thread([this] { run(); });
}

bool GenerationFollower::stop(std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  stop_ = true;
  changed_.notify_all();
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!ended_)
    if (changed_.wait_until(lock.mutex(), until) == std::cv_status::timeout) return ended_;
  return true;
}

bool GenerationFollower::stopping() const {
  const MutexLock lock(mutex_);
  return stop_;
}

void GenerationFollower::run() {
  name_this_thread("leaf-follower");
  for (;;) {
    try {
      step();
    } catch (const std::exception& e) {
      log_.error("following the repository failed", {{"error", e.what()}});
    }
    MutexLock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + options_.poll;
    while (!stop_ && changed_.wait_until(lock.mutex(), until) != std::cv_status::timeout) {
    }
    if (!stop_) continue;
    ended_ = true;
    changed_.notify_all();
    return;
  }
}

void GenerationFollower::step() {
  if (!std::exchange(begun_, true)) serve_remembered();
  retire();
  advance();
  delete_unused();
  measure();
}

void GenerationFollower::serve_remembered() {
  const Result<std::string> kept = data_.remembered();
  if (!kept) return;
  const Result<repository::Manifest> manifest = repository::manifest_from_json(*kept);
  if (!manifest || manifest->collection != options_.collection || !loader_.on_disk(*manifest)) return;
  auto loaded = loader_.load(*manifest, {}, [this] { return stopping(); });
  if (loaded) take(std::move(*loaded));
}

void GenerationFollower::advance() {
  const auto set = board_.get();
  const Generation serving = set->empty() ? 0 : set->back()->generation;
  const Result<Generation> current = source_.current();
  if (!current) return refuse(0, current.error());
  if (*current == serving) {
    refused_ = 0;
    refused_why_.clear();
    board_.set_detail({});
    return;
  }
  if (*current == refused_ && clock_.now() < retry_at_) return;
  const auto known =
      std::find_if(set->begin(), set->end(), [&](const auto& one) { return one->generation == *current; });
  const Result<repository::Manifest> manifest = source_.manifest(*current);
  if (known != set->end()) {
    take(*known);
    sweep(nullptr);  // the one that was given up
    if (manifest) remember(*manifest);
    return;
  }
  if (!manifest) return refuse(*current, manifest.error());
  // What an earlier process left behind, or an attempt at a generation that was given up, would fill the disk.
  sweep(&*manifest);
  const Instant before = clock_.now();
  auto loaded = loader_.load(*manifest, *set, [this] { return stopping(); });
  if (!loaded) {
    if (!stopping()) refuse(*current, loaded.error());
    return;
  }
  load_time_.observe(std::chrono::duration<double>(clock_.now() - before).count());
  take(std::move(*loaded));
  remember(*manifest);
}

// Best effort: without it the next leaf here waits for the repository.
void GenerationFollower::remember(const repository::Manifest& manifest) {
  const Result<void> kept = data_.remember(repository::to_json(manifest));
  if (!kept) log_.warn("the generation served is not remembered", {{"error", kept.error().message()}});
}

void GenerationFollower::take(std::shared_ptr<const ServedGeneration> generation) {
  ServedSet next = *board_.get();
  std::erase_if(next, [&](const auto& one) { return one->generation == generation->generation; });
  if (!next.empty()) next.back()->last_used.store(clock_.now(), std::memory_order_relaxed);  // superseded now
  next.push_back(generation);
  std::uint64_t documents = 0;
  for (const ServedPartition& one : generation->partitions) {
    retired_.erase(one.open->id());
    documents += one.open->partition().documents();
  }
  board_.put(std::move(next));
  board_.set_detail({});
  refused_ = 0;
  refused_why_.clear();
  log_.info("serving a generation", {{"generation", std::to_string(generation->generation)},
                                     {"partitions", std::to_string(generation->partitions.size())},
                                     {"partitions_total", std::to_string(generation->partitions_total)},
                                     {"documents", std::to_string(documents)}});
}

// Removes what is neither served, nor held by a query, nor of the generation that is wanted next.
void GenerationFollower::sweep(const repository::Manifest* wanted) {
  std::set<std::string> partitions, terms;
  if (wanted != nullptr) {
    terms.insert(DataFolder::terms_file(wanted->generation));
    for (const repository::PartitionEntry& entry : wanted->partitions) partitions.insert(entry.id);
  }
  for (const auto& generation : *board_.get()) {
    terms.insert(DataFolder::terms_file(generation->generation));
    for (const ServedPartition& one : generation->partitions) partitions.insert(one.open->id());
  }
  for (const auto& [id, open] : retired_) partitions.insert(id);
  data_.keep_only(partitions, terms);
}

void GenerationFollower::refuse(Generation generation, const Error& why) {
  const std::string told = generation == 0 ? "repository: " + why.message()
                                           : "generation " + std::to_string(generation) + " refused: " + why.message();
  board_.set_detail(told);
  if (generation != 0) {
    refused_total_.add();
    back_off_ = refused_ == generation ? std::min(kLongestBackOff, back_off_ * 2) : options_.poll;
    retry_at_ = clock_.now() + back_off_;
    refused_ = generation;
  }
  if (told == refused_why_) return;
  refused_why_ = told;
  log_.error("staying with what is served", {{"reason", told}});
}

void GenerationFollower::retire() {
  const auto set = board_.get();
  if (set->size() <= 1) return;
  const Instant now = clock_.now();
  ServedSet kept;
  for (std::size_t i = 0; i < set->size(); ++i) {
    const auto& one = (*set)[i];
    const bool newest = i + 1 == set->size();
    const bool room = set->size() - i <= kMaxServedGenerations;
    if (newest || (room && now - one->last_used.load(std::memory_order_relaxed) < options_.grace)) {
      kept.push_back(one);
      continue;
    }
    for (const ServedPartition& partition : one->partitions) retired_[partition.open->id()] = partition.open;
    std::error_code ignored;  // mapped by whoever still reads it; a leftover goes at the next start
    std::filesystem::remove(data_.terms(one->generation), ignored);
    log_.info("retired a generation", {{"generation", std::to_string(one->generation)}});
  }
  if (kept.size() == set->size()) return;
  for (const auto& one : kept)
    for (const ServedPartition& partition : one->partitions) retired_.erase(partition.open->id());
  board_.put(std::move(kept));
}

void GenerationFollower::delete_unused() {
  std::erase_if(retired_, [&](const auto& one) {
    if (!one.second.expired()) return false;
    std::error_code ignored;
    std::filesystem::remove_all(data_.partition(one.first), ignored);
    return true;
  });
}

void GenerationFollower::measure() const {
  const auto set = board_.get();
  std::uint64_t documents = 0;
  if (!set->empty())
    for (const ServedPartition& one : set->back()->partitions) documents += one.open->partition().documents();
  metrics::Gauge generation = generation_, generations = generations_, partitions = partitions_, held = documents_;
  generation.set(set->empty() ? 0 : static_cast<double>(set->back()->generation));
  generations.set(static_cast<double>(set->size()));
  partitions.set(set->empty() ? 0 : static_cast<double>(set->back()->partitions.size()));
  held.set(static_cast<double>(documents));
}

}  // namespace frond::leaf
