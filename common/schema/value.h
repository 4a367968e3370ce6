#pragma once
// The types of fields, and their values: read from a document's JSON or from a query, compared, ordered, printed.
// Pure functions.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/result.h"

namespace frond::schema {

enum class FieldType : std::uint8_t { kText, kKeyword, kInteger, kFloat, kDate, kBoolean, kWeights };
inline constexpr std::array<std::string_view, 7> kFieldTypeNames = {"text", "keyword", "integer", "float",
                                                                    "date", "boolean", "weights"};
constexpr std::string_view name_of(FieldType type) { return kFieldTypeNames[static_cast<std::size_t>(type)]; }
// Columns hold values by document; text and weights are found by their tokens.
constexpr bool is_column(FieldType type) { return type != FieldType::kText && type != FieldType::kWeights; }

// A scalar of JSON, or a column's value. Columns hold one alternative each: keyword a string, integer std::int64_t,
// float a finite double that is not -0, date the milliseconds since 1970 as std::int64_t, boolean bool.
using Value = std::variant<std::int64_t, double, bool, std::string>;

// All values from `first` to `last`, both included. Only a date can be more than one value: "2010" is a whole year.
struct Interval {
  Value first, last;
  friend bool operator==(const Interval&, const Interval&) = default;
};

inline constexpr std::size_t kMaxKeywordBytes = 1024;  // of one value

// kStrict takes a value only as JSON's own type for it, and dates as strings or whole milliseconds. kLenient also takes
// numbers and booleans written as strings, 3.0 as an integer, and numbers and booleans as keywords: for queries, whose
// language knows only text, and for documents if the user asks for that.
enum class Reading : bool { kStrict, kLenient };

// What `raw` is in a column of this type. kInvalid: it has another type, or is out of range; the message quotes the
// value and names the type.
// REQUIRES: is_column(type).
Result<Interval> interval_of(FieldType type, const Value& raw, Reading reading);
// Its first value, which is what a document's column holds. REQUIRES: as interval_of().
Result<Value> typed_value(FieldType type, const Value& raw, Reading reading);

// Unsigned numbers in the order of the values. Of a keyword it is the first eight bytes: equal keys say nothing then.
// REQUIRES: is_column(type); `value` is a typed_value() of it.
std::uint64_t ordering_key(FieldType type, const Value& value);
// The value of a key.
// REQUIRES: `type` is that of a column, and not keyword.
Value value_of_key(FieldType type, std::uint64_t key);

// As people read it, and as typed_value() reads it back: dates by RFC 3339, floats with the fewest digits.
std::string text_of(FieldType type, const Value& value);
// A scalar without a type, for messages; at most 80 bytes.
std::string quote(const Value& value);
// A double that can be read back exactly, with a point or an exponent.
std::string text_of(double number);

}  // namespace frond::schema
