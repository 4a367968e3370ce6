#include "indexer/change/term_counts.h"

#include <algorithm>
#include <atomic>
#include <system_error>

#include "common/partition/terms/term_digests.h"

namespace frond::indexer::change {
namespace {

// Those in memory.
class Counted final : public partition::ChangeCursor {
 public:
  explicit Counted(TermCounts counts) : counts_(std::move(counts)), terms_(counts_.in_order()) {}
  Result<bool> next() override { return at_ < terms_.size() ? ++at_ > 0 : false; }
  std::string_view term() const override { return terms_[at_ - 1].first; }
  std::int64_t by() const override { return static_cast<std::int64_t>(terms_[at_ - 1].second); }

 private:
  const TermCounts counts_;
  const std::vector<std::pair<std::string_view, std::uint64_t>> terms_;
  std::size_t at_ = 0;  // behind the current one
};

}  // namespace

TermCounts::TermCounts(std::filesystem::path scratch, std::size_t max_bytes)
    : scratch_(std::move(scratch)), max_bytes_(max_bytes) {}

TermCounts::Entry& TermCounts::find_or_add(std::string_view term, std::uint64_t hash) {
  if (entries_.size() * 2 >= slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    if (slots_[at] == kNone) {
      slots_[at] = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({hash, text_.size(), static_cast<std::uint32_t>(term.size()), 0, 0});
      text_.append(term);
      return entries_.back();
    }
    Entry& entry = entries_[slots_[at]];
    if (entry.hash == hash && term_of(entry) == term) return entry;
  }
}

void TermCounts::grow() {
  slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), kNone);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t place = 0; place < entries_.size(); ++place) {
    std::size_t at = entries_[place].hash & mask;
    while (slots_[at] != kNone) at = (at + 1) & mask;
    slots_[at] = place;
  }
}

void TermCounts::add_token(std::string_view term) {
  const std::uint64_t hash = partition::hash_of_term(term);
  ++tokens_;
  digest_ += hash;
  Entry& entry = find_or_add(term, hash);
  if (entry.last == number_) return;
  entry.last = number_;
  terms_.push_back(static_cast<std::uint32_t>(&entry - entries_.data()));
}

std::uint64_t TermCounts::keep_document() {
  for (const std::uint32_t place : terms_) ++entries_[place].documents;
  const std::uint64_t count = terms_.size();
  drop_document();
  return count;
}

void TermCounts::drop_document() {
  ++number_;
  tokens_ = digest_ = 0;
  terms_.clear();
  spill_beyond_limit();
}

void TermCounts::add_documents(std::string_view term, std::uint64_t documents) {
  find_or_add(term, partition::hash_of_term(term)).documents += documents;
  spill_beyond_limit();
}

void TermCounts::add_all(TermCounts others) {
  for (const Entry& other : others.entries_) {
    if (other.documents == 0) continue;
    find_or_add(others.term_of(other), other.hash).documents += other.documents;
    spill_beyond_limit();
  }
  runs_.insert(runs_.begin(), others.runs_.begin(), others.runs_.end());
  if (outcome_) outcome_ = others.outcome_;
}

void TermCounts::spill_beyond_limit() {
  if (text_.size() + entries_.size() * kEntryBytes <= max_bytes_) return;
  if (outcome_) outcome_ = spill();
  text_.clear();
  entries_.clear();
  slots_.assign(slots_.size(), kNone);
}

template <class Fill>
Result<void> TermCounts::write_run(unsigned level, const Fill& fill) {
  static std::atomic<std::uint64_t> number = 0;  // threads share a folder
  const std::filesystem::path file = scratch_ / ("terms-" + std::to_string(number++) + ".sst");
  const auto writer = FROND_TRY(partition::ChangeWriter::create(file, {}));
  FROND_TRY(fill(*writer));
  FROND_TRY(writer->finish({}));
  auto terms = FROND_TRY(partition::Changes::open(file));
  std::error_code ignored;  // whoever empties the folder removes it
  std::filesystem::remove(file, ignored);
  runs_.push_back({std::move(terms), level});
  return {};
}

// Few are open at a time, and each term is written once a level.
Result<void> TermCounts::spill() {
  const auto held = [this](partition::ChangeWriter& to) -> Result<void> {
    for (const auto& [term, documents] : in_order()) FROND_TRY(to.add_term(term, static_cast<std::int64_t>(documents)));
    return {};
  };
  FROND_TRY(write_run(0, held));
  while (std::ssize(runs_) >= kRunsOfALevel && runs_.end()[-kRunsOfALevel].level == runs_.back().level) {
    std::vector<partition::ChangesPtr> last;
    for (auto run = runs_.end() - kRunsOfALevel; run != runs_.end(); ++run) last.push_back(run->terms);
    const unsigned level = runs_.back().level + 1;
    runs_.erase(runs_.end() - kRunsOfALevel, runs_.end());
    const auto merged = [&last](partition::ChangeWriter& to) -> Result<void> {
      const auto all = partition::merged_changes(last);
      while (FROND_TRY(all->next())) FROND_TRY(to.add_term(all->term(), all->by()));
      return {};
    };
    FROND_TRY(write_run(level, merged));
  }
  return {};
}

std::unique_ptr<partition::ChangeCursor> terms_of(std::vector<TermCounts> all) {
  std::vector<std::unique_ptr<partition::ChangeCursor>> cursors;
  for (TermCounts& one : all) {
    for (const auto& run : one.runs_) cursors.push_back(run.terms->terms());
    one.runs_.clear();
    if (!one.entries_.empty()) cursors.push_back(std::make_unique<Counted>(std::move(one)));
  }
  return partition::merged_changes(std::move(cursors));
}

std::vector<std::pair<std::string_view, std::uint64_t>> TermCounts::in_order() const {
  std::vector<std::pair<std::string_view, std::uint64_t>> terms;
  terms.reserve(entries_.size());
  for (const Entry& entry : entries_)
    if (entry.documents > 0) terms.emplace_back(term_of(entry), entry.documents);
  std::sort(terms.begin(), terms.end());
  return terms;
}

}  // namespace frond::indexer::change
