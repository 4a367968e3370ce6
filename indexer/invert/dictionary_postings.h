#pragma once
// InMemoryPostings of a dictionary and its arena.
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "indexer/dictionary/arena.h"
#include "indexer/invert/in_memory_postings.h"
#include "indexer/invert/inverter.h"
#include "indexer/invert/partition_runs.h"
#include "indexer/invert/posting_chain.h"

namespace frond::indexer::invert {

// The memory of an inverter.
template <class Dictionary>
struct InverterMemory {
  dictionary::Arena arena;
  Dictionary dictionary{arena};
  std::uint64_t bytes() const { return arena.bytes() + dictionary.table_bytes(); }
};

// Adds all terms of the dictionary, whose documents count from `first`; it holds nothing then. The caller finishes
// `runs`. kUnavailable: the disk.
template <class Dictionary>
Result<void> write_terms(InverterMemory<Dictionary>& memory, DocumentNumber first, PartitionRuns& runs) {
  Result<void> written;
  std::string term;
  memory.dictionary.for_each_in_order([&](std::string_view prefix, std::string_view suffix, const PostingChain& chain) {
    term.assign(prefix).append(suffix);
    for_each_posting(chain, memory.arena,
                     [&](std::uint32_t number, Frequency frequency) { runs.add(term, first + number, frequency); });
    written = runs.end_term(term);
    return written.has_value();
  });
  return written;
}

// The terms of a collection, which a dictionary has put in order.
template <class Dictionary>
class DictionaryTerms final : public CollectionTerms {
 public:
  DictionaryTerms(const InMemoryPostings& of, Dictionary& dictionary, dictionary::TrieCollection collection)
      : of_(of), prefix_(collection), ordered_(dictionary.order(collection)) {}
  std::size_t size() const override { return ordered_.size(); }
  std::string term(std::size_t place) const override {
    std::string term(prefix_.text());
    ordered_.append_suffix(place, term);
    return term;
  }
  void append(std::size_t begin, std::size_t end, TermPostings& to) const override {
    ordered_.for_each(begin, end, [&](std::string_view suffix, const PostingChain& chain) {
      to.text.append(prefix_.text()).append(suffix);
      to.terms.push_back({&chain, &of_, static_cast<std::uint32_t>(to.text.size()), postings_of(chain)});
    });
  }

 private:
  const InMemoryPostings& of_;
  const dictionary::TriePrefix prefix_;
  const typename Dictionary::Ordered ordered_;
};

template <class Dictionary>
class DictionaryPostings final : public InMemoryPostings {
 public:
  // first: the number of the document that postings count from.
  DictionaryPostings(std::unique_ptr<InverterMemory<Dictionary>> memory, DocumentNumber first)
      : memory_(std::move(memory)), first_(first) {}

  std::size_t terms_of(dictionary::TrieCollection collection) const override {
    return memory_->dictionary.terms_of(collection);
  }
  std::unique_ptr<CollectionTerms> order(dictionary::TrieCollection collection) override {
    return std::make_unique<DictionaryTerms<Dictionary>>(*this, memory_->dictionary, collection);
  }
  const dictionary::Arena& arena() const override { return memory_->arena; }
  std::uint64_t first_document() const override { return first_; }
  Result<void> write_runs(PartitionRuns& runs) override { return write_terms(*memory_, first_, runs); }

 private:
  const std::unique_ptr<InverterMemory<Dictionary>> memory_;
  const DocumentNumber first_;
};

}  // namespace frond::indexer::invert
