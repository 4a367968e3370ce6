#include "tools/papers/intersect/methods.h"

#include <algorithm>
#include <iterator>

#include "common/base/check.h"

namespace frond::tools::papers {
namespace {

constexpr unsigned kLevels[] = {0, 1, 2, 3, 4};
constexpr unsigned kBuckets[] = {16, 32, 64, 128, 256};
constexpr unsigned kTable[] = {0, 1};

constexpr std::string_view kPlain = "uncompressed";
constexpr KindInfo kKinds[] = {
    {Kind::kBinary, "binary", kPlain, "", {}, "Ao 2011 §3.2"},
    {Kind::kInterpolation, "interpolation", kPlain, "", {}, "Ao 2011 §3.3"},
    {Kind::kLinearRegression, "linear-regression", kPlain, "", {}, "Ao 2011 §3.3"},
    {Kind::kMergeFind, "merge-find", kPlain, "levels", kLevels, "Ding 2009 §7"},
    {Kind::kHashSegmentation, "hash-segmentation", kPlain, "bucket", kBuckets, "Ao 2011 §3.4"},
    {Kind::kLrc, "lrc", "lrc", "", {}, "Ao 2011 §4.3"},
    {Kind::kLrcSeg, "lrcseg", "lrcseg", "", {}, "Ao 2011 §4.3"},
    {Kind::kSegLrc, "seglrc", "seglrc", "", {}, "Ao 2011 §4.3"},
    {Kind::kHsLrc, "hs-lrc", "hs-lrc", "", {}, "Ao 2011 §4.3 (HS256_LRC)"},
    {Kind::kBlocks, "simd-bp128", "simd-bp128", "table", kTable, "Ding 2009 §8.1: blocks selected, then decoded"},
    {Kind::kParaPFor, "parapfor", "parapfor", "table", kTable, "Ao 2011 §4.1, appendix I.2 (ParaPFD)"},
};

}  // namespace

std::span<const KindInfo> all_kinds() { return kKinds; }

const KindInfo& info_of(Kind kind) {
  const auto* found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const KindInfo& each) { return each.kind == kind; });
  FROND_CHECK(found != std::end(kKinds));
  return *found;
}

std::string name_of(Method method) {
  const KindInfo& info = info_of(method.kind);
  return std::string(info.name) + (info.values.empty() ? "" : ":" + std::to_string(method.parameter));
}

std::span<const Method> all_methods() {
  static const std::vector<Method> methods = [] {
    std::vector<Method> all;
    for (const KindInfo& info : kKinds) {
      if (info.values.empty()) all.push_back({info.kind, 0});
      for (const unsigned value : info.values) all.push_back({info.kind, value});
    }
    return all;
  }();
  return methods;
}

bool needs_no_kernel(Method method) {
  return method.kind != Kind::kBlocks && method.kind != Kind::kParaPFor &&
         (method.kind != Kind::kMergeFind || method.parameter == 0);
}

bool is_named(Method method, std::string_view name) {
  return name == info_of(method.kind).name || name == name_of(method);
}

}  // namespace frond::tools::papers
