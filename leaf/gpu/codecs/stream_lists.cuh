#pragma once
// How kernels read lists whose docIDs are in codec D and frequencies in codec F, two structs of common/device_codec
// (decode_kernel.cuh). Their unpack() decodes a block with a warp. A document is looked up by one lane: D's Reader
// decodes the run of 16 that may hold it, F's the frequency. Streams are read as they lie in the blob; only the place
// of each full block, and for some codecs of its runs, is computed once, by admission. Blocks of fewer than 128
// postings are in simd-bp128 (list_image.h).
#include <type_traits>

#include "common/device_codec/binary_packing.cuh"
#include "common/device_codec/lines.cuh"
#include "common/device_codec/readers.cuh"
#include "leaf/gpu/list_search.h"
#include "leaf/gpu/search/packed_lists.cuh"

namespace frond::leaf::gpu::codecs {

using device_codec::BlockOfList, device_codec::StreamWords, device_codec::Unpacked;
using search::kNone, search::PackedLists, search::Run;
static_assert(device_codec::kRunLength == kRunLength);

// The segment that may hold the document.
__device__ inline std::uint32_t segment_for(const DeviceList& list, DocId docid) {
  std::uint32_t low = 0, high = (list.block_count - 1) / kSegmentBlocks;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (__ldg(&list.blocks[(middle + 1) * kSegmentBlocks - 1].last) < docid)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Whether a list of codec hs-lrc holds a document, found in the stream as it lies in the blob: the docID's leading bits
// name the bucket, the bucket's line gives a search range, and single docIDs are read in a binary search there.
// (HS_LRC, algorithm 1 of Ao et al. 2011 §4.3; tools/papers/intersect has the same for lists in forms of their own.)
// Admission has compared the index with the docIDs (HsLrc::index_agrees()).
// One lane. Lanes may call under divergence.
__device__ inline bool holds_by_bucket(const DeviceList& list, DocId docid) {
  const std::uint32_t last = list.block_count - 1;
  const BlockEntry end = load_entry(list.blocks + last);
  if (docid > end.last) return false;
  // A last block of fewer than 128 postings is packed apart (list_image.h).
  if (size_of(end) < codec::kBlockLength && (last == 0 || docid > __ldg(&list.blocks[last - 1].last)))
    return search::find_in_run(list, end.docids, search::run_of(search::locate(list, last), docid), docid) !=
           search::kNone;
  const SegmentPlace& segment = list.segments[segment_for(list, docid)];
  const codec::StreamWords stream{reinterpret_cast<const std::uint32_t*>(list.image + segment.docids.begin),
                                  segment.docids.size};
  codec::HsLrcLines lines;
  lines.open(stream, segment.count);
  codec::LineStretch bucket;
  if (!lines.stretch_for(stream, docid, bucket)) return false;
  const Bracket where = where_in(bucket, docid, lines.last_of_bucket(docid));
  return holds_between(bucket, stream, where, docid);
}

// Codecs that pack all numbers of a block at one width. A block's place is then in its entry: the unit of 16 bytes
// (simd-bp128) or the word that it begins at, from the begin of the image, << 6 | width.
template <class Codec>
inline constexpr bool kIsSimdBp = std::is_same_v<Codec, device_codec::SimdBp128>;
template <class Codec>
inline constexpr bool kInEntry = kIsSimdBp<Codec>;
template <std::uint32_t kLength>
inline constexpr bool kInEntry<device_codec::GpuBp<kLength>> = true;

// Codecs that keep the starts of a block's runs behind its place (readers.cuh).
template <class Codec>
concept HasRunStarts = requires {
  typename Codec::RunStart;
};
template <class Codec>
constexpr std::size_t bytes_of_run_starts() {
  if constexpr (HasRunStarts<Codec>) return kRuns * sizeof(typename Codec::RunStart);
  return 0;
}
// Device memory for the place of a full block.
template <class Codec>
inline constexpr std::size_t kPlaceBytes = kInEntry<Codec>
                                               ? 0
                                               : sizeof(typename Codec::Place) + bytes_of_run_starts<Codec>();

// A full block, and the stream that its place refers to.
template <class Codec>
struct StreamBlock {
  StreamWords stream;
  BlockOfList of;
  typename Codec::Place place;
  const std::byte* run_starts;  // 8, of type Codec::RunStart, if the codec has that

  __device__ auto start_of_run(std::uint32_t index) const {
    return __ldg(reinterpret_cast<const typename Codec::RunStart*>(run_starts) + index / kRunLength);
  }
  // From number `first` on, up to the end of its run.
  __device__ typename Codec::Reader reader(std::uint32_t first) const {
    if constexpr (HasRunStarts<Codec>) {
      return {stream, place, first, start_of_run(first)};
    } else {
      return {stream, of, place, first};
    }
  }
  static constexpr bool kReadsOne = HasRunStarts<Codec> || requires(StreamWords s, typename Codec::Place p) {
    Codec::one(s, p, 0u);
  };
  __device__ std::uint32_t one(std::uint32_t index) const requires kReadsOne {
    if constexpr (HasRunStarts<Codec>) {
      return Codec::one(stream, place, index, start_of_run(index));
    } else {
      return Codec::one(stream, place, index);
    }
  }
};

template <class Codec>
__device__ inline StreamWords stream_of(const std::byte* image, const SegmentPlace::Stream& its) {
  return {reinterpret_cast<const std::uint32_t*>(image + its.begin), its.size};
}

template <class Codec, bool kFrequencies>
__device__ inline StreamBlock<Codec> stream_block(const DeviceList& list, std::uint32_t block, PackedPlace in_entry) {
  StreamBlock<Codec> found;
  if constexpr (kInEntry<Codec>) {
    found = {{reinterpret_cast<const std::uint32_t*>(list.image), kMaxImageBytes},
             {codec::kBlockLength, 0, kNoDoc},
             {in_entry >> 6, in_entry & 63},
             nullptr};
  } else {
    const SegmentPlace& segment = list.segments[block / kSegmentBlocks];
    const SegmentPlace::Stream& its = kFrequencies ? segment.frequencies : segment.docids;
    const std::uint32_t inside = block % kSegmentBlocks;
    using Place = typename Codec::Place;
    static_assert(sizeof(Place) % 4 == 0 && kPlaceBytes<Codec> % 4 == 0);
    found.stream = stream_of<Codec>(list.image, its);
    found.of = {segment.count, inside, kNoDoc};
    const std::byte* const kept = list.image + its.places + inside * kPlaceBytes<Codec>;
    const auto* from = reinterpret_cast<const std::uint32_t*>(kept);
    auto* to = reinterpret_cast<std::uint32_t*>(&found.place);
#pragma unroll
    for (std::size_t word = 0; word < sizeof(Place) / 4; ++word) to[word] = __ldg(from + word);
    found.run_starts = kept + sizeof(Place);
  }
  return found;
}

// Computes the place of full block `block` of a segment of `count` postings and keeps it. False: not within the stream.
template <class Codec>
__device__ inline bool keep_place(std::byte* image, const SegmentPlace::Stream& its, std::uint32_t count,
                                  std::uint32_t block, DocId before, PackedPlace& in_entry) {
  typename Codec::Place place{};
  if (!Codec::find(stream_of<Codec>(image, its), {count, block, before}, place)) return false;
  if constexpr (kIsSimdBp<Codec>) {
    in_entry = packed_place(its.begin / 16 + place.unit, place.width);
  } else if constexpr (kInEntry<Codec>) {
    in_entry = (its.begin / 4 + place.word) << 6 | place.width;
  } else {
    std::byte* const kept = image + its.places + block * kPlaceBytes<Codec>;
    if constexpr (HasRunStarts<Codec>)
      Codec::find_runs(stream_of<Codec>(image, its), place,
                       reinterpret_cast<typename Codec::RunStart*>(kept + sizeof(place)));
    *reinterpret_cast<typename Codec::Place*>(kept) = place;
  }
  return true;
}

// Decodes a full block as stored: docIDs or distances less one, frequencies less one. False in any lane: corrupt.
template <class Codec, bool kFrequencies>
__device__ inline bool unpack_stream(const DeviceList& list, std::uint32_t block, PackedPlace in_entry,
                                     std::uint32_t lane, typename Codec::Scratch& scratch, Four& out) {
  const auto found = stream_block<Codec, kFrequencies>(list, block, in_entry);
  Unpacked unpacked;
  const bool fine = Codec::unpack(found.stream, found.of, found.place, lane, scratch, unpacked);
  out = unpacked.numbers;
  return fine;
}

template <class Codec>
__device__ inline std::uint32_t find_in_stream(const DeviceList& list, std::uint32_t block, PackedPlace in_entry,
                                               const Run& run, DocId docid) {
  const auto found = stream_block<Codec, false>(list, block, in_entry);
  typename Codec::Reader reader = found.reader(run.number * kRunLength);
  std::uint32_t sum = run.before, index = kNone;
  for (std::uint32_t i = 0; i < kRunLength; i += 4) {
    const Four numbers = reader.next();
#pragma unroll
    for (std::uint32_t k = 0; k < 4; ++k) {
      sum = Codec::kAdds ? sum + numbers.at[k] + 1 : numbers.at[k];
      if (sum == docid) index = run.number * kRunLength + i + k;
    }
  }
  return index;
}

template <class Codec>
__device__ inline std::uint32_t frequency_in_stream(const DeviceList& list, std::uint32_t block, PackedPlace in_entry,
                                                    std::uint32_t index) {
  const auto found = stream_block<Codec, true>(list, block, in_entry);
  if constexpr (StreamBlock<Codec>::kReadsOne) return found.one(index) + 1;
  typename Codec::Reader reader = found.reader(index / 4 * 4);
  const Four four = reader.next();
  const std::uint32_t low = index % 2 ? four.at[1] : four.at[0], high = index % 2 ? four.at[3] : four.at[2];
  return (index % 4 < 2 ? low : high) + 1;
}

// Whether Reader gives what unpack() has given: frequencies less one, or docIDs of a block behind `before`. Lanes 0 ..
// 7 read one run each.
template <class Codec, bool kFrequencies>
__device__ inline bool reader_agrees(const DeviceList& list, std::uint32_t block, PackedPlace in_entry,
                                     std::uint32_t before, const Four& numbers, std::uint32_t lane) {
  constexpr std::uint32_t kLanes = kRunLength / 4;  // of a run
  const auto found = stream_block<Codec, kFrequencies>(list, block, in_entry);
  const std::uint32_t run = lane % kRuns;
  typename Codec::Reader reader = found.reader(run * kRunLength);
  const std::uint32_t start = __shfl_sync(kFullWarp, numbers.at[3], static_cast<int>((run * kLanes + 31) % 32));
  std::uint32_t sum = run == 0 ? before : start;
  bool equal = true;
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    const Four read = reader.next();
    for (std::uint32_t k = 0; k < 4; ++k) {
      sum = !kFrequencies && Codec::kAdds ? sum + read.at[k] + 1 : read.at[k];
      equal &= sum == __shfl_sync(kFullWarp, numbers.at[k], static_cast<int>(run * kLanes + i));
    }
  }
  if constexpr (!kFrequencies && requires { &Codec::index_agrees; })
    equal = Codec::index_agrees(found.stream, found.of, before, numbers, lane) && equal;
  return equal;
}

template <class D, class F>
struct StreamLists {
  union Scratch {
    typename D::Scratch docids;
    typename F::Scratch frequencies;
  };
  __device__ static bool full(const BlockEntry& entry) { return size_of(entry) == codec::kBlockLength; }

  __device__ static bool docids(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                std::uint32_t before, std::uint32_t lane, Scratch& scratch, Four& out) {
    bool fine = true;
    if (full(entry)) {
      fine = unpack_stream<D, false>(list, block, entry.docids, lane, scratch.docids, out);
      if (!D::kAdds) return fine;
    } else {
      out = unpack_four(list.image, entry.docids, lane);
    }
    out = device::add_up(out, before, lane);
    return fine;
  }
  __device__ static bool frequencies(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                     std::uint32_t lane, Scratch& scratch, Four& out) {
    if (!kIsSimdBp<F> && full(entry))
      return unpack_stream<F, true>(list, block, entry.frequencies, lane, scratch.frequencies, out);
    out = unpack_four(list.image, entry.frequencies, lane);
    return true;
  }
  __device__ static std::uint32_t find(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                       const Run& run, DocId docid) {
    if (full(entry)) return find_in_stream<D>(list, block, entry.docids, run, docid);
    return search::find_in_run(list, entry.docids, run, docid);
  }
  __device__ static std::uint32_t frequency(const DeviceList& list, std::uint32_t block, const BlockEntry& entry,
                                            std::uint32_t index) {
    if (!kIsSimdBp<F> && full(entry)) return frequency_in_stream<F>(list, block, entry.frequencies, index);
    return one_frequency(list.image, entry.frequencies, index);
  }
  // One lane: whether the list has the document, without looking for its block first.
  __device__ static bool holds(const DeviceList& list, DocId docid) requires std::is_same_v<D, device_codec::HsLrc> {
    return holds_by_bucket(list, docid);
  }
};

}  // namespace frond::leaf::gpu::codecs
