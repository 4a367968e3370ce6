#include "common/partition/terms/term_digests.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "common/base/check.h"

namespace frond::partition {

std::uint64_t hash_of_term(std::string_view term) { return XXH3_64bits(term.data(), term.size()); }

void TermDigests::add(std::string_view term, std::span<const DocId> docids, std::span<const Frequency> frequencies) {
  FROND_CHECK(docids.size() == frequencies.size());
  const std::uint64_t hash = hash_of_term(term);
  for (std::size_t i = 0; i < docids.size(); ++i) digests_[docids[i]] += frequencies[i] * hash;
}

}  // namespace frond::partition
