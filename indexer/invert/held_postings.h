#pragma once
// What an inverter has in memory, read as a run would be: terms in byte order with their postings. Of the build that
// fits in memory nothing is written and read again.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "indexer/dictionary/arena.h"
#include "indexer/invert/held_chains.h"
#include "indexer/invert/inverter.h"
#include "indexer/invert/posting_chain.h"

namespace frond::indexer::invert {

// The memory of an inverter.
template <class Dictionary>
struct InverterMemory {
  dictionary::Arena arena;
  Dictionary dictionary{arena};
  std::uint64_t bytes() const { return arena.bytes() + dictionary.table_bytes(); }
};

template <class Dictionary>
class HeldPostings final : public HeldChains {
 public:
  // first: the number of the document that postings count from.
  HeldPostings(std::unique_ptr<InverterMemory<Dictionary>> memory, DocumentNumber first)
      : memory_(std::move(memory)), first_(first) {}

  HeldTerms take_terms(std::size_t max) override {
    HeldTerms taken;
    taken.arena = &memory_->arena;
    taken.terms.reserve(max);
    while (taken.terms.size() < max && terms_.next()) {
      taken.text.append(terms_.prefix()).append(terms_.suffix());
      taken.terms.push_back({taken.text.size(), &terms_.value()});
    }
    return taken;
  }
  std::uint64_t first_document() const override { return first_; }

  Result<bool> next_term() override {
    if (!terms_.next()) return false;
    term_.assign(terms_.prefix()).append(terms_.suffix());
    postings_.emplace(terms_.value(), memory_->arena);
    return true;
  }
  std::string_view term() const override { return term_; }
  Result<bool> read(std::vector<DocId>& docids, std::vector<Frequency>& frequencies, std::size_t wanted) override {
    const std::size_t before = docids.size();
    if (before >= wanted) return false;
    std::size_t size = before;
    const std::size_t room = std::min<std::size_t>(wanted, before + postings_->left());
    docids.resize(room);
    frequencies.resize(room);
    postings_->read(room - before, [&](std::uint32_t number, Frequency frequency) {
      docids[size] = static_cast<DocId>(first_ + number);
      frequencies[size++] = frequency;
    });
    return size > before;
  }

 private:
  const std::unique_ptr<InverterMemory<Dictionary>> memory_;
  const DocumentNumber first_;
  decltype(std::declval<Dictionary&>().terms_in_order()) terms_{memory_->dictionary.terms_in_order()};
  std::string term_;
  std::optional<ChainReader> postings_;
};

// The terms of several inverters, no two of which have the same term, as one source.
std::unique_ptr<runs::PostingSource> joined(std::vector<std::unique_ptr<HeldChains>> sources);

// Writes all as runs, as the inverter would have done. kUnavailable: the disk.
Result<std::vector<runs::RunFile>> write_runs(HeldChains& held, const std::filesystem::path& folder,
                                              const std::string& label, std::uint32_t partitions,
                                              std::size_t frame_bytes);

}  // namespace frond::indexer::invert
