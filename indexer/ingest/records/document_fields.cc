#include "indexer/ingest/records/document_fields.h"

#include <algorithm>
#include <cmath>

#include "common/scoring/bm25.h"
#include "common/text/field_term.h"
#include "common/text/limits.h"

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

Result<void> WeightsReader::refuse(std::string_view token, const std::string& what) {
  ++left_out_;
  if (coerce_) return {};
  constexpr std::size_t kShownBytes = 100;
  return Error(Code::kInvalid, "field '" + field_.name + "': the token " +
                                   schema::quote(std::string(token.substr(0, kShownBytes))) + " " + what);
}

Result<void> WeightsReader::add(std::string_view token, double weight) {
  if (!(weight >= 0 && weight <= kMaxWeight))  // true for NaN
    return refuse(token, "has weight " + schema::text_of(weight) + ", not from 0 to 1,000,000,000");
  if (token.empty() || token.size() > text::kMaxTermBytes || token.find('\0') != token.npos ||
      text::is_field_term(token))
    return refuse(token, "is empty, longer than " + std::to_string(text::kMaxTermBytes) +
                             " bytes, or has characters that no term has");
  const double whole = std::floor(weight * field_.scale + 0.5), impact = std::min(whole, double{scoring::kMaxImpact});
  if (impact < 1) return {};
  if (weights_.size() == kMaxWeights)
    return refuse(token, "is one of more than " + std::to_string(kMaxWeights) + " in a document");
  cut_ |= impact < whole;
  weights_.push_back({std::string(token), static_cast<std::uint8_t>(impact)});
  return {};
}

Result<void> WeightsReader::add_other(std::string_view token, std::string_view what) {
  return refuse(token, "holds " + std::string(what) + ", which is no weight");
}

Result<void> WeightsReader::finish(DocumentFields& to) && {
  std::ranges::stable_sort(weights_, {}, &DocumentFields::Weight::token);
  for (std::size_t i = 1; i < weights_.size(); ++i)
    if (weights_[i].token == weights_[i - 1].token) FROND_TRY(refuse(weights_[i].token, "is there twice"));
  const auto same_token = [](const auto& a, const auto& b) { return a.token == b.token; };
  weights_.erase(std::unique(weights_.begin(), weights_.end(), same_token), weights_.end());
  to.weights = std::move(weights_);
  to.impacts_cut = cut_;
  to.left_out += left_out_;
  return {};
}

}  // namespace frond::indexer::ingest
