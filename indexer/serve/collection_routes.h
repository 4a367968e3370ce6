#pragma once
// GET /v1/collections and what is below it: which collections a repository has, and what their generations hold. They
// read CURRENT and a manifest each, so they may block.
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "common/http/message.h"
#include "indexer/serve/served_repository.h"

namespace frond::indexer::write {
class WrittenCollections;
}

namespace frond::indexer::serve {

inline constexpr std::string_view kCollectionsPath = "/v1/collections";

// A body: one line.
std::string dumped(const nlohmann::ordered_json& json);
// Of a problem that may pass in a second.
http::Response with_retry(http::Response response);

// {"collections":[{"collection","generation"}]}, by name; a collection of which nothing is published is not listed.
http::Response list_collections(const ServedRepository& repository);
// 404: there is no such collection, or nothing of it is published; 503: it can't be read, with the cause. `written`: of
// a service that writes: the answer has a member "writing", and a collection without a generation is described, too.
http::Response describe_collection(const ServedRepository& repository, std::string_view collection,
                                   write::WrittenCollections* written = nullptr);
// {"generations":[{"generation","current"}]}, ascending. Errors as describe_collection().
http::Response list_generations(const ServedRepository& repository, std::string_view collection);

}  // namespace frond::indexer::serve
