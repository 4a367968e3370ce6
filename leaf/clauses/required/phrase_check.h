#pragma once
// How often documents have a phrase, by the sequences of their words.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "leaf/clauses/matchers/phrase_places.h"
#include "leaf/clauses/resolve/resolved_query.h"
#include "leaf/clauses/searched_partition.h"

namespace frond::leaf::clauses {

// One thread.
class PhraseCheck {
 public:
  // Borrows both. Each word has one list.
  PhraseCheck(const ResolvedQuery& query, const PhraseNode& phrase, const SearchedPartition& partition);

  // partition::term_hash() of each word.
  std::span<const std::uint64_t> hashes() const { return hashes_; }
  // The document's sequence, which is fetched from memory meanwhile: that takes longer than to look at it.
  ByteView fetch(DocId docid) const;
  // How often the phrase is in the document, if it has all its words; any number if it lacks one. `record`: fetch().
  std::uint32_t frequency(DocId docid, ByteView record);
  // kCorrupt: a sequence was none.
  const std::optional<Error>& error() const { return error_; }

 private:
  const PhraseNode& phrase_;
  const SearchedPartition& partition_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> order_;    // of the words, the rarest first
  std::vector<cpu::CodeAt> codes_;      // in this order, of an exact phrase
  std::optional<PhrasePlaces> places_;  // of a sloppy one
  std::optional<Error> error_;
};

}  // namespace frond::leaf::clauses
