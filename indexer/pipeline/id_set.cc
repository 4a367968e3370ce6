#include "indexer/pipeline/id_set.h"

#include <algorithm>
#include <utility>

namespace frond::indexer::pipeline {

namespace {
constexpr std::size_t kFirstSlots = 128;
}  // namespace

bool IdSet::insert_into(std::vector<parse::IdHash>& slots, parse::IdHash id) {
  __extension__ using Wide = unsigned __int128;
  // In the order of the hashes, so a table is copied into a larger one from front to back.
  auto at = static_cast<std::size_t>(Wide{id.low} * slots.size() >> 64);
  for (;; at = at + 1 == slots.size() ? 0 : at + 1) {
    if (slots[at] == id) return false;
    if (slots[at] == parse::IdHash{}) {
      slots[at] = id;
      return true;
    }
  }
}

bool IdSet::insert(parse::IdHash id) {
  if (id == parse::IdHash{}) id.low = 1;  // the mark of a free slot
  const std::size_t number = id.high >> 59;
  Table& table = tables_[number];
  if (table.used * 5 >= table.slots.size() * 4) {
    // Between these there is a quarter.
    const std::size_t first_slots = kFirstSlots + kFirstSlots / 4 * number / tables_.size();
    const std::vector<parse::IdHash> old =
        std::exchange(table.slots, std::vector<parse::IdHash>(std::max(first_slots, table.slots.size() * 5 / 4)));
    for (const parse::IdHash& other : old)
      if (!(other == parse::IdHash{})) insert_into(table.slots, other);
    slots_ += table.slots.size() - old.size();
  }
  if (!insert_into(table.slots, id)) return false;
  ++table.used;
  ++size_;
  return true;
}

}  // namespace frond::indexer::pipeline
