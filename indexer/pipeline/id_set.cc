#include "indexer/pipeline/id_set.h"

#include <algorithm>
#include <utility>

namespace frond::indexer {

bool IdSet::insert_into(std::vector<IdHash>& slots, IdHash id) {
  const std::size_t mask = slots.size() - 1;
  for (std::size_t at = id.low & mask;; at = (at + 1) & mask) {
    if (slots[at] == id) return false;
    if (slots[at] == IdHash{}) {
      slots[at] = id;
      return true;
    }
  }
}

bool IdSet::insert(IdHash id) {
  if (id == IdHash{}) id.low = 1;  // the mark of a free slot
  Table& table = tables_[id.high >> 56];
  if (table.used * 4 >= table.slots.size() * 3) {
    const std::vector<IdHash> old =
        std::exchange(table.slots, std::vector<IdHash>(std::max<std::size_t>(16, table.slots.size() * 2)));
    for (const IdHash& other : old)
      if (!(other == IdHash{})) insert_into(table.slots, other);
    slots_ += table.slots.size() - old.size();
  }
  if (!insert_into(table.slots, id)) return false;
  ++table.used;
  ++size_;
  return true;
}

}  // namespace frond::indexer
