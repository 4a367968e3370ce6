#pragma once
// The batches of texts that the device works on: while the tokens of one are sought, the host answers for the one
// before and has it added to the run. Batches of several devices are added in turn, in the order of their documents:
// while one is, the others' tokens are sought.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "indexer/invert/gpu/text/device/device_text.h"
#include "indexer/invert/gpu/text/terms/text_terms.h"
#include "indexer/invert/gpu/text/text_pieces.h"
#include "indexer/invert/gpu/text/turns.h"
#include "indexer/invert/inverter.h"

namespace frond::indexer::invert::gpu {

struct SentBatch {
  TextPieces pieces;         // numbers from `base`
  DocumentNumber base = 0;   // of the run
  std::uint64_t block = 0;   // of texts, that its end lies in
  std::size_t place = 0;     // on the device
  std::uint64_t number = 0;  // of all devices' batches: its turn
};

// Of one device, whose run may be another's (RunOnDevice::append_to()). One thread. Errors: kDevice, those of the
// owner's functions, and the first failure of any device's batches.
class TextBatches {
 public:
  struct Owner {
    // These are called in a batch's turn.
    std::function<Result<void>()> write_runs;  // of what was added; the run is empty then
    std::function<void()> clear_terms;         // the run is empty
    std::function<Result<void>(const SentBatch&, std::span<const std::uint32_t> lengths)> note_added;
    Turns& turns;
    const std::uint64_t& terms_cleared;  // how often, in turns
  };
  TextBatches(DeviceText& device, TextTerms& terms, Owner owner)
      : device_(device), terms_(terms), owner_(std::move(owner)) {}

  // Has the batch's tokens sought, and ends the one before meanwhile. The batch is left with another's memory.
  Result<void> seek(SentBatch& batch);
  // Whether a batch was sought, but has not ended.
  bool any() const { return searched_.has_value(); }
  // Ends it. There is one.
  Result<void> end_last();
  // Adds words that the host cuts, of one document. The batch has a piece without a text. There is no other.
  Result<void> add_words(SentBatch& batch, std::string_view words);

 private:
  struct Side {
    SentBatch batch;
    BatchTokens found;
    bool is_sought = false;  // `found` is of the batch
  };
  // Pairs that the host made.
  struct HostPairs {
    std::vector<std::uint32_t> terms, pieces, lengths;
  };

  Result<void> begin_find(std::size_t side);
  Result<void> end_batch(std::size_t side, std::optional<std::size_t> next);
  Result<void> forget_tokens(std::optional<std::size_t> side, std::optional<std::size_t> next);
  Result<bool> try_batch(std::size_t side, std::optional<std::size_t> next);
  Result<void> end_next(std::optional<std::size_t> next);
  HostPairs cut_on_host(std::size_t side);
  Result<void> add_host_pairs(std::size_t side, const HostPairs& pairs);
  Result<void> make_room(std::size_t pairs);

  DeviceText& device_;
  TextTerms& terms_;
  const Owner owner_;
  std::array<Side, DeviceText::kSides> sides_;
  std::optional<std::size_t> searched_;  // the side whose tokens were sought, but not yet added
  std::uint64_t terms_cleared_ = 0;      // when the device's tokens were forgotten
};

}  // namespace frond::indexer::invert::gpu
