// An index as searches need it: its mapping, read once a thread.
#include <algorithm>
#include <map>

#include "broker/elasticsearch/search/index_search.h"

namespace frond::broker::elasticsearch {

Expected<SearchedIndex> searched_index(const Meant& meant, const std::shared_ptr<const Indices>& indices) {
  thread_local std::shared_ptr<const Indices> known;
  thread_local std::map<const Index*, std::shared_ptr<const Mapping>> mappings;
  if (known != indices) {
    mappings.clear();
    known = indices;
  }
  std::shared_ptr<const Mapping>& mapping = mappings[meant.index];
  if (mapping == nullptr) {
    auto read = FROND_EXPECT_OK(read_mapping(meant.index->settings, meant.index->mapping));
    if (meant.index->derived)
      for (MappedField& field : read.fields) field.column = field.name;
    mapping = std::make_shared<const Mapping>(std::move(read));
  }
  return SearchedIndex{meant.index->name, mapping, meant.index->derived, meant.filters};
}

text::Analyzer& analyzer_of(const text::AnalyzerConfig& config) {
  constexpr std::size_t kMaxKept = 64;
  thread_local std::vector<std::unique_ptr<text::Analyzer>> kept;
  for (const auto& one : kept)
    if (one->config() == config) return *one;
  if (kept.size() == kMaxKept) kept.clear();
  return *kept.emplace_back(std::make_unique<text::Analyzer>(config, /*cache_bits=*/0));
}

std::shared_ptr<const cluster::Topology> no_documents(const Mapping& mapping) {
  auto topology = std::make_shared<cluster::Topology>();
  topology->schema = std::make_shared<const schema::Schema>(schema_of(mapping));
  topology->analyzer = mapping.analyzer;
  return topology;
}

SearchedIndex without_new_fields(SearchedIndex index, const schema::Schema& schema) {
  const auto is_new = [&](const MappedField& field) { return schema.find(field.column) == nullptr; };
  if (std::ranges::none_of(index.mapping->fields, is_new)) return index;
  Mapping fewer = *index.mapping;
  std::erase_if(fewer.fields, is_new);
  index.mapping = std::make_shared<const Mapping>(std::move(fewer));
  return index;
}

}  // namespace frond::broker::elasticsearch
