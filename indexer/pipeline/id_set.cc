#include "indexer/pipeline/id_set.h"

#include <algorithm>
#include <utility>

namespace frond::indexer::pipeline {

namespace {
constexpr std::size_t kFirstSlots = 128;
}  // namespace

// {0, 0} is the mark of a free slot.
parse::IdHash IdSet::filled(parse::IdHash id) {
  if (id == parse::IdHash{}) id.low = 1;
  return id;
}

// In the order of the hashes, so a table is copied into a larger one from front to back.
std::size_t IdSet::place_of(parse::IdHash id, std::size_t slots) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::size_t>(Wide{id.low} * slots >> 64);
}

void IdSet::fetch(parse::IdHash id) const {
  id = filled(id);
  const std::vector<parse::IdHash>& slots = tables_[table_of(id)].slots;
  __builtin_prefetch(slots.data() + place_of(id, slots.size()), 1);
}

bool IdSet::insert_into(std::vector<parse::IdHash>& slots, parse::IdHash id) {
  for (std::size_t at = place_of(id, slots.size());; at = at + 1 == slots.size() ? 0 : at + 1) {
    if (slots[at] == id) return false;
    if (slots[at] == parse::IdHash{}) {
      slots[at] = id;
      return true;
    }
  }
}

bool IdSet::insert(parse::IdHash id) {
  id = filled(id);
  const std::size_t number = table_of(id);
  Table& table = tables_[number];
  if (table.used * 5 >= table.slots.size() * 4) {
    const std::size_t quarters = bytes() < doubled_bytes_ ? 4 : 1;  // more
    // Between the first of all tables there is as much.
    const std::size_t first_slots = kFirstSlots + kFirstSlots * quarters / 4 * number / tables_.size();
    const std::size_t slots = table.slots.size() + table.slots.size() * quarters / 4;
    const std::vector<parse::IdHash> old =
        std::exchange(table.slots, std::vector<parse::IdHash>(std::max(first_slots, slots)));
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
