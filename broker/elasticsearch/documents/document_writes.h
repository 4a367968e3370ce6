#pragma once
// Changes of documents, by the indexer's service: found, transformed, sent, and told of as Elasticsearch does, item by
// item. All calls wait.
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "broker/elasticsearch/indices/index_admin.h"
#include "broker/elasticsearch/routes.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxDocumentId = 512;  // bytes

struct DocumentChange {
  enum class Kind : std::uint8_t { kIndex, kCreate, kUpdate, kDelete };
  Kind kind = Kind::kIndex;
  std::string index;          // as it was named
  std::string id;             // empty: one is made, of kIndex and kCreate
  std::string_view source{};  // of an update: {"doc":…,"upsert":…}; outlives this
  std::optional<std::uint64_t> if_seq_no;
  std::uint64_t if_primary_term = 1;                                // with if_seq_no; documents have 1
  enum class Counted : std::uint8_t { kHere, kGreater, kNotLess };  // version_type
  Counted counted = Counted::kHere;
  std::uint64_t version = 0;
  bool require_alias = false;
};
// Sets what a change depends on, by the members "if_seq_no", "if_primary_term", "version" and "version_type" of an
// object, whose numbers may be texts. 400: one can't be read, or they do not go together, or with the kind of change.
Expected<void> set_conditions(DocumentChange& change, const Json& conditions);
// A member that may be a text. Nothing: it is not there. 400: it is no number from 0 to 2^63 - 1.
Expected<std::optional<std::uint64_t>> condition_in(const Json& conditions, const char* name);
// 409: the document is not what the change depends on. `told`: "exists", "version" and "change" of what it is.
ApiError conflict_of(const DocumentChange& change, const std::string& id, const Json& told);
std::string_view name_of(DocumentChange::Kind kind);  // "index"

struct DocumentResult {
  std::string index, id;  // the real index
  std::optional<ApiError> error;
  std::string result;  // "created", "updated", "deleted", "not_found", "noop"
  std::uint64_t version = 0, seq_no = 0;
  bool has_seq_no = true;
  std::string shards;  // JSON
  int status() const;
};

// What the parameter refresh asks for. 400: another value.
enum class Refresh : std::uint8_t { kNo, kNow, kWaitFor };
Expected<Refresh> refresh_of(const Call& call);

// Makes the changes, each for itself, in their order for each document. An index that is missing is made. Of a service
// that can't take more now: 429 of the whole, or of the items that it concerns.
std::vector<DocumentResult> change_documents(const Targets& to, std::vector<DocumentChange> changes);
// Of those that did not fail and changed something.
std::set<std::string> changed_indices(const std::vector<DocumentResult>& results);

// {"_index","_id","_version","result", …}: of one that did not fail.
std::string result_text(const DocumentResult& result, bool forced_refresh);
inline constexpr std::string_view kForcedRefresh = ",\"forced_refresh\":true";  // in it

// The documents of an index as they are by now: what was accepted is there, though searches do not find it yet.
struct FoundDocument {
  bool found = false;
  std::uint64_t version = 0;
  std::optional<std::uint64_t> seq_no;
  std::string source;  // as it was given
};
Expected<std::vector<FoundDocument>> read_documents(const Targets& to, const std::string& index,
                                                    const std::vector<std::string>& ids);

// 400 action_request_validation_exception.
Expected<void> check_id(std::string_view id);

}  // namespace frond::broker::elasticsearch
