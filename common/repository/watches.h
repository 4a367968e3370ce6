#pragma once
// The two kinds of CurrentWatch. Internal: RepositorySource::watch() makes them.
#include <filesystem>
#include <memory>
#include <string>

#include "common/net/address.h"
#include "common/repository/current_watch.h"
#include "common/tls/trust.h"

namespace frond::repository {

// `collection`: its folder.
std::unique_ptr<CurrentWatch> watch_directory(std::filesystem::path collection);
// `path`: CURRENT's, below `root`. `trust`: null for plain HTTP.
std::unique_ptr<CurrentWatch> watch_http(net::Url root, std::shared_ptr<const tls::Trust> trust, std::string path);

}  // namespace frond::repository
