// Any text up to the first line end as an order of hits, and what follows as sort bytes of it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/check.h"
#include "common/query/sort_order.h"
#include "tests/support/query_schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond;
  using By = query::SortKey::By;
  static const schema::Schema fields = support::query_schema();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto line_end = input.find('\n');
  const auto order = query::parse_sort(input.substr(0, line_end));
  if (!order) return 0;
  const std::string text = query::sort_text(*order);
  FROND_CHECK(text.size() <= query::kMaxSortTextBytes);
  const auto again = query::parse_sort(text);
  FROND_CHECK(again && query::sort_text(*again) == text);
  if (!query::check_sort(*order, fields) || line_end == input.npos) return 0;
  const std::string_view bytes = input.substr(line_end + 1);
  const auto values = query::read_sort_bytes(bytes, *order, fields);
  if (!values) return 0;
  // There is one encoding of each value.
  FROND_CHECK(bytes.size() <= query::kMaxSortBytes);
  std::string made;
  for (std::size_t i = 0; i < values->size(); ++i) {
    const query::SortKey& key = (*order)[i];
    const query::SortValue& value = (*values)[i];
    if (key.by == By::kScore) {
      query::SortBytes::add_score(key, value.score, made);
    } else if (key.by == By::kOrder) {
      query::SortBytes::add_order(key, value.ordinal, made);
    } else if (const auto type = fields.find(key.field)->type; type == schema::FieldType::kKeyword) {
      std::optional<std::string_view> word;
      if (value.value) word = std::get<std::string>(*value.value);
      query::SortBytes::add_keyword(key, word, made);
    } else {
      std::optional<std::uint64_t> number;
      if (value.value) number = schema::ordering_key(type, *value.value);
      query::SortBytes::add_number(key, number, made);
    }
  }
  FROND_CHECK(made == bytes);
  return 0;
}
