// Lists that the device codes are, byte for byte, those of the builder on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/codec/binary_packing/simd_bp128.h"
#include "common/postings/list_builder.h"
#include "indexer/invert/gpu/text/device/device_text.h"
#include "indexer/invert/gpu/text/gpu_text_inverter.h"
#include "indexer/invert/gpu/text/lists/list_encoder.h"
#include "indexer/invert/partition_runs.h"
#include "tests/gpu/text_inverter/random_texts.h"
#include "tests/support/scratch_folder.h"

namespace frond::indexer::invert::gpu {
namespace {

// Occurrences of terms, by number of the document.
using Occurrences = std::vector<std::map<std::uint32_t, Frequency>>;

// The postings of a run: documents of `documents` numbers, terms of different lengths of list.
struct MadeUp {
  std::uint32_t documents = 0;
  std::vector<std::uint32_t> lengths;
  Occurrences terms;
};

Frequency random_frequency(std::mt19937& random) {
  if (random() % 4 != 0) return 1;
  return random() % 50 == 0 ? 1 + random() % 300 : 1 + random() % 9;
}

// list_postings: of each term, at most.
MadeUp made_up(unsigned seed, std::uint32_t documents, const std::vector<std::uint32_t>& list_postings) {
  std::mt19937 random(seed);
  MadeUp made{documents, {}, Occurrences(list_postings.size())};
  for (std::uint32_t d = 0; d < documents; ++d)
    made.lengths.push_back(random() % 40 == 0 ? 1 + random() % 200'000 : 1 + random() % 600);
  for (std::size_t term = 0; term < list_postings.size(); ++term) {
    const bool clustered = random() % 2 == 0;
    const std::uint32_t span = clustered ? std::min(documents, list_postings[term] * 2 + 1) : documents;
    const std::uint32_t from = random() % (documents - span + 1);
    for (std::uint32_t i = 0; i < list_postings[term]; ++i)
      made.terms[term].emplace(from + random() % span, random_frequency(random));
  }
  return made;
}

// The run, in batches of so many documents. A document's occurrences of a term are split between two pieces now and
// then, also of different batches.
std::shared_ptr<DeviceText> on_device(const MadeUp& made, std::uint32_t batch_documents) {
  std::shared_ptr<DeviceText> text =
      DeviceText::create({.device_bytes = std::uint64_t{400} << 20, .max_text = std::uint64_t{1} << 20}).value();
  std::vector<std::vector<std::pair<std::uint32_t, Frequency>>> by_document(made.documents);
  for (std::uint32_t term = 0; term < made.terms.size(); ++term)
    for (const auto& [document, frequency] : made.terms[term]) by_document[document].emplace_back(term, frequency);
  const auto terms = static_cast<std::uint32_t>(made.terms.size());
  std::size_t side = 0;
  for (std::uint32_t first = 0; first < made.documents; first += batch_documents) {
    const std::uint32_t end = std::min(made.documents, first + batch_documents);
    // The last document has its second half in the next batch.
    for (const bool second : {false, true}) {
      const TextPlace filled = text->places().fill(side).value();
      std::vector<std::uint32_t> pair_terms, pair_pieces;
      std::uint32_t pieces = 0;
      for (std::uint32_t document = second ? end - 1 : first; document < end; ++document) {
        filled.piece_begins[pieces] = 0;
        filled.piece_numbers[pieces] = document;
        for (const auto& [term, frequency] : by_document[document]) {
          const Frequency half = document + 1 == end && frequency > 1 ? frequency / 2 : 0;
          const Frequency mine = second ? half : frequency - half;
          pair_terms.insert(pair_terms.end(), mine, term);
          pair_pieces.insert(pair_pieces.end(), mine, pieces);
        }
        ++pieces;
      }
      EXPECT_TRUE(text->places().send(side, 0, pieces));
      EXPECT_TRUE(text->begin_find(side, side));
      EXPECT_TRUE(text->run().has_room(static_cast<std::uint32_t>(pair_terms.size())).value());
      EXPECT_TRUE(text->add_pairs(side, pair_terms, pair_pieces, terms));
      side = 1 - side;
    }
  }
  return text;
}

struct Lists {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<ByteBuffer>> segments;  // by partition, term
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint64_t, std::uint64_t>> sums;
  std::vector<std::uint64_t> digests;  // by number
};

std::uint64_t hash_of(std::uint32_t term) { return (term + 1) * 0x9e3779b97f4a7c15; }

Lists expected_of(const MadeUp& made, std::uint64_t first, std::uint32_t partitions, double b, double average) {
  const RoundRobin assigned(partitions);
  std::vector<std::vector<std::uint32_t>> lengths(partitions);
  for (std::uint64_t document = 0; document < first + made.documents; ++document)
    lengths[assigned.place_of(document).partition].push_back(document < first ? 0 : made.lengths[document - first]);
  Lists lists;
  lists.digests.resize(made.documents);
  for (std::uint32_t term = 0; term < made.terms.size(); ++term) {
    std::vector<std::vector<DocId>> docids(partitions);
    std::vector<std::vector<Frequency>> frequencies(partitions);
    for (const auto& [number, frequency] : made.terms[term]) {
      const auto place = assigned.place_of(first + number);
      docids[place.partition].push_back(place.docid);
      frequencies[place.partition].push_back(frequency);
      lists.digests[number] += frequency * hash_of(term);
    }
    for (std::uint32_t p = 0; p < partitions; ++p) {
      if (docids[p].empty()) continue;
      const postings::ListBuilder builder(codec::simd_bp128(), lengths[p], b, average);
      lists.segments[{p, term}] = builder.build(docids[p], frequencies[p]);
      lists.sums[{p, term}] = {docids[p].size(),
                               std::accumulate(frequencies[p].begin(), frequencies[p].end(), std::uint64_t{0})};
    }
  }
  return lists;
}

Lists coded_of(const MadeUp& made, std::uint64_t first, std::uint32_t partitions, double b, double average,
               std::uint32_t window_postings, std::uint32_t batch_documents) {
  const auto text = on_device(made, batch_documents);
  const auto totals = text->run().totals(static_cast<std::uint32_t>(made.terms.size())).value();
  std::vector<std::uint32_t> order;
  for (std::uint32_t term = 0; term < totals.size(); ++term)
    if (totals[term] != 0) order.push_back(term);
  std::vector<std::uint32_t> offsets(totals.size()), starts{0};
  std::vector<std::uint64_t> hashes;
  for (const std::uint32_t term : order) {
    offsets[term] = starts.back();
    starts.push_back(starts.back() + totals[term]);
    hashes.push_back(hash_of(term));
  }
  EXPECT_TRUE(text->run().place_terms(offsets, starts.back()));
  const std::uint32_t most = std::max(window_postings, *std::max_element(totals.begin(), totals.end()));
  EXPECT_TRUE(ListEncoder::fits(*text, made.documents, order.size(), most));
  const auto coder =
      ListEncoder::create(text, {first, partitions, b, average, made.lengths, starts, hashes, most, 3 * most}).value();
  Lists lists;
  std::size_t begun = 0;  // terms
  const auto begin = [&] {
    if (begun == order.size()) return;
    std::size_t end = begun + 1;
    while (end < order.size() && starts[end + 1] - starts[begun] <= window_postings) ++end;
    const auto window = coder->begin(begun, end);
    EXPECT_TRUE(window) << window.error().message();
    begun = end;
  };
  begin();
  std::vector<std::shared_ptr<const runs::EncodedSlice>> slices;  // that stay
  for (std::size_t taken = 0; taken < order.size(); taken = slices.back()->end) {
    begin();
    auto slice = coder->take();
    if (!slice) {
      ADD_FAILURE() << slice.error().message();
      return lists;
    }
    EXPECT_EQ((*slice)->first, taken);
    slices.push_back(*std::move(slice));
  }
  lists.digests = coder->digests().value();
  for (const auto& slice : slices) {
    std::pair<std::uint32_t, std::uint32_t> before{0, 0};
    bool open = false;
    for (const ListPiece& piece : slice->pieces) {
      const std::pair<std::uint32_t, std::uint32_t> name{piece.partition, order[slice->first + piece.term]};
      EXPECT_TRUE(&piece == slice->pieces.data() || (open ? name == before : before < name));
      open = piece.last == 0;
      before = name;
      const ByteView blob = slice->blob(piece);
      lists.segments[name].emplace_back(blob.begin(), blob.end());
      lists.sums[name].first += piece.count;
      lists.sums[name].second += piece.occurrences;
    }
    EXPECT_FALSE(open);
  }
  return lists;
}

void expect_same(const Lists& got, const Lists& expected) {
  ASSERT_EQ(got.segments.size(), expected.segments.size());
  for (const auto& [name, segments] : expected.segments) {
    const auto found = got.segments.find(name);
    ASSERT_NE(found, got.segments.end());
    ASSERT_EQ(found->second.size(), segments.size());
    for (std::size_t i = 0; i < segments.size(); ++i)
      ASSERT_TRUE(found->second[i] == segments[i])
          << "partition " << name.first << ", term " << name.second << ", segment " << i << ": "
          << expected.sums.at(name).first << " postings, " << found->second[i].size() << " bytes, expected "
          << segments[i].size();
  }
  EXPECT_TRUE(got.sums == expected.sums);
  EXPECT_TRUE(got.digests == expected.digests);
}

TEST(ListsOfDevices, AreThoseOfTheBuilder) {
  std::mt19937 random(3);
  for (const std::uint32_t partitions : {1u, 2u, 3u, 16u}) {
    std::vector<std::uint32_t> lists;
    for (int i = 0; i < 300; ++i) {
      const std::uint_fast32_t kinds[] = {1,
                                          1 + random() % 3,
                                          1 + random() % 20,
                                          1 + random() % 140,
                                          120 + random() % 20,
                                          250 + random() % 10,
                                          random() % 3000,
                                          0};
      lists.push_back(static_cast<std::uint32_t>(kinds[random() % 8]));
    }
    lists.insert(lists.end(), {127, 128, 129, 255, 256, 257, 2048, 2200, 5000});
    const MadeUp made = made_up(partitions, 6000, lists);
    const double b = partitions == 1 ? 0.4 : partitions == 2 ? 0.0 : partitions == 3 ? 1.0 : 0.75;
    const std::uint64_t first = partitions == 3 ? 1001 : 0;
    SCOPED_TRACE(partitions);
    const Lists expected = expected_of(made, first, partitions, b, 271.3);
    expect_same(coded_of(made, first, partitions, b, 271.3, 3000, 1700), expected);
    expect_same(coded_of(made, first, partitions, b, 271.3, 200'000, 6000), expected);
  }
}

TEST(ListsOfDevices, AreCutIntoSegments) {
  constexpr std::uint32_t kDocuments = 540'000;
  MadeUp made = made_up(1, kDocuments, {3, 0, 5});
  for (std::uint32_t document = 0; document < kDocuments; ++document)
    if (document % 40 != 1) made.terms[1][document] = 1 + document % 3;
  for (const std::uint32_t partitions : {1u, 2u})
    expect_same(coded_of(made, 0, partitions, 0.4, 300, 1000, 30'000), expected_of(made, 0, partitions, 0.4, 300));
}

// All lists of a partition, one after the other, whatever the slices were.
struct PartitionLists {
  std::string terms, blobs;
  std::vector<std::uint64_t> numbers;
  bool operator==(const PartitionLists&) const = default;
};
struct Held {
  std::vector<PartitionLists> partitions;
  std::vector<std::vector<std::uint64_t>> digests;
  int slices = 0;
};

Held held_of(unsigned seed, std::uint32_t partitions, const runs::SliceLimits& limits) {
  std::mt19937 random(seed);
  const support::ScratchFolder folder;
  std::vector<std::vector<std::uint32_t>> lengths(partitions);
  GpuTextInverter inverter({.inverter = {.folder = folder.path(),
                                         .label = "text",
                                         .partitions = partitions,
                                         .budget = [] { return std::uint64_t{1} << 30; },
                                         .gpu = {.bytes = std::uint64_t{64} << 20},
                                         .warn = [](const std::string& said) { ADD_FAILURE() << said; }},
                            .take_length =
                                [&](DocumentNumber number, std::uint32_t terms) {
                                  lengths[number % partitions].push_back(terms);
                                  return Result<void>();
                                },
                            .max_text = std::uint64_t{1} << 20});
  DocumentTexts texts;
  std::vector<DocumentNumber> numbers;
  for (DocumentNumber number = 0; number < 300; ++number) {
    texts.bytes += support::random_text(random, random() % 60, 6) + "\n";
    texts.ends.push_back(texts.bytes.size());
    numbers.push_back(number);
  }
  EXPECT_TRUE(inverter.invert(std::move(texts), numbers));
  EXPECT_TRUE(inverter.give_lengths());
  const auto slices = inverter.take_postings(~std::uint64_t{0}).value();
  const runs::ListEncoding coding{{lengths.begin(), lengths.end()}, 0.4, 30};
  EXPECT_TRUE(slices->codes(coding, limits));
  Held held;
  held.partitions.resize(partitions);
  std::size_t end = 0;
  held.digests = slices
                     ->code(coding, limits,
                            [&](const std::shared_ptr<const runs::EncodedSlice>& slice) -> Result<void> {
                              ++held.slices;
                              EXPECT_EQ(slice->first, std::exchange(end, slice->end));
                              EXPECT_TRUE(slice->pieces.size() <= limits.lists || slice->end == slice->first + 1);
                              std::uint32_t before = 0;
                              for (const runs::EncodedPiece& piece : slice->pieces) {
                                EXPECT_GE(piece.partition, std::exchange(before, piece.partition));
                                PartitionLists& to = held.partitions[piece.partition];
                                to.terms += std::string(slices->term(slice->first + piece.term)) + "\n";
                                to.blobs += as_text(slice->blob(piece));
                                to.numbers.insert(to.numbers.end(), {piece.bytes, piece.count, piece.occurrences});
                              }
                              return {};
                            })
                     .value();
  return held;
}

TEST(ListsOfDevices, OfDevicePostingsAreTheSameInSlicesOfAnySize) {
  for (const std::uint32_t partitions : {1u, 3u}) {
    constexpr std::size_t kMany = std::size_t{1} << 16;
    const Held whole = held_of(7, partitions, {kMany, kMany});
    EXPECT_EQ(whole.slices, 1);
    EXPECT_GT(whole.partitions[0].blobs.size(), 1000u);
    for (const runs::SliceLimits& limits : {runs::SliceLimits{100, 100}, {kMany, 30}}) {
      const Held small = held_of(7, partitions, limits);
      EXPECT_GT(small.slices, 20);
      EXPECT_TRUE(small.partitions == whole.partitions);
      EXPECT_TRUE(small.digests == whole.digests);
    }
  }
}

}  // namespace
}  // namespace frond::indexer::invert::gpu
