#include "broker/cache/known_texts.h"

namespace frond::broker::cache {
namespace {
// List node, hash node and allocator headers, as in result_cache.cc.
constexpr std::size_t kTextOverhead = 224;
}  // namespace

void KnownTexts::remember(const std::string& text, const GenerationId& serving, const std::string& key) {
  if (serving != serving_) {
    forget();
    serving_ = serving;
  }
  const std::size_t charge = text.size() + key.size() + kTextOverhead;
  if (texts_->too_large(charge) || texts_->contains(text)) return;
  texts_->insert(text, key, charge);
}

}  // namespace frond::broker::cache
