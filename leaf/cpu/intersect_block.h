#pragma once
// The inner loop of a conjunction: intersects documents of a block of the shortest list (the driver) with a block of a
// longer list, or with all of it.
#include <array>
#include <cstdint>

#include "common/partition/documents/hidden_documents.h"
#include "leaf/cpu/kernels.h"
#include "leaf/cpu/term_reader.h"

namespace frond::leaf::cpu {

// The remaining documents of the driver's block, ascending, and their places in that block. Borrows both arrays, in
// which kVectorSlack readable entries follow; their docIDs are greater.
struct Candidates {
  // The index of the first document from index `from` on with docID > `last`; `count` if there is none.
  std::uint32_t end_of(std::uint32_t from, DocId last) const;

  const DocId* docids = nullptr;
  const std::uint32_t* places = nullptr;
  std::uint32_t count = 0;
};

// Storage for candidates that were kept.
class CandidateBuffer {
 public:
  // A whole block as candidates. Borrows TermReader::docids().
  static Candidates whole(const DocId* block, std::uint32_t size);

  void clear() { count_ = 0; }
  std::uint32_t size() const { return count_; }
  // Appends the candidates with scores[place] >= least.
  void add_reaching(const Candidates& these, const Score* scores, std::uint64_t least);
  // Appends those of the candidates [from, to) with keep(place).
  template <class Keep>
  void add_if(const Candidates& these, std::uint32_t from, std::uint32_t to, const Keep& keep) {
    for (std::uint32_t i = from; i < to; ++i) {  // no branch on which of them are kept: it can't be predicted
      const std::uint32_t place = these.places[i];
      docids_[count_] = these.docids[i];
      places_[count_] = place;
      count_ += keep(place) ? 1 : 0;
    }
  }
  // Appends the candidates that are not hidden.
  void add_shown(const Candidates& these, const partition::HiddenDocuments& hidden);
  // REQUIRES: it is above the last one; size() < kBlockLength.
  void add(DocId docid, std::uint32_t place) {
    docids_[count_] = docid;
    places_[count_++] = place;
  }
  // Whether they are what view() gave.
  bool holds(const Candidates& these) const { return these.docids == docids_.data(); }
  // What was appended. Valid until the next change.
  Candidates view();

 private:
  friend void intersect(const Candidates&, const TermReader&, CandidateBuffer&,
                        std::array<std::uint32_t, kBlockLength>*);
  friend bool intersect(const Candidates&, const lists::BucketIndex&, CandidateBuffer&,
                        std::array<std::uint32_t, kBlockLength>*);
  std::uint32_t count_ = 0;
  // Longer than a block, since vectors are stored whole.
  alignas(64) std::array<DocId, kBlockLength + kSelectSlack> docids_;
  alignas(64) std::array<std::uint32_t, kBlockLength + kSelectSlack> places_;
};

// Appends the candidates found in the reader's block to `kept`, and sets postings[place] to block * 128 + position for
// each; `postings` may be null.
// REQUIRES: at least one candidate; none is above the block's last docID.
void intersect(const Candidates& candidates, const TermReader& reader, CandidateBuffer& kept,
               std::array<std::uint32_t, kBlockLength>* postings);
// The list's index, if it takes less time to look the candidates up there than to decode the blocks that may have them;
// else null.
const lists::BucketIndex* index_for(const Candidates& candidates, const TermReader& reader);
// The same for the whole list, by its index. False: the list ends before the last candidate.
bool intersect(const Candidates& candidates, const lists::BucketIndex& index, CandidateBuffer& kept,
               std::array<std::uint32_t, kBlockLength>* postings);

}  // namespace frond::leaf::cpu
