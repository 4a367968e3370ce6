#include "leaf/cpu/algorithms.h"

#include "common/base/check.h"
#include "leaf/cpu/disjunction.h"
#include "leaf/cpu/exhaustive_or.h"
#include "leaf/cpu/maxscore.h"
#include "leaf/cpu/wand.h"

namespace frond::leaf::cpu {
namespace {

constexpr DisjunctionAlgorithm kDisjunctions[] = {
    {kAutomatic, search_disjunction},
    {"windowed", search_disjunction},
    {"exhaustive-or", search_exhaustive_or},
    {"maxscore", search_maxscore},
    {"block-max-maxscore", search_block_max_maxscore},
    {"wand", search_wand},
    {"block-max-wand", search_block_max_wand},
};

}  // namespace

const DisjunctionAlgorithm& disjunction_named(std::string_view name) {
  for (const auto& one : kDisjunctions)
    if (one.name == name) return one;
  FROND_CHECK(false);
  return kDisjunctions[0];
}

}  // namespace frond::leaf::cpu
