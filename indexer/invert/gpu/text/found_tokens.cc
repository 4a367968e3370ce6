#include "indexer/invert/gpu/text/found_tokens.h"

#include <algorithm>

namespace frond::indexer::invert::gpu {
namespace {

// Twice as many as the last batch had, and a few, are copied without knowing how many there are.
std::size_t likely(std::size_t last, std::size_t most) { return std::min(most, std::max<std::size_t>(1024, 2 * last)); }

}  // namespace

FoundCopies::Parts FoundCopies::Parts::of(DeviceParts& pinned, std::uint32_t new_tokens, std::uint32_t chunks) {
  Parts parts;
  parts.max_keys = std::min<std::size_t>(new_tokens / 8, std::size_t{1} << 17);
  parts.max_chunks = std::min<std::size_t>(chunks / 8, std::size_t{1} << 16);
  for (TokenKey*& keys : parts.keys) keys = pinned.next<TokenKey>(parts.max_keys);
  for (HostChunk*& of_side : parts.chunks) of_side = pinned.next<HostChunk>(parts.max_chunks);
  parts.counts = pinned.next<TextCounts>(kSides);
  return parts;
}

Result<FoundCopies> FoundCopies::create() {
  auto stream = FROND_TRY(device::Stream::create());
  auto sought = FROND_TRY(device::Event::create());
  auto first = FROND_TRY(device::Event::create());
  auto second = FROND_TRY(device::Event::create());
  return FoundCopies(std::move(stream), std::move(sought), {std::move(first), std::move(second)});
}

void FoundCopies::use(const Parts& parts) {
  parts_ = parts;
  next_ = {parts.max_keys, parts.max_chunks};
}

Result<void> FoundCopies::begin(std::size_t side, const TextBatch& batch, device::StreamHandle work) {
  const device::StreamHandle stream = stream_.get();
  ahead_[side] = next_;
  FROND_TRY(sought_.record(work));
  FROND_TRY(sought_.make_wait(stream));
  FROND_TRY(device::copy_to_host(bytes_of(parts_.counts + side), bytes_of(batch.counts), sizeof(TextCounts), stream));
  FROND_TRY(device::copy_to_host(bytes_of(parts_.keys[side]), bytes_of(batch.new_keys), next_.keys * sizeof(TokenKey),
                                 stream));
  FROND_TRY(device::copy_to_host(bytes_of(parts_.chunks[side]), bytes_of(batch.chunks),
                                 next_.chunks * sizeof(HostChunk), stream));
  return copied_[side].record(stream);
}

Result<FoundTokens> FoundCopies::end(std::size_t side, const TextBatch& batch, StagedCopies& stages) {
  FROND_TRY(copied_[side].wait());
  const TextCounts counts = parts_.counts[side];
  FoundTokens found{.entries = counts.entries,
                    .too_many_chunks = counts.chunks > batch.max_chunks,
                    .turned_away = counts.turned_away};
  const std::size_t keys = counts.tokens - batch.first_new;
  if (keys <= ahead_[side].keys) {
    found.new_keys = {parts_.keys[side], keys};
  } else {
    std::vector<TokenKey>& many = many_keys_[side];
    many.resize(keys);
    FROND_TRY(stages.download(bytes_of(many.data()), bytes_of(batch.new_keys), keys * sizeof(TokenKey), stream_.get()));
    found.new_keys = many;
  }
  const std::size_t chunks = std::min(counts.chunks, batch.max_chunks);
  if (chunks <= ahead_[side].chunks) {
    found.chunks.assign(parts_.chunks[side], parts_.chunks[side] + chunks);
  } else {
    found.chunks.resize(chunks);
    FROND_TRY(stages.download(bytes_of(found.chunks.data()), bytes_of(batch.chunks), chunks * sizeof(HostChunk),
                              stream_.get()));
  }
  next_ = {likely(keys, parts_.max_keys), likely(chunks, parts_.max_chunks)};
  return found;
}

}  // namespace frond::indexer::invert::gpu
