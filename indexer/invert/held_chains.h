#pragma once
// What an inverter had in memory at the end of a build that wrote no run: its terms in byte order, each with the chain
// of its postings. Read in one of two ways: as a PostingSource, by builds of one partition, or as chains, which others
// decode (docs/adr/0057-postings-that-fit-are-dealt.md).
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "indexer/dictionary/arena.h"
#include "indexer/invert/posting_chain.h"
#include "indexer/runs/posting_source.h"

namespace frond::indexer::invert {

// Terms that follow each other. Any thread reads them.
struct HeldTerms {
  struct Term {
    std::size_t end;  // in `text`
    const PostingChain* chain;
  };
  std::string text;
  std::vector<Term> terms;
  const dictionary::Arena* arena = nullptr;
  std::string_view term(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : terms[i - 1].end;
    return std::string_view(text).substr(begin, terms[i].end - begin);
  }
};

// One thread. As a PostingSource, docIDs are numbers of documents. Never fails.
class HeldChains : public runs::PostingSource {
 public:
  // In place of next_term(): the next terms, at most `max`; none at the end. Their chains live as long as this.
  virtual HeldTerms take_terms(std::size_t max) = 0;
  // The number of the document that the numbers in chains count from.
  virtual std::uint64_t first_document() const = 0;
};

}  // namespace frond::indexer::invert
