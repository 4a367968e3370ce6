#pragma once
// Search, warp layer: the phrase of a query. Held documents, which have all its words by their lists, stay if the words
// stand together in their sequences (common/partition/values/token_codes.h), and get what the phrase adds to their
// scores.
//
// Mapping: one warp for the documents of a task. Each lane fetches the sequence of a document of its own, then all look
// at one sequence after the other, lane i with the code of word i. Results and shared memory: warp_state.cuh.
#include "common/partition/values/token_codes.h"
#include "leaf/gpu/search/warp_state.cuh"

namespace frond::leaf::gpu::search {

using partition::TokenCodes;

// Where a document's sequence is.
struct SequencePlace {
  std::uint32_t begin, end;
};
__device__ inline SequencePlace sequence_of(const PhraseOnDevice& phrase, DocId docid) {
  return {__ldg(phrase.begins + docid), __ldg(phrase.begins + docid + 1)};
}

// Fetches the first lines of a sequence: those of a few hundred words.
__device__ inline void fetch(const PhraseOnDevice& phrase, SequencePlace place) {
#ifdef __CUDA_ARCH__
  constexpr std::uint32_t kLine = 128, kLines = 3;
  for (std::uint32_t i = 0; i < kLines && place.begin + i * kLine < place.end; ++i)
    asm volatile("prefetch.global.L2 [%0];" ::"l"(phrase.sequences + place.begin + i * kLine));
#else
  static_cast<void>(phrase);
  static_cast<void>(place);
#endif
}

__device__ inline std::uint32_t code_at(const std::byte* codes, std::uint32_t place, std::uint32_t width) {
  const std::byte* const at = codes + std::size_t{place} * width;
  std::uint32_t code = static_cast<std::uint32_t>(at[0]);
  for (std::uint32_t i = 1; i < width; ++i) code |= static_cast<std::uint32_t>(at[i]) << 8 * i;
  return code;
}

// How many of the first `places` places of a field begin the phrase. `code`, `number`: of the lane's word.
__device__ inline std::uint32_t count_places(const std::byte* codes, std::uint32_t width, std::uint32_t places,
                                             std::uint32_t words, std::uint32_t code, std::uint32_t number) {
  constexpr std::uint32_t kLoads = 4;  // in flight
  const std::uint32_t lane = lane_of_warp();
  std::uint32_t found = 0;
  for (std::uint32_t first = 0; first < places; first += 32 * kLoads) {
    bool begins[kLoads];
#pragma unroll
    for (std::uint32_t i = 0; i < kLoads; ++i) begins[i] = first + 32 * i + lane < places;
    bool any = true;
    for (std::uint32_t word = 0; word < words && any; ++word) {
      const std::uint32_t wanted = __shfl_sync(kFullWarp, code, static_cast<int>(word));
      const std::uint32_t from = __shfl_sync(kFullWarp, number, static_cast<int>(word)) + first + lane;
      any = false;
#pragma unroll
      for (std::uint32_t i = 0; i < kLoads; ++i) {
        begins[i] = begins[i] && code_at(codes, from + 32 * i, width) == wanted;
        any = any || begins[i];
      }
      any = __any_sync(kFullWarp, any);
    }
    if (!any) continue;
#pragma unroll
    for (std::uint32_t i = 0; i < kLoads; ++i)
      found += static_cast<std::uint32_t>(__popc(__ballot_sync(kFullWarp, begins[i])));
  }
  return found;
}

// How often the phrase is in the document with this sequence, which is not empty.
__device__ inline std::uint32_t phrase_frequency(const TaskQuery& of, SequencePlace place, const WordOnDevice& word) {
  const PhraseOnDevice& phrase = of.query.clauses->phrase;
  TokenCodes sequence;
  if (!sequence.read(phrase.sequences + place.begin, phrase.sequences + place.end)) {
    if (lane_of_warp() == 0) atomicMax(&of.state->emitted, kDamaged);
    return 0;
  }
  const std::uint32_t code = sequence.code(word.hash), last = phrase.last;
  std::uint32_t found = 0;
  for (TokenCodes::Field field; sequence.next(field);)
    if (field.words > last && (phrase.text == engine::kAnyText || phrase.text == field.field))
      found +=
          count_places(field.codes, sequence.width(), field.words - last, of.query.phrase_words, code, word.number);
  return found;
}

// Drops those of the first `count` held documents that do not have the phrase, or that cannot be hits while matches are
// not counted. Keeps the order; returns how many stay.
__device__ inline std::uint32_t keep_phrases(const TaskQuery& of, Held& held, std::uint32_t count, Progress& progress) {
  const PhraseOnDevice& phrase = of.query.clauses->phrase;
  const std::uint32_t lane = lane_of_warp();
  const FieldOnDevice field = of.query.clauses->fields[phrase.field];
  const WordOnDevice word = phrase.words[min(lane, of.query.phrase_words - 1)];
  std::uint32_t kept = 0;
  for (std::uint32_t from = 0; from < count; from += 32) {
    read_threshold(of, true, progress);
    const std::uint32_t at = from + lane;
    bool live = at < count;
    const DocId docid = live ? held.docids[at] : 0;
    Score score = live ? held.scores[at] : 0;
    const std::uint16_t place = live ? held.places[at] : std::uint16_t{0};
    live = live && (progress.counting || score + phrase.most >= progress.threshold);
    SequencePlace own{0, 0};
    if (live) own = sequence_of(phrase, docid);
    fetch(phrase, own);
    std::uint32_t frequency = 0;
    for (std::uint32_t left = __ballot_sync(kFullWarp, own.begin < own.end); left != 0; left &= left - 1) {
      const int next = __ffs(static_cast<int>(left)) - 1;
      const SequencePlace one{__shfl_sync(kFullWarp, own.begin, next), __shfl_sync(kFullWarp, own.end, next)};
      const std::uint32_t found = phrase_frequency(of, one, word);
      if (lane == static_cast<std::uint32_t>(next)) frequency = found;
    }
    if (frequency > 0 && score != kNone)
      score += times(scoring::contribution(phrase.weight, frequency, __ldg(field.lengths + docid), field.norm),
                     phrase.factor);
    kept = keep_held(held, kept, frequency > 0, docid, score, place);
  }
  return kept;
}

}  // namespace frond::leaf::gpu::search
