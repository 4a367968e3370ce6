#include "leaf/serve/search/term_table.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "common/scoring/bm25.h"

namespace frond::leaf::serve {
namespace {

constexpr std::size_t kShardBytes = std::size_t{512} << 10, kMaxShards = 64;
// An entry may be charged at most this part of a shard's budget.
constexpr std::size_t kMaxShare = 4;
// A weak reference keeps the memory of a List or of a list's description on the device, but not the lists' bytes.
constexpr std::size_t kHeldByReferences = sizeof(lists::List) + 256;
// Of the shared_ptr's control block and the node of the index.
constexpr std::size_t kNodes = 96;

// How often each term occurs in the query, at its first place; 0 at the others. Brokers send distinct terms.
std::vector<std::uint32_t> occurrences_of(std::span<const wire::QueryTerm> terms) {
  std::vector<std::uint32_t> places(terms.size()), occurrences(terms.size(), 0);
  std::iota(places.begin(), places.end(), 0u);
  std::sort(places.begin(), places.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::tie(terms[a].text, a) < std::tie(terms[b].text, b); });
  for (std::size_t i = 0, first = 0; i < places.size(); ++i) {
    if (terms[places[i]].text != terms[places[first]].text) first = i;
    occurrences[places[first]] += terms[places[i]].occurrences;
  }
  return occurrences;
}

}  // namespace

Result<std::shared_ptr<const KnownTerm>> KnownTerm::make(const generation::ServedGeneration& generation,
                                                         std::string_view text) {
  const Result<std::uint64_t> df = generation.terms->df(text);
  if (!df && df.error().code() != Code::kNotFound) return df.error();
  if (!df) return std::shared_ptr<const KnownTerm>(std::make_shared<KnownTerm>(text, 0, 0.0f, 0));
  const float weight = scoring::term_weight(generation.bm25, generation.statistics, *df, 1);
  return std::shared_ptr<const KnownTerm>(std::make_shared<KnownTerm>(text, *df, weight, generation.partitions.size()));
}

std::size_t KnownTerm::bytes() const {
  const MutexLock lock(mutex_);
  return sizeof(KnownTerm) + text_.capacity() + places_.size() * (sizeof(Place) + kHeldByReferences);
}

std::optional<lists::ListLease> KnownTerm::on_host(std::size_t partition) const {
  lists::ListLease lease;
  {
    const MutexLock lock(mutex_);
    const Place& place = places_[partition];
    if (place.absent) return lists::ListLease();
    lease = place.host.lock();
  }
  if (lease == nullptr) return std::nullopt;  // its cache has dropped it
  lease->mark_used();
  lease->postings.prefetch();  // while other terms are looked up
  __builtin_prefetch(lease->buckets.get());
  return lease;
}

void KnownTerm::keep(std::size_t partition, const lists::ListLease& list) const {
  const MutexLock lock(mutex_);
  Place& place = places_[partition];
  place.absent = list->postings.count() == 0;
  place.host = list;
}

std::optional<lists::DeviceLease> KnownTerm::on_device(std::size_t partition, std::uint64_t number,
                                                       lists::DeviceLists& device) const {
  {
    const MutexLock lock(mutex_);
    const Place& place = places_[partition];
    if (place.absent) return lists::DeviceLease();
    if (lists::DeviceLease lease = place.device.lock(); lease != nullptr && device.holds(*lease)) {
      lease->mark_used();
      return lease;
    }
  }
  lists::DeviceLease lease = device.find({number, text_});
  if (lease == nullptr) return std::nullopt;
  const MutexLock lock(mutex_);
  places_[partition].device = lease;
  return lease;
}

TermTable::TermTable(std::size_t budget_bytes)
    : terms_(budget_bytes, kMaxShare, std::clamp<std::size_t>(budget_bytes / kShardBytes, 1, kMaxShards)) {}

Result<std::shared_ptr<const KnownTerm>> TermTable::look_up(const generation::ServedGeneration& generation,
                                                            std::string_view text) {
  if (!keeps(generation)) return KnownTerm::make(generation, text);
  const Key asked = key_of(generation, text);
  if (auto found = terms_.find(asked)) {
    found->ask();
    return found;
  }
  auto made = FROND_TRY(KnownTerm::make(generation, text));
  const std::size_t charge = made->bytes() + terms_.entry_bytes() + kNodes;
  return terms_.insert({generation.serial, made->text(), asked.hash}, made, charge);
}

std::shared_ptr<const KnownTerm> TermTable::find(const generation::ServedGeneration& generation,
                                                 std::string_view text) {
  if (!keeps(generation)) return nullptr;
  auto found = terms_.find(key_of(generation, text), /*counts_misses=*/false);
  if (found != nullptr) found->ask();
  return found;
}

TermTable::Key TermTable::key_of(const generation::ServedGeneration& generation, std::string_view text) {
  return {generation.serial, text, std::hash<std::string_view>()(text) ^ (generation.serial * 0x9e3779b97f4a7c15ULL)};
}

std::vector<std::pair<std::string, std::uint64_t>> TermTable::asked(
    const generation::ServedGeneration& generation) const {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  terms_.for_each([&](const Key& key, const std::shared_ptr<const KnownTerm>& term) {
    if (key.generation == generation.serial && term->df() > 0) all.emplace_back(term->text(), term->times() + 1);
  });
  return all;
}

namespace {

// `term_of`: the term of a text, or an error, which ends it.
template <class TermOf>
Result<KnownTerms> known_of(const generation::ServedGeneration& generation, const scoring::Bm25Parameters& bm25,
                            std::span<const wire::QueryTerm> terms, const TermOf& term_of) {
  KnownTerms known;
  known.terms.reserve(terms.size());
  const std::vector<std::uint32_t> occurrences = occurrences_of(terms);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (occurrences[i] == 0) continue;
    std::shared_ptr<const KnownTerm> term = FROND_TRY(term_of(terms[i].text));
    if (term->df() == 0) {
      known.all_known = false;
      continue;
    }
    const float weight = occurrences[i] == 1 && bm25.k1 == generation.bm25.k1
                             ? term->weight()
                             : scoring::term_weight(bm25, generation.statistics, term->df(), occurrences[i]);
    known.postings += term->df();
    known.terms.push_back({std::move(term), weight});
  }
  return known;
}

}  // namespace

Result<KnownTerms> look_up(const generation::ServedGeneration& generation, const scoring::Bm25Parameters& bm25,
                           std::span<const wire::QueryTerm> terms, TermTable* table) {
  return known_of(generation, bm25, terms, [&](const std::string& text) {
    return table != nullptr ? table->look_up(generation, text) : KnownTerm::make(generation, text);
  });
}

std::optional<KnownTerms> find(const generation::ServedGeneration& generation, const scoring::Bm25Parameters& bm25,
                               std::span<const wire::QueryTerm> terms, TermTable& table) {
  auto known =
      known_of(generation, bm25, terms, [&](const std::string& text) -> Result<std::shared_ptr<const KnownTerm>> {
        if (auto found = table.find(generation, text)) return found;
        return Error(Code::kNotFound, "");
      });
  if (!known) return std::nullopt;
  return *std::move(known);
}

}  // namespace frond::leaf::serve
