// Any bytes as a schema, and as a value of each type of column.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/check.h"
#include "common/schema/date.h"
#include "common/schema/schema_json.h"
#include "common/schema/value.h"

namespace {
using namespace frond::schema;

void examine_value(FieldType type, const std::string& text) {
  const auto interval = interval_of(type, text, Reading::kLenient);
  if (!interval) {
    FROND_CHECK(!interval.error().message().empty());
    return;
  }
  FROND_CHECK(interval->first <= interval->last);
  FROND_CHECK(ordering_key(type, interval->first) <= ordering_key(type, interval->last));
  const auto again = typed_value(type, text_of(type, interval->first), Reading::kLenient);
  FROND_CHECK(again && *again == interval->first);
  if (type != FieldType::kKeyword)
    FROND_CHECK(value_of_key(type, ordering_key(type, interval->first)) == interval->first);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto schema = parse_schema(text)) {
    FROND_CHECK(check(*schema).has_value() && check_extends(*schema, *schema).has_value());
    const auto again = parse_schema(schema_text(*schema));
    FROND_CHECK(again && *again == *schema);
  } else {
    FROND_CHECK(!schema.error().message().empty());
  }
  for (const FieldType type :
       {FieldType::kKeyword, FieldType::kInteger, FieldType::kFloat, FieldType::kDate, FieldType::kBoolean})
    examine_value(type, text);
  return 0;
}
