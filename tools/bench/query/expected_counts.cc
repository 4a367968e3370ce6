#include "tools/bench/query/expected_counts.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace frond::tools::bench {
namespace {

using leaf::engine::Plan;
using Bits = std::vector<std::uint64_t>;

Result<Bits> documents_of(const postings::PostingList& list, std::size_t documents) {
  Bits bits((documents + 63) / 64);
  std::array<std::uint32_t, postings::kBlockLength> docids{};
  for (std::uint32_t block = 0; block < list.blocks(); ++block) {
    FROND_TRY(list.decode_docids(block, docids));
    for (std::uint32_t i = 0; i < list.block_size(block); ++i)
      bits[docids[i] / 64] |= std::uint64_t{1} << docids[i] % 64;
  }
  return bits;
}

Result<Bits> matches_of(const Plan& plan) {
  Bits found;
  for (const auto& term : plan.terms) {
    const Bits more = FROND_TRY(documents_of(term.list->postings, plan.lengths.size()));
    if (found.empty()) found = more;
    for (std::size_t i = 0; i < more.size(); ++i)
      found[i] = plan.mode == leaf::engine::Mode::kAnd ? found[i] & more[i] : found[i] | more[i];
  }
  for (std::size_t i = 0; plan.hidden != nullptr && i < found.size(); ++i) found[i] &= ~plan.hidden->word(i);
  return found;
}

}  // namespace

Result<std::vector<std::vector<std::uint32_t>>> expected_counts(const Plan& plan) {
  const Bits found = FROND_TRY(matches_of(plan));
  std::vector<std::vector<std::uint32_t>> counts;
  for (const auto& codes : plan.counted) {
    auto& own = counts.emplace_back(codes->codes());
    std::vector<std::byte> word(std::size_t{64} * codes->width());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] == 0) continue;
      codes->write(static_cast<DocId>(64 * i), word);
      for (std::uint64_t bits = found[i]; bits != 0; bits &= bits - 1) {
        std::uint32_t code = 0;
        std::memcpy(&code, &word[static_cast<std::size_t>(std::countr_zero(bits)) * codes->width()], codes->width());
        ++own[code];
      }
    }
  }
  return counts;
}

}  // namespace frond::tools::bench
