#pragma once
// Keys of values from others. Internal to this folder.
#include <cmath>
#include <cstdint>
#include <variant>

#include "common/schema/value.h"

namespace frond::query {

// Whether it is schema::ordering_key() of a value of this type: no NaN, no -0; true is 1. Not of keywords.
inline bool is_column_key(schema::FieldType type, std::uint64_t key) {
  const schema::Value value = schema::value_of_key(type, key);
  const auto* const number = std::get_if<double>(&value);
  return (number == nullptr || std::isfinite(*number)) && schema::ordering_key(type, value) == key;
}

}  // namespace frond::query
