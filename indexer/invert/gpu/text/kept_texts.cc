#include "indexer/invert/gpu/text/kept_texts.h"

#include <utility>

namespace frond::indexer::invert::gpu {

KeptTexts::Added KeptTexts::add(TextBlock block) {
  bytes_ += block.bytes();
  const MutexLock lock(mutex_);
  const std::uint64_t number = first_ + blocks_.size();
  return {blocks_.emplace_back(std::move(block)), number};
}

bool KeptTexts::empty() {
  const MutexLock lock(mutex_);
  return blocks_.empty();
}

void KeptTexts::drop() {
  bytes_ -= blocks_.front().bytes();
  blocks_.pop_front();
  ++first_;
}

bool KeptTexts::drop_before(std::uint64_t end, std::uint64_t left) {
  bool dropped = false;
  const MutexLock lock(mutex_);
  for (; !blocks_.empty() && first_ < end && bytes_ > left; dropped = true) drop();
  return dropped;
}

void KeptTexts::drop_to(const TextPosition& position) {
  const MutexLock lock(mutex_);
  while (!blocks_.empty() &&
         (first_ < position.block || (first_ == position.block && position.document >= blocks_.front().numbers.size())))
    drop();
}

void KeptTexts::drop_all() {
  const MutexLock lock(mutex_);
  while (!blocks_.empty()) drop();
}

Result<void> KeptTexts::give_from(const TextPosition& position, const Take& take) {
  const MutexLock lock(mutex_);
  for (; !blocks_.empty(); blocks_.pop_front(), ++first_) {
    TextBlock& block = blocks_.front();
    if (first_ > position.block || (position.document == 0 && position.byte == 0)) {
      FROND_TRY(take(std::move(block.texts), block.numbers));
      continue;
    }
    DocumentTexts rest;
    for (std::size_t document = position.document; document < block.numbers.size(); ++document) {
      rest.bytes.append(block.texts.of(document).substr(document == position.document ? position.byte : 0));
      rest.ends.push_back(rest.bytes.size());
    }
    FROND_TRY(take(std::move(rest), std::span(block.numbers).subspan(position.document)));
  }
  bytes_ = 0;
  return {};
}

}  // namespace frond::indexer::invert::gpu
