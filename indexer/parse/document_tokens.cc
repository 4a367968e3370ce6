#include "indexer/parse/document_tokens.h"

#include <utility>

namespace frond::indexer::parse {

DocumentTokens::DocumentTokens(std::shared_ptr<const schema::Schema> schema, const text::AnalyzerConfig& analyzer)
    : schema_(std::move(schema)), collection_(analyzer), own_(schema_->fields.size()) {
  for (std::uint32_t i = 0; i < schema_->fields.size(); ++i) {
    const schema::Field& field = schema_->fields[i];
    if (field.type != schema::FieldType::kText) continue;
    has_positions_ = has_positions_ || field.positions;
    if (field.name == "title") title_ = i;
    if (field.name == "body") body_ = i;
    if (!field.analyzer.empty() && field.analyzer != name_of(analyzer.kind)) {
      constexpr int kFewCachedBits = 12;
      own_[i] = std::make_unique<text::Analyzer>(text::field_analyzer(analyzer, field.analyzer), kFewCachedBits);
    }
  }
}

void DocumentTokens::begin() {
  lengths_.clear();
  constexpr std::size_t kKeptBytes = std::size_t{4} << 20;
  codes_.clear();
  if (codes_.capacity() > kKeptBytes) codes_.shrink_to_fit();  // after a large document
  writer_.begin_document();
}

void DocumentTokens::end() { writer_.finish(codes_); }

}  // namespace frond::indexer::parse
