#pragma once
// GET /v1/collections and what is below it: which collections a repository has, and what their generations hold; and
// the routes that change collections (docs/writing.md, "Writing over HTTP"). Handlers read CURRENT and a manifest
// each, or wait for the disk, so they may block.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "common/http/message.h"
#include "common/http/server/client_turns.h"
#include "common/http/server/router.h"
#include "indexer/serve/served_repository.h"
#include "indexer/write/written_collections.h"

namespace frond::indexer::serve {

inline constexpr std::string_view kCollectionsPath = "/v1/collections",
                                  kCollectionPath = "/v1/collections/{collection}";

// The name in the request's path; one with a broken escape is none, and comes as it stands.
std::string collection_of(const http::Request& request, std::string_view pattern);

// A body: one line.
std::string dumped(const nlohmann::ordered_json& json);
// Of a problem that may pass in a second.
http::Response with_retry(http::Response response);

// {"collections":[{"collection","generation"}]}, by name. A collection of which nothing is published is listed by a
// service that writes it alone, without a generation. `written`: of such a service; then what is kept with a collection
// has its version as "metadata", and so has, beside the list, what is kept for all.
http::Response list_collections(const ServedRepository& repository, write::WrittenCollections* written = nullptr);
// 404: there is no such collection, or nothing of it is published; 503: it can't be read, with the cause. `written`: of
// a service that writes: the answer has a member "writing", and a collection without a generation is described, too.
http::Response describe_collection(const ServedRepository& repository, std::string_view collection,
                                   write::WrittenCollections* written = nullptr);
// {"generations":[{"generation","current"}]}, ascending. Errors as describe_collection().
http::Response list_generations(const ServedRepository& repository, std::string_view collection);

// A line of documents makes a line of the answer. Of lines that are refused, so many say why: the answer to short lines
// is not many times as long as they are.
inline constexpr std::size_t kMaxLines = 100'000, kMaxDetails = 100;
// Records that are made of a request's documents here have so many times its bytes at most.
inline constexpr std::size_t kMappedTimes = 3;
// Of the documents that one request reads.
inline constexpr std::size_t kMaxLatestBytes = 16 << 20;

struct WriteRoutes {
  write::WrittenCollections* collections = nullptr;  // null: nothing is written, and changes are answered 403
  const ServedRepository* repository = nullptr;
  std::size_t max_request = 0;         // bytes of documents
  http::ClientTurns* turns = nullptr;  // threads that may wait
  // What is referred to outlives the router.
  void add_to(http::Router& router) const;
};

// Of one collection that is written here: document_routes.cc.
http::Response change_documents(write::CollectionWriter& writer, http::Request& request);
http::Response latest_documents(write::CollectionWriter& writer, http::Request& request);
http::Response get_metadata(write::CollectionWriter& writer, http::Request& request);
http::Response put_metadata(write::CollectionWriter& writer, http::Request& request);
// Of all collections.
http::Response get_common_metadata(write::WrittenCollections& all, http::Request& request);
http::Response put_common_metadata(write::WrittenCollections& all, http::Request& request);

// nullopt: it may be read as lines. 415: another kind; 400: an array of JSON under the right name.
std::optional<http::Response> other_than_lines(const http::Request& request);

}  // namespace frond::indexer::serve
