#pragma once
// The methods of intersection that can be chosen, in one table (methods.cc). A method is a kind and, for some, a
// number: levels of splitters, docIDs a bucket, or whether there is a table. Written "merge-find:3",
// "hash-segmentation:16", "binary".
#include <cstdint>
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
  kLrc,  // compressed from here on, named as the codec is
  kLrcSeg,
  kSegLrc,
  kHsLrc,
  kBlocks,  // blocks that are decoded whole, those that may hold a document
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
std::span<const Method> all_methods();
std::string name_of(Method method);
// By its name, or by its kind's.
bool is_named(Method method, std::string_view name);
// Whether the host can search by it too: splitters are found, and blocks decoded, by kernels alone.
bool needs_no_kernel(Method method);

}  // namespace frond::leaf::gpu::intersect
