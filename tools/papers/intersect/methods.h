#pragma once
// The methods of intersection, in one table (methods.cc). A method is a kind and, for some kinds, a number: levels of
// splitters, docIDs in a bucket, or 1 for a table. Written "merge-find:3", "hash-segmentation:16", "binary".
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frond::tools::papers {

enum class Kind : std::uint8_t {
  kBinary,
  kInterpolation,
  kLinearRegression,
  kMergeFind,
  kHashSegmentation,
  kLrc,  // this and the following kinds search compressed lists; they are named after the codec
  kLrcSeg,
  kSegLrc,
  kHsLrc,
  kBlocks,  // this and the next decode whole blocks: those that may hold a document
  kParaPFor,
};

struct KindInfo {
  Kind kind;
  std::string_view name;
  std::string_view lists;            // "uncompressed", or the codec's name
  std::string_view parameter;        // meaning of the number; empty: the kind has none
  std::span<const unsigned> values;  // the numbers to choose from
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
// Whether `name` is the method's name or its kind's.
bool is_named(Method method, std::string_view name);
// Whether the host can search with it too. Only kernels find splitters and decode blocks.
bool needs_no_kernel(Method method);

// Queries to intersect. A query is the indexes of its lists.
inline constexpr std::size_t kMaxQueryLists = 32;

class QuerySet {
 public:
  // At least one list, none twice.
  void add(std::span<const std::uint32_t> lists) {
    lists_.insert(lists_.end(), lists.begin(), lists.end());
    ends_.push_back(static_cast<std::uint32_t>(lists_.size()));
  }
  std::size_t size() const { return ends_.size(); }
  std::span<const std::uint32_t> operator[](std::size_t query) const {
    const std::uint32_t first = query ? ends_[query - 1] : 0;
    return std::span(lists_).subspan(first, ends_[query] - first);
  }

 private:
  std::vector<std::uint32_t> lists_, ends_;
};

}  // namespace frond::tools::papers
