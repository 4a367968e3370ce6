#pragma once
// Why the documents of a page have their scores.
#include <span>

#include "common/base/deadline.h"
#include "common/base/result.h"
#include "common/wire/messages.h"
#include "leaf/generation/served_generation.h"
#include "leaf/serve/search/search_parts.h"

namespace frond::leaf::serve {

// Sets `explanation` of those documents that were found and match `search`, which ranks by score. Its lists are fetched
// again; usually the cache has them. On errors some have none: those of SearchQuery.
Result<void> explain(const generation::ServedGeneration& generation, const wire::SearchRequest& search,
                     const SearchParts& parts, Deadline deadline, std::span<wire::FetchedDocument> documents);

}  // namespace frond::leaf::serve
