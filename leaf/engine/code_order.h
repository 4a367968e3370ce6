#pragma once
// An order of documents by codes of columns (document_codes.h) and scores, for a device: what a document has of these
// is one number, its key, and of two documents the one with the smaller key comes first; of equal keys the documents'
// order decides. leaf/collect makes these.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/ids.h"
#include "common/scoring/bm25.h"
#include "leaf/engine/document_codes.h"

namespace frond::leaf::engine {

// A part of the key: the code, or, descending, its distance from end(); where there is no value 0, or end(). A score is
// a code, and always there.
struct CodeKey {
  std::shared_ptr<const DocumentCodes> codes;  // null: the part is of the score
  bool descending = false, missing_first = false;
  scoring::Score most_score = 0;  // of the score: no document of the plan has a higher one

  bool is_score() const { return codes == nullptr; }
  std::uint64_t end() const { return is_score() ? most_score : codes->codes(); }
  std::uint32_t bits() const { return static_cast<std::uint32_t>(std::bit_width(end())); }
  std::uint64_t part(std::uint64_t code) const {
    if (code == 0 && !is_score()) return missing_first ? 0 : end();
    return descending ? end() - code : code;
  }
};

struct CodeOrder {
  static constexpr std::uint32_t kMostBits = 64;

  std::vector<CodeKey> keys;  // the first has the highest bits of a document's key
  bool last_first = false;    // of equal documents the one with the higher docID comes first
  // Only documents from this place on are hits: those with a greater key, and of this key those with tie_of() of
  // `after_tie` or more.
  std::uint64_t after_key = 0;
  std::uint32_t after_tie = 0;

  std::uint32_t tie_of(DocId docid) const { return last_first ? ~docid : docid; }
  DocId docid_of(std::uint32_t tie) const { return last_first ? ~tie : tie; }
  bool has_score() const { return std::ranges::any_of(keys, &CodeKey::is_score); }
  std::uint32_t bits() const {
    std::uint32_t sum = 0;
    for (const CodeKey& key : keys) sum += key.bits();
    return sum;
  }
};

// `key` with a further part of so many bits behind.
inline std::uint64_t with_part(std::uint64_t key, std::uint32_t bits, std::uint64_t part) {
  return bits < CodeOrder::kMostBits ? key << bits | part : part;
}

}  // namespace frond::leaf::engine
