#pragma once
// Which collections a repository has. Any thread; blocks.
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/repository/repository.h"

namespace frond::repository {

// Names, ascending: of collections with a generation, and of those that a service has made for documents to come. Of
// an http repository the indexer's service is asked, which serves it below /repository. Errors: as
// RepositorySource::open(); kUnavailable: it can't be read now; kInvalid also: whoever serves it can't tell.
Result<std::vector<std::string>> list_collections(std::string_view directory_or_url, const HttpReading& http = {},
                                                  const objects::Access& objects = {});

}  // namespace frond::repository
