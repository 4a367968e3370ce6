#include "tools/bench/codec/codec_timing.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace frond::tools::bench {
namespace {

using codec::kBlockLength;
using codec::Numbers;

// Streams of all lists, one after the other, each aligned to 16 bytes, with slack behind the last.
struct Streams {
  ByteBuffer bytes;
  std::vector<std::size_t> begins;  // and the end of the last

  ByteView at(std::size_t list) const { return ByteView(bytes).subspan(begins[list], begins[list + 1] - begins[list]); }
};

Streams encode(const codec::ListCodec& codec, const std::vector<std::vector<std::uint32_t>>& lists, Numbers kind) {
  Streams streams;
  for (const auto& list : lists) {
    streams.begins.push_back(streams.bytes.size());
    codec.encode(list, kind, streams.bytes);
  }
  streams.begins.push_back(streams.bytes.size());
  streams.bytes.resize(streams.bytes.size() + codec::kReadSlack);
  return streams;
}

// Decodes everything; visit(list, block, out, size) sees each block.
template <class Visit>
Result<void> decode_all(const codec::ListCodec& codec, const Streams& streams,
                        const std::vector<std::vector<std::uint32_t>>& lists, Numbers kind, const Visit& visit) {
  alignas(64) std::array<std::uint32_t, kBlockLength> out;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto count = static_cast<std::uint32_t>(lists[i].size());
    const ByteView stream = streams.at(i);
    DocId before = kNoDoc;
    for (std::uint32_t block = 0, first = 0; first < count; ++block, first += kBlockLength) {
      FROND_TRY(codec.decode(stream, count, kind, block, before, out));
      const std::uint32_t size = std::min(kBlockLength, count - first);
      before = out[size - 1];
      visit(i, first, std::span(out).first(size));
    }
  }
  return {};
}

std::vector<std::vector<std::uint32_t>> gaps_of(const std::vector<std::vector<std::uint32_t>>& lists) {
  auto gaps = lists;
  for (auto& list : gaps) {
    DocId before = kNoDoc;
    for (std::uint32_t& number : list) {
      const std::uint32_t gap = number - before;
      before = number;
      number = gap;
    }
  }
  return gaps;
}

// One codec on one kind of numbers of the lists.
struct Run {
  const codec::ListCodec* codec;
  const std::vector<std::vector<std::uint32_t>>* lists;
  Numbers kind;
  Streams streams;
  std::vector<double> encode_seconds, decode_seconds;

  Result<void> check() const {
    bool same = true;
    FROND_TRY(decode_all(*codec, streams, *lists, kind, [&](std::size_t list, std::uint32_t first, auto numbers) {
      same &= std::equal(numbers.begin(), numbers.end(), (*lists)[list].begin() + first);
    }));
    if (!same) return Error(Code::kCorrupt, std::string(codec->name()) + " gives other numbers back");
    return {};
  }
  Result<void> time_encode() {
    const std::uint64_t start = thread_nanoseconds();
    const Streams again = encode(*codec, *lists, kind);
    encode_seconds.push_back(static_cast<double>(thread_nanoseconds() - start) * 1e-9);
    if (again.bytes != streams.bytes) return Error(Code::kCorrupt, std::string(codec->name()) + " encodes by chance");
    return {};
  }
  Result<void> time_decode() {
    std::uint32_t sum = 0;
    const std::uint64_t start = thread_nanoseconds();
    FROND_TRY(decode_all(*codec, streams, *lists, kind,
                         [&](std::size_t, std::uint32_t, auto numbers) { sum += numbers.back(); }));
    decode_seconds.push_back(static_cast<double>(thread_nanoseconds() - start) * 1e-9);
    volatile std::uint32_t used = sum;
    static_cast<void>(used);
    return {};
  }
};

}  // namespace

Result<std::vector<CodecTiming>> time_codecs(const IntegerSet& set, std::span<const codec::ListCodec* const> codecs,
                                             unsigned rounds) {
  const bool docids = set.kind == Numbers::kDocIds;
  const auto gaps = docids ? gaps_of(set.lists) : std::vector<std::vector<std::uint32_t>>();
  std::vector<Run> runs;
  for (const codec::ListCodec* codec : codecs) {
    if (!codec->info().encodes(set.kind)) continue;
    runs.push_back({codec, &set.lists, set.kind, encode(*codec, set.lists, set.kind), {}, {}});
    FROND_TRY(runs.back().check());
    if (!docids || !codec->info().encodes(Numbers::kFrequencies)) continue;
    runs.push_back({codec, &gaps, Numbers::kFrequencies, encode(*codec, gaps, Numbers::kFrequencies), {}, {}});
    FROND_TRY(runs.back().check());
  }
  for (unsigned round = 0; round < rounds; ++round)
    for (Run& run : runs) {
      // Encoding is slow and varies little, so it is timed once, and only for the numbers that the table shows.
      if (round == 0 && run.kind == set.kind) FROND_TRY(run.time_encode());
      FROND_TRY(run.time_decode());
    }
  const auto integers = static_cast<double>(set.integers());
  std::vector<CodecTiming> timings;
  for (const Run& run : runs) {
    if (run.kind != set.kind) {
      timings.back().decode_gaps = rate_of(run.decode_seconds, integers * 1e-9);
      continue;
    }
    timings.push_back({run.codec, static_cast<double>(run.streams.begins.back()) * 8 / integers,
                       rate_of(run.encode_seconds, integers * 1e-6), rate_of(run.decode_seconds, integers * 1e-9),
                       Spread{}});
  }
  return timings;
}

CodecReport report_of(std::span<const CodecTiming> timings) {
  CodecReport report{
      {{"encode M", "encode_m", 0}, {"decode G", "decode_g", 2}, {"without sum G", "decode_without_sum_g", 2}}};
  for (const CodecTiming& each : timings)
    report.rows.push_back({each.codec, each.bits, {each.encode, each.decode, each.decode_gaps}});
  return report;
}

CodecReport report_of(std::span<const DeviceCodecTiming> timings) {
  CodecReport report{{{"alone", "alone_g", 1},
                      {"row", "row_g", 1},
                      {"row, no sum", "row_without_sum_g", 1},
                      {"batch", "batch_g", 1},
                      {"batch, no sum", "batch_without_sum_g", 1}}};
  for (const DeviceCodecTiming& each : timings)
    report.rows.push_back({each.codec, each.bits, {each.alone, each.row, each.row_gaps, each.batch, each.batch_gaps}});
  return report;
}

Table table_of_codecs() {
  Table table{
      .title = "Codecs", .columns = {{"id"}, {"name"}, {"family"}, {"encodes"}, {"paper and section"}}, .rows = {}};
  for (const codec::ListCodec* codec : codec::all_codecs()) {
    const codec::CodecInfo& info = codec->info();
    const auto* kinds = !info.frequencies ? "docIDs" : info.docids ? "docIDs, frequencies" : "frequencies";
    table.rows.push_back({static_cast<unsigned>(info.id), std::string(info.name), std::string(info.family), kinds,
                          std::string(info.source)});
  }
  return table;
}

Table table_of(const CodecReport& report) {
  Table table{.title = "Codecs", .columns = {{"codec"}, {"bits", 3}}, .rows = {}};
  for (const auto& figure : report.figures) table.columns.push_back({figure.title});
  for (const auto& row : report.rows) {
    std::vector<Cell> cells{std::string(row.codec->name()), row.bits};
    for (std::size_t f = 0; f < row.figures.size(); ++f)
      cells.emplace_back(shown(row.figures[f], report.figures[f].digits));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

nlohmann::ordered_json json_of(const CodecReport& report) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : report.rows) {
    nlohmann::ordered_json out{{"codec", row.codec->name()}, {"bits", row.bits}};
    for (std::size_t f = 0; f < row.figures.size(); ++f)
      if (row.figures[f].median > 0) out[report.figures[f].name] = as_json(row.figures[f]);
    rows.push_back(std::move(out));
  }
  return rows;
}

}  // namespace frond::tools::bench
