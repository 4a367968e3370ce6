// Any bytes as what a node of Elasticsearch answers: as its mapping, and as a page of hits, of which each line is one
// object of JSON.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/base/check.h"
#include "tools/import/import_state.h"
#include "tools/import/mapping_schema.h"
#include "tools/import/record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace frond::tools;
  using frond::elasticsearch::MappedField, frond::elasticsearch::Type;
  static const std::vector<MappedField> fields{{"t", "t", "t", Type::kText},       {"k", "k", "k", Type::kKeyword, 5},
                                               {"o.n", "o.n", "o.n", Type::kLong}, {"f", "f", "f", Type::kFloat},
                                               {"b", "b", "b", Type::kBoolean},    {"d", "d", "d", Type::kDate}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto mapping = read_mapping(text, true)) FROND_CHECK(nlohmann::json::accept(mapping->settings));
  if (const auto state = read_state(std::string(text))) FROND_CHECK(*read_state(text_of(*state)) == *state);
  const auto page = read_page(fields, text);
  if (!page) return 0;
  for (const std::string& line : page->lines) FROND_CHECK(line.find('\n') == line.size() - 1);
  return 0;
}
