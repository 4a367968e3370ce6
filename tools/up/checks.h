#pragma once
// What `frond up` looks at before it starts anything, so that a mistake is one line at once, not the end of a program
// after an hour of indexing.
#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/net/address.h"

namespace frond::tools::up {

// Where HTTP is served.
struct Place {
  net::HostPort at;
  bool loopback = false;  // only this machine's programs reach it
  std::string text() const { return net::join(at.host, std::to_string(at.port)); }
  net::Url url() const { return {at.host, std::to_string(at.port), "", false}; }
};

// Of --http, or of another flag. kUnavailable: the port is taken, or the address is not this machine's. The port is
// free again when this returns; port 0 has become one.
Result<Place> free_place(const std::string& http, const std::string& flag = "--http");

// Absolute paths of --input. kNotFound: one is not there; kInvalid: it contains the folder `state`, which would be
// indexed with it.
Result<std::vector<std::string>> checked_inputs(const std::vector<std::string>& inputs,
                                                const std::filesystem::path& state);

}  // namespace frond::tools::up
