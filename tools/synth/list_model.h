#pragma once
// The posting lists of a synthetic collection. Each is drawn by itself, a window of documents at a time: any thread may
// make any part, in any order, and gives the same each time.
//
// A document has a term with probability 1 - exp(-rate * f * g): f is the term's factor in the document's run, g that
// of the document's class (document_model.h), and the rate gives the list its length on average. One document, drawn
// first, always has the term, so no list is empty. Frequencies are geometric, and larger in long documents.
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

// One list, ready to draw. Any thread.
class SyntheticList {
 public:
  // List `number` of the collection, with about so many postings, 1 .. documents.
  SyntheticList(const CollectionSize& size, std::uint32_t number, std::uint32_t postings);

  // Appends the window's postings, with docIDs of the collection.
  void append(const WindowDocuments& documents, Postings& out) const;

 private:
  std::uint64_t seed_;
  std::uint32_t number_;
  DocId sure_;                                        // the document that always has the term
  std::vector<std::array<float, kClasses>> chances_;  // by run
  std::array<float, kClasses> again_{};               // chance of one more occurrence in the document
};

// The whole list. `documents`: of all windows.
Postings draw_list(const SyntheticList& list, std::span<const WindowDocuments> documents);

}  // namespace frond::tools::synth
