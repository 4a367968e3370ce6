// What a document must be for a change to be made: its version or sequence number.

#include "broker/elasticsearch/documents/document_writes.h"
#include "common/base/text.h"
#include "common/elasticsearch/json_body.h"

namespace frond::broker::elasticsearch {

Expected<std::optional<std::uint64_t>> condition_in(const Json& conditions, const char* name) {
  const auto found = conditions.find(name);
  if (found == conditions.end() || found->is_null()) return std::optional<std::uint64_t>();
  const std::string text = text_in(*found);
  const auto number = number_in<std::int64_t>(text);
  if (!number || *number < 0)
    return illegal_argument("Failed to parse value [" + text.substr(0, 100) + "] for parameter [" + name + "]");
  return std::optional(static_cast<std::uint64_t>(*number));
}

Expected<void> set_conditions(DocumentChange& change, const Json& conditions) {
  change.if_seq_no = FROND_EXPECT_OK(condition_in(conditions, "if_seq_no"));
  const auto term = FROND_EXPECT_OK(condition_in(conditions, "if_primary_term"));
  if (change.if_seq_no && term.value_or(0) == 0) return validation_failed("ifSeqNo is set, but primary term is [0]");
  if (term && !change.if_seq_no)
    return validation_failed("ifSeqNo is unassigned, but primary term is [" + std::to_string(*term) + "]");
  change.if_primary_term = term.value_or(1);
  const auto version = FROND_EXPECT_OK(condition_in(conditions, "version"));
  const auto given = conditions.find("version_type");
  const std::string type = given == conditions.end() ? "internal" : text_or(conditions, "version_type");
  if (type != "internal" && type != "external" && type != "external_gt" && type != "external_gte")
    return illegal_argument("No version type match [" + dumped(*given).substr(0, 100) + "]");
  if (type == "internal" && version)
    return validation_failed(
        "internal versioning can not be used for optimistic concurrency control. Please use `if_seq_no` and "
        "`if_primary_term` instead");
  if (type == "internal") return {};
  if (!version) return validation_failed("illegal version value [-3] for version type [EXTERNAL]");
  if (change.kind == DocumentChange::Kind::kUpdate)
    return validation_failed("updates do not support external versioning");
  if (change.if_seq_no) return validation_failed("if_seq_no and an external version exclude each other");
  change.counted = type == "external_gte" ? DocumentChange::Counted::kNotLess : DocumentChange::Counted::kGreater;
  change.version = *version;
  return {};
}

ApiError conflict_of(const DocumentChange& change, const std::string& id, const Json& told) {
  const bool exists = flag_or(told, "exists");
  const auto version = std::to_string(number_or(told, "version"));
  if (change.if_seq_no) {
    const std::string wanted = "required seqNo [" + std::to_string(*change.if_seq_no) + "], primary term [" +
                               std::to_string(change.if_primary_term) + "]. ";
    if (!exists) return version_conflict(id, wanted + "but no document was found");
    const std::uint64_t now = number_or(told, "change", 1) - 1;
    return version_conflict(id,
                            wanted + "current document has seqNo [" + std::to_string(now) + "] and primary term [1]");
  }
  if (change.counted != DocumentChange::Counted::kHere)
    return version_conflict(id, "current version [" + version + "] is higher " +
                                    (change.counted == DocumentChange::Counted::kGreater ? "or equal to" : "than") +
                                    " the one provided [" + std::to_string(change.version) + "]");
  return version_conflict(id, "document already exists (current version [" + version + "])");
}

}  // namespace frond::broker::elasticsearch
