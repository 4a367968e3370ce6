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

// The terms of a collection, which a dictionary has put in order.
template <class Dictionary>
class HeldCollection final : public CollectionTerms {
 public:
  HeldCollection(const HeldChains& of, Dictionary& dictionary, dictionary::TrieCollection collection)
      : of_(of), prefix_(collection), ordered_(dictionary.order(collection)) {}
  std::size_t size() const override { return ordered_.size(); }
  std::string term(std::size_t place) const override {
    std::string term(prefix_.text());
    ordered_.append_suffix(place, term);
    return term;
  }
  void append(std::size_t begin, std::size_t end, HeldTerms& to) const override {
    ordered_.for_each(begin, end, [&](std::string_view suffix, const PostingChain& chain) {
      to.text.append(prefix_.text()).append(suffix);
      to.terms.push_back({&chain, &of_, static_cast<std::uint32_t>(to.text.size()), postings_of(chain)});
    });
  }

 private:
  const HeldChains& of_;
  const dictionary::TriePrefix prefix_;
  const typename Dictionary::Ordered ordered_;
};

template <class Dictionary>
class HeldPostings final : public HeldChains {
 public:
  // first: the number of the document that postings count from.
  HeldPostings(std::unique_ptr<InverterMemory<Dictionary>> memory, DocumentNumber first)
      : memory_(std::move(memory)), first_(first) {}

  const PostingChain& chain() const override { return terms_->value(); }
  std::size_t terms_of(dictionary::TrieCollection collection) const override {
    return memory_->dictionary.terms_of(collection);
  }
  std::unique_ptr<CollectionTerms> order(dictionary::TrieCollection collection) override {
    return std::make_unique<HeldCollection<Dictionary>>(*this, memory_->dictionary, collection);
  }
  const dictionary::Arena& arena() const override { return memory_->arena; }
  std::uint64_t first_document() const override { return first_; }

  Result<bool> next_term() override {
    if (!terms_) terms_.reset(new Terms(memory_->dictionary.terms_in_order()));  // which cannot be moved
    if (!terms_->next()) return false;
    term_.assign(terms_->prefix()).append(terms_->suffix());
    postings_.emplace(terms_->value(), memory_->arena);
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
  using Terms = decltype(std::declval<Dictionary&>().terms_in_order());
  std::unique_ptr<Terms> terms_;  // from the first call of next_term() on
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
