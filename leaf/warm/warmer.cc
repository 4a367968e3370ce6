#include "leaf/warm/warmer.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "common/base/threads/parallel.h"
#include "leaf/clauses/resolve/device_phrase.h"
#include "leaf/families/metric_families.h"

namespace frond::leaf::warm {
namespace {

constexpr std::size_t kListsAtATime = 64;
constexpr std::size_t kMaxLargeTerms = 262'144;  // of all partitions, that nobody has asked for
constexpr std::size_t kMaxThreadsBeside = 4;     // while searches are served
constexpr std::uint64_t kLeastDocuments = 128;   // of these: shorter lists are read soon enough
constexpr std::chrono::minutes kBetweenWrites{1};

// The terms of the most documents in a partition, the most first. What a passed deadline leaves unread is left out.
std::vector<std::string> large_terms(const partition::Partition& partition, std::size_t limit,
                                     const std::function<bool()>& over) {
  using Entry = std::pair<std::uint64_t, std::string>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> most;  // the smallest on top
  std::size_t seen = 0;
  static_cast<void>(partition.for_each_term([&](std::string_view term, const partition::TermStatistics& statistics) {
    if (++seen % 4096 == 0 && over()) return false;
    const std::uint64_t documents = statistics.document_frequency;
    if (documents < kLeastDocuments || (most.size() == limit && documents <= most.top().first)) return true;
    if (most.size() == limit) most.pop();
    most.emplace(documents, term);
    return true;
  }));
  std::vector<std::string> terms(most.size());
  for (auto at = terms.rbegin(); at != terms.rend(); ++at, most.pop()) *at = most.top().second;
  return terms;
}

}  // namespace

// A partition whose lists are read.
struct Warmer::Cold {
  const generation::ServedPartition* partition = nullptr;
  std::vector<std::string> large = {};  // terms of many documents that nobody asked for, the most first
  std::atomic<bool> unread{false};      // lists could not be read: a search tells why
};

// One call of warm().
struct Warmer::Work {
  std::deque<Cold> cold;
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
  Work work{.cold = {}, .deadline = Deadline::after(clock_, options_.limit), .stopping = stopping, .clock = clock_};
  for (const generation::ServedPartition* one : cold)
    if (is_large(one)) work.cold.emplace_back().partition = one;
  const bool any_large = !work.cold.empty();
  const std::size_t threads = served.empty() ? options_.threads : std::min(options_.threads, kMaxThreadsBeside);
  try {
    static_cast<void>(in_parallel(cold.size(), threads, [&](std::size_t i) -> Result<void> {
      if (!warm_device(*cold[i], {})) work.full = true;
      return {};
    }));
    const std::vector<AskedTerm> asked = any_large ? asked_of(served) : std::vector<AskedTerm>();
    fetch_all(work, asked, threads);
    for (const AskedTerm& one : asked)
      if (work.over() || !terms_.look_up(next, one.term)) break;
    find_large(work, asked, threads);
    fetch_all(work, {}, threads);
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

// The terms of the most documents that nobody asked for.
void Warmer::find_large(Work& work, std::span<const AskedTerm> asked, std::size_t threads) const {
  std::unordered_set<std::string_view> known;
  for (const AskedTerm& one : asked) known.insert(one.term);
  static_cast<void>(in_parallel(work.cold.size(), threads, [&](std::size_t i) -> Result<void> {
    Cold& cold = work.cold[i];
    if (work.over() || cold.unread) return {};
    cold.large = large_terms(cold.partition->open->partition(), kMaxLargeTerms / work.cold.size() + 1,
                             [&work] { return work.over(); });
    std::erase_if(cold.large, [&known](const std::string& term) { return known.contains(term); });
    return {};
  }));
}

// The asked terms' lists, or else the large ones: the partitions in turn, kListsAtATime of each, several threads at a
// time.
void Warmer::fetch_all(Work& work, std::span<const AskedTerm> asked, std::size_t threads) const {
  struct Piece {
    std::size_t from, cold;
    auto operator<=>(const Piece&) const = default;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < work.cold.size(); ++i)
    for (std::size_t from = 0; from < std::max(asked.size(), work.cold[i].large.size()); from += kListsAtATime)
      pieces.push_back({from, i});
  std::ranges::sort(pieces);
  static_cast<void>(in_parallel(pieces.size(), threads, [&](std::size_t i) -> Result<void> {
    Cold& cold = work.cold[pieces[i].cold];
    if (work.over() || cold.unread) return {};
    const std::size_t from = pieces[i].from;
    std::vector<lists::ListKey> keys;
    const auto add = [&](const std::string& term) { keys.push_back({cold.partition->open->number(), term}); };
    for (std::size_t t = from; t < std::min(from + kListsAtATime, asked.size()); ++t) add(asked[t].term);
    for (std::size_t t = from; t < std::min(from + kListsAtATime, cold.large.size()); ++t) add(cold.large[t]);
    fetch(cold, keys, work);
    return {};
  }));
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

void Warmer::fetch(Cold& cold, std::span<const lists::ListKey> keys, Work& work) const {
  const auto leases = lists_.fetch(keys, work.deadline);
  if (!leases) {  // a damaged list is one of many
    if (leases.error().code() != Code::kCorrupt) cold.unread = true;
    return;
  }
  std::uint64_t bytes = 0;
  for (const lists::ListLease& one : *leases) bytes += one->bytes;
  work.lists += leases->size();
  const bool has_room = warm_device(*cold.partition, *leases);
  // Where a GPU has the lists, those in host memory may go.
  const bool fits = work.bytes.fetch_add(bytes) + bytes < options_.host_bytes / 10 * 9;
  if (gpu_ != nullptr ? !has_room : !fits) work.full = true;
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
