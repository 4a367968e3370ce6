#pragma once
// The posting lists of a synthetic collection, each drawn by itself, a window of documents at a time: any thread may
// make any part, in any order, and again.
//
// A document has a term with probability 1 - exp(-rate * f * g): f the term's factor in the document's run, g that of
// the document's class (document_model.h); the rate is such that the list has its length on average. One document,
// drawn first, has the term in any case: no list is empty. Frequencies are geometric, and larger in long documents.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/synth/document_model.h"

namespace frond::tools::synth {

struct Postings {
  std::vector<DocId> docids;  // ascending
  std::vector<Frequency> frequencies;
  void clear() { docids.clear(), frequencies.clear(); }
};

// One list, ready to be drawn from. Any thread.
class SyntheticList {
 public:
  // List `number` of the collection, to have so many postings, 1 .. documents.
  SyntheticList(const CollectionSize& size, std::uint32_t number, std::uint32_t postings);

  // Appends those in the window: docIDs of the collection.
  void append(const WindowDocuments& documents, Postings& out) const;

 private:
  std::uint64_t seed_;
  std::uint32_t number_;
  DocId sure_;                                        // the document that has the term in any case
  std::vector<std::array<float, kClasses>> chances_;  // by run
  std::array<float, kClasses> again_{};               // that a term which came comes once more
};

// A list in one go, where all windows' documents are at hand.
Postings draw_list(const SyntheticList& list, std::span<const WindowDocuments> documents);

}  // namespace frond::tools::synth
