#pragma once
// The names under which a server may be asked. What it is for: a page of somebody else, in the browser of one of our
// users, whose name's address was changed to ours (DNS rebinding), is to that browser of the same origin as we are, and
// would read what we answer; but it asks under its own name. Values; const functions from any thread.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace frond::http {

class HostList {
 public:
  // No names: any name is admitted.
  HostList() = default;
  // Names as DNS has them, in any case, without scheme and port. kInvalid says which is none.
  static Result<HostList> parse(std::span<const std::string> names);

  // `host` as a request has it: with a port or without, which does not matter. Addresses and "localhost" are always
  // admitted: nobody can give these to a page of his own.
  bool admits(std::string_view host) const { return names_.empty() || has(host); }

 private:
  bool has(std::string_view host) const;
  std::vector<std::string> names_;  // in lower case, without a dot at the end
};

}  // namespace frond::http
