#include "leaf/warm/warmer.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "common/base/parallel.h"
#include "leaf/clauses/device_phrase.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf::warm {
namespace {

constexpr std::size_t kListsAtATime = 64;
constexpr std::size_t kMaxLargeTerms = 65'536;  // of a partition that nobody has asked for
constexpr std::uint64_t kLeastDocuments = 128;  // of these: shorter lists are read soon enough
constexpr std::chrono::minutes kBetweenWrites{1};

// The terms of the most documents in a partition, the most first. What a passed deadline leaves unread is left out.
std::vector<std::string> large_terms(const partition::Partition& partition, const std::function<bool()>& over) {
  using Entry = std::pair<std::uint64_t, std::string>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> most;  // the smallest on top
  std::size_t seen = 0;
  static_cast<void>(partition.for_each_term([&](std::string_view term, const partition::TermStatistics& statistics) {
    if (++seen % 4096 == 0 && over()) return false;
    const std::uint64_t documents = statistics.document_frequency;
    if (documents < kLeastDocuments || (most.size() == kMaxLargeTerms && documents <= most.top().first)) return true;
    if (most.size() == kMaxLargeTerms) most.pop();
    most.emplace(documents, term);
    return true;
  }));
  std::vector<std::string> terms(most.size());
  for (auto at = terms.rbegin(); at != terms.rend(); ++at, most.pop()) *at = most.top().second;
  return terms;
}

}  // namespace

// One call of warm().
struct Warmer::Work {
  std::vector<AskedTerm> asked;
  Deadline deadline;
  const std::function<bool()>& stopping;
  const Clock& clock;
  std::atomic<std::uint64_t> bytes{0}, lists{0};
  std::atomic<bool> full{false};

  bool over() const { return full.load() || deadline.passed(clock) || stopping(); }
};

Warmer::Warmer(Options options, lists::ListStore& lists, engine::Accelerator* gpu, serve::TermTable& terms,
               const Clock& clock, Logger& log, metrics::Registry* registry)
    : options_(std::move(options)), lists_(lists), gpu_(gpu), terms_(terms), clock_(clock), log_(log) {
  if (registry == nullptr) return;
  seconds_ = registry->gauge(families::kWarmSeconds, options_.labels);
  bytes_ = registry->gauge(families::kWarmBytes, options_.labels);
}

std::vector<AskedTerm> Warmer::asked_of(const generation::ServedSet& served) const {
  std::vector<AskedTerm> known, now;
  if (auto kept = read_asked(options_.file)) known = *std::move(kept);
  for (const auto& generation : served)
    for (auto& [term, times] : terms_.asked(*generation)) now.push_back({std::move(term), static_cast<float>(times)});
  return merged(std::move(known), std::move(now));
}

void Warmer::warm(const generation::ServedGeneration& next, const generation::ServedSet& served,
                  const std::function<bool()>& stopping) {
  if (options_.limit.count() == 0 || (options_.host_bytes == 0 && gpu_ == nullptr)) return;
  std::unordered_set<std::uint64_t> warm_already;
  for (const auto& generation : served)
    for (const generation::ServedPartition& one : generation->partitions) warm_already.insert(one.open->number());
  std::vector<const generation::ServedPartition*> cold;
  for (const generation::ServedPartition& one : next.partitions)
    if (!warm_already.contains(one.open->number()) || (gpu_ != nullptr && one.hidden != nullptr)) cold.push_back(&one);
  if (cold.empty()) return;
  const Instant before = clock_.now();
  const auto is_large = [&](const generation::ServedPartition* one) {
    return !warm_already.contains(one->open->number()) &&
           (served.empty() || one->open->partition().documents() >= options_.least_documents);
  };
  const bool any_large = std::ranges::any_of(cold, is_large);
  Work work{.asked = any_large ? asked_of(served) : std::vector<AskedTerm>(),
            .deadline = Deadline::after(clock_, options_.limit),
            .stopping = stopping,
            .clock = clock_};
  try {
    static_cast<void>(in_parallel(cold.size(), options_.threads, [&](std::size_t i) -> Result<void> {
      if (!warm_device(*cold[i], {})) work.full = true;
      if (is_large(cold[i])) warm_partition(*cold[i], work);
      return {};
    }));
    for (const AskedTerm& one : work.asked)
      if (work.over() || !terms_.look_up(next, one.term)) break;
  } catch (const std::exception&) {  // out of memory: what is there is there
  }
  if (!any_large) return;
  const double seconds = std::chrono::duration<double>(clock_.now() - before).count();
  seconds_.set(seconds);
  bytes_.set(static_cast<double>(work.bytes.load()));
  log_.info("caches are warm", {{"generation", std::to_string(next.generation)},
                                {"lists", std::to_string(work.lists.load())},
                                {"bytes", std::to_string(work.bytes.load())},
                                {"milliseconds", std::to_string(static_cast<std::uint64_t>(seconds * 1000))}});
}

void Warmer::warm_partition(const generation::ServedPartition& partition, Work& work) const {
  std::vector<lists::ListKey> keys;
  const std::uint64_t number = partition.open->number();
  const auto add = [&](const std::string& term) {
    keys.push_back({number, term});
    return keys.size() < kListsAtATime || fetch(partition, keys, work);
  };
  std::unordered_set<std::string_view> added;
  for (const AskedTerm& one : work.asked) {
    added.insert(one.term);
    if (!add(one.term)) return;
  }
  const auto large = large_terms(partition.open->partition(), [&work] { return work.over(); });
  for (const std::string& term : large)
    if (!added.contains(term) && !add(term)) return;
  if (!keys.empty()) fetch(partition, keys, work);
}

// With the arrays by document that its searches need. False: the device has no more room.
bool Warmer::warm_device(const generation::ServedPartition& partition, std::span<const lists::ListLease> lists) const {
  if (gpu_ == nullptr) return true;
  const partition::Partition& stored = partition.open->partition();
  engine::Plan plan{.lengths = stored.lengths(), .partition = partition.open->number()};
  plan.hidden = partition.hidden.get();
  plan.priors = stored.priors();
  if (auto sequences = clauses::device_sequences(stored.sequences()))
    plan.phrase.emplace().sequences = std::move(sequences);
  return gpu_->warm(plan, lists);
}

// Empties `keys`. False: it is enough.
bool Warmer::fetch(const generation::ServedPartition& partition, std::vector<lists::ListKey>& keys, Work& work) const {
  if (work.over()) return false;
  const auto leases = lists_.fetch(keys, work.deadline);
  keys.clear();
  if (!leases) return leases.error().code() == Code::kCorrupt;  // the search that needs the list tells
  std::uint64_t bytes = 0;
  for (const lists::ListLease& one : *leases) bytes += one->bytes;
  work.lists += leases->size();
  const bool has_room = warm_device(partition, *leases);
  // Where a GPU has the lists, those in host memory may go.
  const bool fits = work.bytes.fetch_add(bytes) + bytes < options_.host_bytes / 10 * 9;
  if (gpu_ != nullptr ? !has_room : !fits) work.full = true;
  return !work.full.load();
}

void Warmer::remember(const generation::ServedSet& served) {
  const Instant now = clock_.now();
  if (options_.limit.count() == 0 || served.empty() || (written_ != Instant::min() && now < written_ + kBetweenWrites))
    return;
  const bool is_first = written_ == Instant::min();
  written_ = now;
  if (is_first) return;  // nothing was asked for yet
  const auto done = write_asked(options_.file, asked_of(served));
  if (!done && !told_)
    log_.warn("the terms that are asked for are not written down", {{"error", done.error().message()}});
  told_ = !done;
}

}  // namespace frond::leaf::warm
