#pragma once
// The texts of searches that were answered from the result cache lately, each with the key of its answer there: a
// search that comes with the same text again needs not be parsed and analysed. A text is a query string or a JSON
// object as it came; as each must be a valid search, none can be both. One object for each of the broker's threads,
// used on that thread only.
//
// Keys contain the generation. When another is served, all texts are forgotten.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/ids.h"
#include "common/cache/segmented_lru.h"

namespace frond::broker::cache {

class KnownTexts {
 public:
  // budget_bytes 0: none is kept.
  explicit KnownTexts(std::size_t budget_bytes) : budget_(budget_bytes) { forget(); }

  // The key of the text's answer in generation `serving`; null: it is not known. Valid until remember().
  const std::string* key_of(const std::string& text, const GenerationId& serving) {
    return serving == serving_ ? texts_->find(text) : nullptr;
  }
  void remember(const std::string& text, const GenerationId& serving, const std::string& key);

  std::size_t bytes() const { return texts_->bytes(); }  // charged now
  std::size_t budget() const { return budget_; }

 private:
  using Texts = frond::cache::SegmentedLru<std::string, std::string, std::hash<std::string_view>, std::string_view>;
  void forget() { texts_.emplace(budget_, kMaxShare); }

  static constexpr std::size_t kMaxShare = 64;  // a text and its key take at most budget / kMaxShare

  const std::size_t budget_;
  GenerationId serving_;
  std::optional<Texts> texts_;  // of `serving_`; always there
};

}  // namespace frond::broker::cache
