#include "indexer/invert/gpu/text/replay_buffer.h"

#include <utility>

namespace frond::indexer::invert::gpu {

ReplayBuffer::Added ReplayBuffer::add(TextBlock block) {
  bytes_ += block.bytes();
  const MutexLock lock(mutex_);
  const std::uint64_t number = first_ + blocks_.size();
  return {blocks_.emplace_back(std::move(block)), number};
}

bool ReplayBuffer::empty() {
  const MutexLock lock(mutex_);
  return blocks_.empty();
}

void ReplayBuffer::drop() {
  bytes_ -= blocks_.front().bytes();
  blocks_.pop_front();
  ++first_;
}

bool ReplayBuffer::drop_before(std::uint64_t end, std::uint64_t left) {
  bool dropped = false;
  const MutexLock lock(mutex_);
  for (; !blocks_.empty() && first_ < end && bytes_ > left; dropped = true) drop();
  return dropped;
}

void ReplayBuffer::drop_to(const TextPosition& position) {
  const MutexLock lock(mutex_);
  while (!blocks_.empty() &&
         (first_ < position.block || (first_ == position.block && position.document >= blocks_.front().numbers.size())))
    drop();
}

void ReplayBuffer::drop_all() {
  const MutexLock lock(mutex_);
  while (!blocks_.empty()) drop();
}

Result<void> ReplayBuffer::give_from(const TextPosition& position, const Take& take) {
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

Result<void> DocumentLengths::add(DocumentNumber number, std::uint32_t terms) {
  if (open_.number != number) {
    FROND_TRY(end());
    open_ = {number, 0};
  }
  open_.terms += terms;
  return {};
}

Result<void> DocumentLengths::end() {
  const Length length = std::exchange(open_, {});
  if (length.number == kDropped || length.number < next_) return {};
  next_ = length.number + 1;
  return take_ ? take_(length.number, length.terms) : Result<void>();
}

Result<void> DocumentLengths::go_on(bool is_new) {
  if (!is_new) return {};
  open_ = std::exchange(written_, {});
  return end();
}

Result<void> DocumentLengths::take_from_cpu(DocumentNumber number, std::uint32_t terms) {
  if (number < next_) return {};
  if (number == written_.number) terms += written_.terms;
  next_ = number + 1;
  return take_ ? take_(number, terms) : Result<void>();
}

}  // namespace frond::indexer::invert::gpu
