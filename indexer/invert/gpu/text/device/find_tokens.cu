// Tokens of entries, by a hash table of their bytes. Four steps, so that no thread waits for another: the tokens that
// are in the table are found (it isn't changed meanwhile, so caches hold the common ones); each of the others claims a
// free slot with its place among the misses, and compares its bytes with those of the miss that came first; claimed
// slots get their tokens and ids; then each miss reads its slot. Slots are never freed, so a token that is not found
// before the first free slot is nowhere behind it.
//
// Short chunks that the host cuts are tokens, too. In the first batch that has such a chunk, the host cuts it; from
// then on the dictionary has its term. A chunk of several terms is cut by the host each time.
#include "indexer/invert/gpu/grid.cuh"
#include "indexer/invert/gpu/text/device/kernels.h"
#include "indexer/invert/gpu/text/device/text_rules.cuh"

namespace frond::indexer::invert::gpu {
namespace {

__device__ TokenSlot slot_at(const TokenDictionary& dictionary, std::uint32_t place) {
  const auto* const at = reinterpret_cast<const uint4*>(dictionary.slots + place);
  const uint4 first = __ldg(at), second = __ldg(at + 1);
  TokenSlot slot{};
  slot.key.words[0] = first.x | std::uint64_t{first.y} << 32;
  slot.key.words[1] = first.z | std::uint64_t{first.w} << 32;
  slot.key.words[2] = second.x | std::uint64_t{second.y} << 32;
  slot.state = second.z;
  return slot;
}

__device__ bool same(const TokenKey& a, const TokenKey& b) {
  return ((a.words[0] ^ b.words[0]) | (a.words[1] ^ b.words[1]) | (a.words[2] ^ b.words[2])) == 0;
}

// The place of one more chunk for the host. It may have no room for it: counts->chunks says.
__device__ std::uint32_t give_to_host(const TextBatch& batch, const HostChunk& chunk) {
  const std::uint32_t place = atomicAdd(&batch.counts->chunks, 1u);
  if (place < batch.max_chunks) batch.chunks[place] = chunk;
  return kChunkBit | place;
}

// What of an entry is the host's.
__device__ HostChunk host_part(const TextBatch& batch, const TokenKey& key, std::uint32_t entry) {
  return {batch.starts[entry], is_chunk(key) ? 0u : 1u};
}

__device__ std::uint32_t look_up(const TextBatch& batch, const TokenDictionary& dictionary, const TokenKey& key,
                                 std::uint32_t entry) {
  std::uint32_t place = hash_of(key) & dictionary.hash_mask & dictionary.slot_mask;
  for (;; place = (place + 1) & dictionary.slot_mask) {
    const TokenSlot slot = slot_at(dictionary, place);
    if (slot.state == 0) break;
    if (!same(slot.key, key)) continue;
    const std::uint32_t token = slot.state - 1;
    if (is_chunk(key) && (token >= batch.answered || dictionary.terms[token] == kHostTerm))
      return give_to_host(batch, host_part(batch, key, entry));
    return token;
  }
  const std::uint32_t miss = atomicAdd(&batch.counts->misses, 1u);
  if (miss >= batch.max_misses) return give_to_host(batch, host_part(batch, key, entry));
  batch.misses[miss] = {key, entry, place};
  return kNoToken;  // until resolve()
}

// Mapping: a thread an entry. Result: tokens, misses, chunks. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    find(TextBatch batch, TokenDictionary dictionary, std::uint32_t threads) {
  const std::uint32_t rules = batch.rules;
  const std::uint32_t entries = batch.counts->entries;
  for (std::uint32_t entry = first_of_thread(); entry < entries; entry += threads) {
    const std::uint32_t begin = batch.starts[entry];
    const Chunk chunk = chunk_around(batch.text, begin, rules);
    std::uint32_t found = kNoToken;
    if (chunk.is_host) {
      if (class_of(batch.text[std::int64_t{begin} - 1], rules) == 0) {
        TokenKey key;
        found = chunk_key_at(batch.text, begin, rules, key) ? look_up(batch, dictionary, key, entry)
                                                            : give_to_host(batch, {begin, 0});
      }
    } else {
      const Word word = word_at(batch.text, begin, chunk.end);
      if (word.bytes > kKeyBytes)
        found = give_to_host(batch, {begin, 1});
      else if (word.bytes > 0)
        found = look_up(batch, dictionary, word.key, entry);
    }
    batch.tokens[entry] = found;
  }
}

__device__ std::uint32_t misses_of(const TextBatch& batch) { return min(batch.counts->misses, batch.max_misses); }

// The slot of a miss: the one that has its token, or that it claims; kNoToken if the dictionary is full.
__device__ std::uint32_t claim_slot(const TextBatch& batch, const TokenDictionary& dictionary, std::uint32_t miss) {
  const TokenMiss& mine = batch.misses[miss];
  for (std::uint32_t place = mine.slot;; place = (place + 1) & dictionary.slot_mask) {
    std::uint32_t* const state = &dictionary.slots[place].state;
    std::uint32_t there = *static_cast<volatile std::uint32_t*>(state);
    if (there == 0) {
      if (atomicAdd(&batch.counts->places, 1u) >= dictionary.max_tokens) {
        atomicSub(&batch.counts->places, 1u);
        return kNoToken;
      }
      there = atomicCAS(state, 0u, kClaimedBit | miss);
      if (there == 0) return place;
      atomicSub(&batch.counts->places, 1u);
    }
    // Slots with a token have another one: it was looked for before.
    if ((there & kClaimedBit) != 0 && same(batch.misses[there & ~kClaimedBit].key, mine.key)) return place;
  }
}

// Mapping: a thread a miss. Result: claimed slots; misses have their slots. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    claim(TextBatch batch, TokenDictionary dictionary, std::uint32_t threads) {
  const std::uint32_t misses = misses_of(batch);
  for (std::uint32_t miss = first_of_thread(); miss < misses; miss += threads)
    batch.misses[miss].slot = claim_slot(batch, dictionary, miss);
}

// Mapping: a thread a miss; those whose claim a slot has give it their token. Result: slots with tokens, new_keys.
// Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    publish(TextBatch batch, TokenDictionary dictionary, std::uint32_t threads) {
  const std::uint32_t misses = misses_of(batch);
  for (std::uint32_t miss = first_of_thread(); miss < misses; miss += threads) {
    const TokenMiss& mine = batch.misses[miss];
    if (mine.slot == kNoToken) continue;
    TokenSlot& slot = dictionary.slots[mine.slot];
    if (slot.state != (kClaimedBit | miss)) continue;
    const std::uint32_t token = atomicAdd(&batch.counts->tokens, 1u);
    slot.key = mine.key;
    slot.state = token + 1;
    batch.new_keys[token - batch.first_new] = mine.key;
  }
}

// Mapping: a thread a miss. Result: tokens. Shared memory: none.
__global__ void __launch_bounds__(kGridThreads)
    resolve(TextBatch batch, TokenDictionary dictionary, std::uint32_t threads) {
  const std::uint32_t misses = misses_of(batch);
  for (std::uint32_t miss = first_of_thread(); miss < misses; miss += threads) {
    const TokenMiss& mine = batch.misses[miss];
    if (mine.slot != kNoToken && !is_chunk(mine.key)) {
      batch.tokens[mine.entry] = dictionary.slots[mine.slot].state - 1;
      continue;
    }
    if (mine.slot == kNoToken) atomicAdd(&batch.counts->turned_away, 1u);
    batch.tokens[mine.entry] = give_to_host(batch, host_part(batch, mine.key, mine.entry));
  }
}

}  // namespace

Result<void> find_tokens(const TextBatch& batch, const TokenDictionary& dictionary, const KernelPlace& place) {
  FROND_TRY(launch_grid("find", find, max_entries(batch.text_bytes), place, batch, dictionary));
  FROND_TRY(launch_grid("claim", claim, batch.max_misses, place, batch, dictionary));
  FROND_TRY(launch_grid("publish", publish, batch.max_misses, place, batch, dictionary));
  return launch_grid("resolve", resolve, batch.max_misses, place, batch, dictionary);
}

}  // namespace frond::indexer::invert::gpu
