#include "indexer/ingest/records/document_fields.h"

#include <algorithm>

namespace frond::indexer::ingest {

Result<void> ColumnReader::add(const schema::Value& raw) {
  auto value = schema::typed_value(field_.type, raw, reading_);
  if (!value) {
    if (!coerce_) return std::move(value).error().within("field '" + field_.name + "'");
    ++left_out_;
    return {};
  }
  auto& values = column_.values;
  const auto at = std::lower_bound(values.begin(), values.end(), *value);
  if (at != values.end() && *at == *value) return {};
  const std::size_t most = field_.many ? partition::kMaxValuesOfField : 1;
  const auto* const text = std::get_if<std::string>(&*value);
  const std::size_t bytes = bytes_ + sizeof(std::uint64_t) + (text == nullptr ? 0 : text->size());
  if (values.size() == most || bytes > kMaxColumnBytes) {
    if (coerce_) {
      ++left_out_;
      return {};
    }
    if (values.size() < most)
      return Error(Code::kInvalid,
                   "field '" + field_.name + "' has more than " + std::to_string(kMaxColumnBytes) + " bytes of values");
    return Error(Code::kInvalid, "field '" + field_.name + "' has " +
                                     (field_.many ? "more than " + std::to_string(most) + " values"
                                                  : std::string("several values, and is not \"many\" in the schema")));
  }
  bytes_ = bytes;
  values.insert(at, *std::move(value));
  return {};
}

Result<void> ColumnReader::add_other(std::string_view what) {
  if (!coerce_)
    return Error(Code::kInvalid, "field '" + field_.name + "' holds " + std::string(what) + ", which is no " +
                                     std::string(name_of(field_.type)));
  ++left_out_;
  return {};
}

void ColumnReader::finish(DocumentFields& to) && {
  to.left_out += left_out_;
  if (!column_.values.empty()) to.columns.push_back(std::move(column_));
}

}  // namespace frond::indexer::ingest
