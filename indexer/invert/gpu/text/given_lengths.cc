#include "indexer/invert/gpu/text/given_lengths.h"

namespace frond::indexer::invert::gpu {

Result<void> GivenLengths::add(DocumentNumber number, std::uint32_t terms) {
  if (open_.number != number) {
    FROND_TRY(end());
    open_ = {number, 0};
  }
  open_.terms += terms;
  return {};
}

Result<void> GivenLengths::end() {
  const Length length = std::exchange(open_, {});
  if (length.number == kDropped || length.number < next_) return {};
  next_ = length.number + 1;
  return take_ ? take_(length.number, length.terms) : Result<void>();
}

Result<void> GivenLengths::go_on(bool is_new) {
  if (!is_new) return {};
  open_ = std::exchange(written_, {});
  return end();
}

Result<void> GivenLengths::take_from_cpu(DocumentNumber number, std::uint32_t terms) {
  if (number < next_) return {};
  if (number == written_.number) terms += written_.terms;
  next_ = number + 1;
  return take_ ? take_(number, terms) : Result<void>();
}

}  // namespace frond::indexer::invert::gpu
