#pragma once
// The host names that a server answers to. This stops DNS rebinding: a hostile page changes its name's address to ours,
// so that a user's browser takes our answers for the page's own; but its requests carry the page's name, not one of
// ours. Values; const functions from any thread.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::http {

class HostList {
 public:
  // Without names every name is admitted.
  HostList() = default;
  // DNS names, in any case, without scheme and port. kInvalid quotes the one that is not a name.
  static Result<HostList> parse(std::span<const std::string> names);

  // `host` as in a request, with or without a port, which is ignored. Addresses and "localhost" are always admitted,
  // since no hostile page can have them as its name.
  bool admits(std::string_view host) const { return names_.empty() || has(host); }

 private:
  bool has(std::string_view host) const;
  std::vector<std::string> names_;  // in lower case, without a dot at the end
};

}  // namespace frond::http
