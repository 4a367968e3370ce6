#include "tools/bench/codec/integer_sets.h"

#include <algorithm>
#include <array>
#include <bit>
#include <system_error>

#include <fmt/format.h>

#include "common/base/check.h"
#include "common/partition/partition.h"
#include "common/postings/posting_list.h"
#include "common/repository/repository.h"
#include "tools/bench/measure.h"

namespace frond::tools::bench {

namespace fs = std::filesystem;

std::uint64_t IntegerSet::integers() const {
  std::uint64_t all = 0;
  for (const auto& list : lists) all += list.size();
  return all;
}

IntegerSet synthetic_set(std::string_view model, unsigned log2_count, std::uint32_t seed) {
  constexpr std::uint32_t kRange = 1u << 29;
  IntegerSet set;
  set.name = fmt::format("{}/2^{}", model, log2_count);
  std::mt19937 random(seed);
  for (unsigned lists = log2_count < 22 ? 1u << (22 - log2_count) : 1; lists > 0; --lists)
    set.lists.push_back((model == "uniform" ? uniform_list : clustered_list)(random, 1u << log2_count, kRange));
  return set;
}

namespace {

// Not std::uniform_int_distribution: a seed gives the same list with every standard library.
std::uint32_t below(std::mt19937& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(std::uint64_t{static_cast<std::uint32_t>(random())} * bound >> 32);
}
bool half(std::mt19937& random) { return (random() & 1) != 0; }

// Appends `count` distinct integers of [0, range), plus `first`. For a range not much greater than the count: uses one
// bit per integer.
void append_by_bits(std::mt19937& random, std::uint32_t count, std::uint32_t first, std::uint32_t range,
                    std::vector<std::uint32_t>& out) {
  const bool absent = count > range / 2;  // draw the absent integers if they are fewer
  std::vector<std::uint64_t> bits((range + 63) / 64, 0);
  for (std::uint32_t drawn = 0, wanted = absent ? range - count : count; drawn < wanted;) {
    const std::uint32_t each = below(random, range);
    std::uint64_t& word = bits[each / 64];
    const std::uint64_t bit = std::uint64_t{1} << (each % 64);
    drawn += (word & bit) == 0;
    word |= bit;
  }
  for (std::uint32_t at = 0; at < range; at += 64) {
    std::uint64_t word = absent ? ~bits[at / 64] : bits[at / 64];
    if (range - at < 64) word &= ~(~std::uint64_t{0} << (range - at));
    for (; word != 0; word &= word - 1) out.push_back(first + at + static_cast<std::uint32_t>(std::countr_zero(word)));
  }
}

void append_uniform(std::mt19937& random, std::uint32_t count, std::uint32_t first, std::uint32_t range,
                    std::vector<std::uint32_t>& out) {
  FROND_CHECK(count <= range);
  if (range / 64 < count) return append_by_bits(random, count, first, range, out);
  std::vector<std::uint32_t> drawn;
  while (drawn.size() < count) {
    while (drawn.size() < count) drawn.push_back(first + below(random, range));
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  }
  out.insert(out.end(), drawn.begin(), drawn.end());
}

void append_clustered(std::mt19937& random, std::uint32_t count, std::uint32_t first, std::uint32_t range,
                      std::vector<std::uint32_t>& out) {
  if (count <= 10 || count == range) return append_uniform(random, count, first, range, out);
  const std::uint32_t left = count / 2, spare = range - count;
  const std::uint32_t cut = left + (spare > 1 ? below(random, spare) : 0);  // where the right side begins
  const bool one_side_uniform = half(random), which = half(random);
  (one_side_uniform && which ? append_uniform : append_clustered)(random, left, first, cut, out);
  (one_side_uniform && !which ? append_uniform : append_clustered)(random, count - left, first + cut, range - cut, out);
}

}  // namespace

std::vector<std::uint32_t> uniform_list(std::mt19937& random, std::uint32_t count, std::uint32_t range) {
  std::vector<std::uint32_t> list;
  list.reserve(count);
  append_uniform(random, count, 0, range, list);
  return list;
}

std::vector<std::uint32_t> clustered_list(std::mt19937& random, std::uint32_t count, std::uint32_t range) {
  std::vector<std::uint32_t> list;
  list.reserve(count);
  append_clustered(random, count, 0, range, list);
  return list;
}

namespace {

namespace fs = std::filesystem;

// Appends a term's list to both sets.
Result<void> append(const partition::Partition& partition, std::string_view term, IntegerSet& docids,
                    IntegerSet& frequencies) {
  const auto stored = FROND_TRY(partition.list(term));
  std::vector<ByteView> segments;
  for (const auto& segment : stored.segments) segments.push_back(segment.bytes());
  const auto list = FROND_TRY(postings::PostingList::open(segments));
  std::vector<std::uint32_t> all_docids, all_frequencies;
  std::array<std::uint32_t, codec::kBlockLength> out;
  for (std::uint32_t block = 0; block < list.blocks(); ++block) {
    const auto size = static_cast<std::ptrdiff_t>(list.block_size(block));
    FROND_TRY(list.decode_docids(block, out));
    all_docids.insert(all_docids.end(), out.begin(), out.begin() + size);
    FROND_TRY(list.decode_frequencies(block, out));
    all_frequencies.insert(all_frequencies.end(), out.begin(), out.begin() + size);
  }
  docids.lists.push_back(std::move(all_docids));
  frequencies.lists.push_back(std::move(all_frequencies));
  return {};
}

class Reader {
 public:
  Reader(std::size_t min_length, std::uint64_t max_postings) : min_length_(min_length), left_(max_postings) {
    sets_[0].name = "index docids";
    sets_[1].name = "index freqs";
    sets_[1].kind = codec::Numbers::kFrequencies;
  }

  Result<void> read(const partition::Partition& partition) {
    Result<void> outcome;
    FROND_TRY(partition.for_each_term([&](std::string_view term, const partition::TermStatistics& statistics) {
      if (statistics.document_frequency < min_length_ || statistics.document_frequency > left_) return true;
      left_ -= statistics.document_frequency;
      outcome = append(partition, term, sets_[0], sets_[1]);
      return outcome.has_value();
    }));
    return outcome;
  }

  // Reads the partitions of a collection's current generation, one after the other.
  Result<void> read_collection(const fs::path& folder) {
    const auto source =
        FROND_TRY(repository::RepositorySource::open(folder.parent_path().string(), folder.filename().string()));
    const Generation current = FROND_TRY(source->current());
    const auto manifest = FROND_TRY(source->manifest(current));
    for (const auto& entry : manifest.partitions) {
      const fs::path files = folder / "partitions" / entry.id;
      const auto partition = FROND_TRY(partition::Partition::open(files, entry.summary.files));
      FROND_TRY(read(*partition));
    }
    return {};
  }

  std::vector<IntegerSet> take() && { return std::move(sets_); }

 private:
  std::size_t min_length_;
  std::uint64_t left_;
  std::vector<IntegerSet> sets_ = std::vector<IntegerSet>(2);
};

}  // namespace

Result<std::vector<IntegerSet>> sets_of_index(const fs::path& path, std::size_t min_length,
                                              std::uint64_t max_postings) {
  std::error_code failure;
  const fs::path whole = fs::canonical(path, failure);
  if (failure) return Error(Code::kNotFound, path.string() + ": " + failure.message());
  Reader reader(min_length, max_postings);
  if (fs::exists(whole / "generations", failure)) {
    FROND_TRY(reader.read_collection(whole));
  } else {
    const auto partition = FROND_TRY(partition::Partition::open(whole));
    FROND_TRY(reader.read(*partition));
  }
  return std::move(reader).take();
}

}  // namespace frond::tools::bench
