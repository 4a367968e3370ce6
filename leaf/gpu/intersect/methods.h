#pragma once
// The methods of intersection that can be chosen, in one table (methods.cc). A method is a kind and, for some, a
// number: levels of splitters, or docIDs a bucket. Written "merge-find:3", "hash-segmentation:16", "binary".
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace frond::leaf::gpu::intersect {

enum class Kind : std::uint8_t {
  kBinary,
  kInterpolation,
  kLinearRegression,
  kMergeFind,
  kHashSegmentation,
};

struct KindInfo {
  Kind kind;
  std::string_view name;
  std::string_view lists;            // "uncompressed", or the codec's name
  std::string_view parameter;        // what the number is; empty: there is none
  std::span<const unsigned> values;  // which ones; empty: there is none
  std::string_view source;           // paper and section
};
std::span<const KindInfo> all_kinds();
const KindInfo& info_of(Kind kind);

struct Method {
  Kind kind = Kind::kBinary;
  unsigned parameter = 0;
  friend bool operator==(const Method&, const Method&) = default;
};
std::string name_of(Method method);
// All methods of a name: one, or one for each value of its parameter where the name says none. Empty: no such method.
std::span<const Method> all_methods();
bool is_named(Method method, std::string_view name);

}  // namespace frond::leaf::gpu::intersect
