#pragma once
// A hash of client addresses, with a secret of this process, so that nobody can choose addresses that fall together.
// Any thread.
#include <cstddef>

#include "common/http/access.h"

namespace frond::http {

struct AddressHash {
  std::size_t operator()(const ClientAddress& address) const;
};

}  // namespace frond::http
