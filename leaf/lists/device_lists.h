#pragma once
// Seam: the lists in a GPU's memory, and arrays by document beside them, for searches that make plans.
#include <memory>

#include "leaf/lists/list_store.h"

namespace frond::leaf::lists {

// A list in device memory, which stays there as long as this object. Only the GPU's engine knows what it is.
using DeviceLease = std::shared_ptr<const KeptList>;

class DeviceLists {
 public:
  virtual ~DeviceLists() = default;
  // The list becomes the most recently used one. Null: it is not in device memory. Any thread; does not wait for
  // copies.
  virtual DeviceLease find(const ListKey& key) = 0;
  // An array by document that has this owner in host memory (HiddenDocuments::words(), DocumentPriors::arrays()): it
  // stays in device memory as long as the result. Null: it is not there. Any thread.
  virtual std::shared_ptr<const void> find_array(const std::shared_ptr<const void>& owner) = 0;
};

}  // namespace frond::leaf::lists
