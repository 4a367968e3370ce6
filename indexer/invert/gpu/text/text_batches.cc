#include "indexer/invert/gpu/text/text_batches.h"

#include <algorithm>
#include <utility>

namespace frond::indexer::invert::gpu {

Result<void> TextBatches::begin_find(std::size_t side) {
  sides_[side].is_sought = false;
  return device_.begin_find(side, sides_[side].batch.place);
}

Result<void> TextBatches::seek(SentBatch& batch) {
  const std::size_t next = searched_ ? 1 - *searched_ : 0;
  std::swap(sides_[next].batch, batch);
  FROND_TRY(begin_find(next));
  if (searched_) FROND_TRY(end_batch(*searched_, next));
  FROND_TRY(end_next(next));
  searched_ = next;
  return {};
}

Result<void> TextBatches::end_last() {
  FROND_TRY(end_batch(*searched_, std::nullopt));
  searched_.reset();
  return {};
}

Result<void> TextBatches::add_words(SentBatch& batch, std::string_view words) {
  constexpr std::size_t kSide = 0;
  std::swap(sides_[kSide].batch, batch);
  FROND_TRY(owner_.turns.begin(sides_[kSide].batch.number));
  FROND_TRY(begin_find(kSide));  // there is nothing to find
  HostPairs pairs;
  terms_.cut_all(words, pairs.terms);
  pairs.pieces.assign(pairs.terms.size(), 0);
  pairs.lengths.assign(1, static_cast<std::uint32_t>(pairs.terms.size()));
  FROND_TRY(add_host_pairs(kSide, pairs));
  owner_.turns.end();
  return {};
}

// Adds a batch whose tokens were sought. next: the side whose tokens are being sought.
Result<void> TextBatches::end_batch(std::size_t side, std::optional<std::size_t> next) {
  FROND_TRY(owner_.turns.begin(sides_[side].batch.number));
  if (terms_cleared_ != owner_.terms_cleared) FROND_TRY(forget_tokens(side, next));
  if (!FROND_TRY(try_batch(side, next))) {
    // There are too many terms. An empty dictionary has room for those of a batch.
    FROND_TRY(owner_.write_runs());
    owner_.clear_terms();
    FROND_TRY(forget_tokens(side, next));
    if (!FROND_TRY(try_batch(side, next)))
      return Error(Code::kDevice, "the memory that it may use is too small for the terms of a batch");
  }
  owner_.turns.end();
  return {};
}

// The terms were cleared: batches whose tokens were sought must be sought again.
Result<void> TextBatches::forget_tokens(std::optional<std::size_t> side, std::optional<std::size_t> next) {
  FROND_TRY(end_next(next));
  FROND_TRY(device_.clear_dictionary());
  terms_cleared_ = owner_.terms_cleared;
  if (side) sides_[*side].found = FROND_TRY(device_.find(*side, sides_[*side].batch.place));
  if (next) FROND_TRY(begin_find(*next));
  return {};
}

// False: there are too many terms; nothing was added.
Result<bool> TextBatches::try_batch(std::size_t side, std::optional<std::size_t> next) {
  const TextCapacity& capacity = device_.capacity();
  const BatchTokens& found = sides_[side].found;
  std::vector<std::uint32_t> answer, places, terms;
  terms_.find(found.new_keys, answer);
  const SentBatch& batch = sides_[side].batch;
  if (!found.too_many_chunks) terms_.cut(batch.pieces, found.chunks, places, terms);
  FROND_TRY(device_.learn(side, answer));
  if (found.too_many_chunks || found.entries + terms.size() > capacity.entries) {
    const HostPairs pairs = cut_on_host(side);
    if (terms_.size() > capacity.terms) return false;
    FROND_TRY(add_host_pairs(side, pairs));
  } else if (terms_.size() > capacity.terms) {
    return false;
  } else {
    FROND_TRY(make_room(found.entries + terms.size()));
    const auto lengths = FROND_TRY(device_.add(side, places, terms, terms_.size()));
    FROND_TRY(owner_.note_added(batch, lengths));
  }
  if (found.turned_away > 0 && device_.tokens() >= capacity.tokens / 16 * 15) {
    FROND_TRY(owner_.write_runs());
    owner_.clear_terms();
    FROND_TRY(forget_tokens(std::nullopt, next));
  }
  return true;
}

// Waits for what was begun, if it was not yet.
Result<void> TextBatches::end_next(std::optional<std::size_t> next) {
  if (!next || sides_[*next].is_sought) return {};
  sides_[*next].found = FROND_TRY(device_.end_find(*next));
  sides_[*next].is_sought = true;
  return {};
}

// All of a batch's text.
TextBatches::HostPairs TextBatches::cut_on_host(std::size_t side) {
  HostPairs pairs;
  const TextPieces& batch = sides_[side].batch.pieces;
  const auto count = static_cast<std::uint32_t>(batch.numbers().size());
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    const std::size_t before = pairs.terms.size();
    terms_.cut_all(batch.piece(piece), pairs.terms);
    pairs.pieces.resize(pairs.terms.size(), piece);
    pairs.lengths.push_back(static_cast<std::uint32_t>(pairs.terms.size() - before));
  }
  return pairs;
}

Result<void> TextBatches::add_host_pairs(std::size_t side, const HostPairs& pairs) {
  const TextCapacity& capacity = device_.capacity();
  const std::span<const std::uint32_t> terms(pairs.terms), pieces(pairs.pieces);
  if (terms_.size() > capacity.terms)
    return Error(Code::kDevice, "the memory that it may use is too small for the terms of a batch");
  for (std::size_t at = 0; at < terms.size();) {
    const std::size_t some = std::min<std::size_t>(capacity.entries, terms.size() - at);
    // Only before the first part: runs end with whole batches.
    if (at == 0) FROND_TRY(make_room(std::min<std::size_t>(terms.size(), capacity.postings / 2)));
    if (!FROND_TRY(device_.run().has_room(static_cast<std::uint32_t>(some))))
      return Error(Code::kDevice, "the memory that it may use is too small for a document");
    FROND_TRY(device_.add_pairs(side, terms.subspan(at, some), pieces.subspan(at, some), terms_.size()));
    at += some;
  }
  return owner_.note_added(sides_[side].batch, pairs.lengths);
}

// Writes what there is if the run has no room for so many more pairs.
Result<void> TextBatches::make_room(std::size_t pairs) {
  if (!FROND_TRY(device_.run().has_room(static_cast<std::uint32_t>(pairs)))) FROND_TRY(owner_.write_runs());
  return {};
}

}  // namespace frond::indexer::invert::gpu
