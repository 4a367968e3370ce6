#include "tools/papers/term_at_a_time/term_at_a_time.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tools/papers/term_at_a_time/decode_lists.h"

namespace frond::tools::papers {
namespace {

template <class T>
T* pointer(const device::Memory& memory) {
  return reinterpret_cast<T*>(memory.data());
}

}  // namespace

Result<TermAtATime> TermAtATime::create(std::span<const std::uint32_t> lengths, std::uint32_t max_postings) {
  using device::Memory, device::Place;
  const std::size_t documents = std::max<std::size_t>(lengths.size(), 1);
  const std::size_t numbers = (std::size_t{max_postings} + 127) / 128 * 128 * 4;
  const auto of_device = [](std::size_t bytes) {
    return Memory::create(Place::kDevice, std::max<std::size_t>(bytes, 4));
  };
  auto stream = FROND_TRY(device::Stream::create());
  std::vector<device::Event> points;
  for (std::size_t i = 0; i < 3 + 2 * kMaxTerms; ++i) points.push_back(FROND_TRY(device::Event::create(true)));
  auto all_lengths = FROND_TRY(of_device(documents * 4));
  auto scores = FROND_TRY(of_device(documents * sizeof(scoring::Score)));
  auto maxima = FROND_TRY(of_device((documents / 256 + 4) * sizeof(std::uint64_t)));
  auto docids = FROND_TRY(of_device(numbers));
  auto frequencies = FROND_TRY(of_device(numbers));
  auto best = FROND_TRY(of_device(kMaxK * sizeof(std::uint64_t)));
  auto tasks = FROND_TRY(of_device(sizeof(DecodeTask)));
  auto staged_best = FROND_TRY(Memory::create(Place::kPinnedHost, kMaxK * 8));
  auto staged_tasks = FROND_TRY(Memory::create(Place::kPinnedHost, sizeof(DecodeTask)));
  TermAtATime::Place place{.stream = std::move(stream),
                           .points = std::move(points),
                           .lengths = std::move(all_lengths),
                           .scores = std::move(scores),
                           .maxima = std::move(maxima),
                           .docids = std::move(docids),
                           .frequencies = std::move(frequencies),
                           .best = std::move(best),
                           .tasks = std::move(tasks),
                           .staged_best = std::move(staged_best),
                           .staged_tasks = std::move(staged_tasks)};
  const auto staged = FROND_TRY(Memory::create(Place::kPinnedHost, documents * 4));
  std::memcpy(staged.data(), lengths.data(), lengths.size_bytes());
  FROND_TRY(device::copy_to_device(place.lengths.data(), staged.data(), lengths.size_bytes(), place.stream.get()));
  FROND_TRY(place.points[0].record(place.stream.get()));
  FROND_TRY(place.points[0].wait());
  return TermAtATime(std::move(place), static_cast<std::uint32_t>(lengths.size()));
}

Result<void> TermAtATime::decode(const leaf::gpu::DeviceList& list) {
  const DecodeTask task{list, 0};
  std::memcpy(place_.staged_tasks.data(), &task, sizeof task);
  FROND_TRY(device::copy_to_device(place_.tasks.data(), place_.staged_tasks.data(), sizeof task, place_.stream.get()));
  return decode_lists(pointer<const DecodeTask>(place_.tasks), 1, list.block_count,
                      pointer<std::uint32_t>(place_.docids), pointer<std::uint32_t>(place_.frequencies),
                      place_.stream.get());
}

Tournament TermAtATime::tournament() const {
  Tournament made{.scores = pointer<scoring::Score>(place_.scores),
                  .documents = documents_,
                  .levels = 0,
                  .maxima = {},
                  .counts = {}};
  auto* at = pointer<std::uint64_t>(place_.maxima);
  std::uint32_t count = documents_;
  do {
    count = (count + kGroup - 1) / kGroup;
    made.maxima[made.levels] = at;
    made.counts[made.levels] = count;
    at += count;
    ++made.levels;
  } while (count > kGroup);
  return made;
}

Result<Found> TermAtATime::search(std::span<const Term> terms, scoring::LengthNorm norm, std::uint32_t k) {
  if (k > kMaxK || terms.size() > kMaxTerms) return Error(Code::kInvalid, "too many hits or terms");
  Found found;
  if (documents_ == 0 || k == 0) return found;
  const device::StreamHandle stream = place_.stream.get();
  std::size_t point = 0;
  FROND_TRY(mark(point++));
  FROND_TRY(device::fill_with_zeros(place_.scores.data(), std::size_t{documents_} * sizeof(scoring::Score), stream));
  FROND_TRY(mark(point++));
  for (const Term& term : terms) {
    // The staging memory may be reused: each earlier copy has been waited for.
    FROND_TRY(decode(term.list));
    FROND_TRY(mark(point++));
    FROND_TRY(add_scores({.docids = pointer<const std::uint32_t>(place_.docids),
                          .frequencies = pointer<const std::uint32_t>(place_.frequencies),
                          .count = term.list.count,
                          .lengths = pointer<const std::uint32_t>(place_.lengths),
                          .weight = term.weight,
                          .norm = norm},
                         pointer<scoring::Score>(place_.scores), stream));
    FROND_TRY(mark(point));
    FROND_TRY(place_.points[point++].wait());
  }
  const std::size_t scored = point - 1;
  const Tournament of = tournament();
  FROND_TRY(find_maxima(of.scores, documents_, of.maxima[0], stream));
  for (std::uint32_t level = 1; level < of.levels; ++level)
    FROND_TRY(find_maxima(of.maxima[level - 1], of.counts[level - 1], of.maxima[level], stream));
  FROND_TRY(extract(of, k, pointer<std::uint64_t>(place_.best), stream));
  FROND_TRY(device::copy_to_host(place_.staged_best.data(), place_.best.data(), std::size_t{k} * 8, stream));
  FROND_TRY(mark(point));
  FROND_TRY(place_.points[point].wait());

  const auto passed = [&](std::size_t to) { return place_.points[to].milliseconds_since(place_.points[to - 1]); };
  found.microseconds[kInitialization] = 1e3f * FROND_TRY(passed(1));
  for (std::size_t i = 2; i <= scored; i += 2) {
    found.microseconds[kDecompression] += 1e3f * FROND_TRY(passed(i));
    found.microseconds[kScoring] += 1e3f * FROND_TRY(passed(i + 1));
  }
  found.microseconds[kTopK] = 1e3f * FROND_TRY(passed(point));
  const auto* best = pointer<const std::uint64_t>(place_.staged_best);
  for (std::uint32_t i = 0; i < k && best[i] != 0; ++i)
    found.hits.push_back({~static_cast<DocId>(best[i]), static_cast<scoring::Score>(best[i] >> 32)});
  return found;
}

}  // namespace frond::tools::papers
