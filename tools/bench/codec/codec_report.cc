#include "tools/bench/codec/codec_report.h"

#include <nlohmann/json.hpp>

namespace frond::tools::bench {

using nlohmann::ordered_json;

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

CodecReport report_of(std::span<const CodecTiming> timings) {
  CodecReport report{.figures = {{"encode M", "encode_m", 0},
                                 {"decode G", "decode_g", 2},
                                 {"without sum G", "decode_without_sum_g", 2}},
                     .rows = {}};
  for (const CodecTiming& each : timings)
    report.rows.push_back({each.codec, each.bits, {each.encode, each.decode, each.decode_gaps}});
  return report;
}

CodecReport report_of(std::span<const DeviceCodecTiming> timings) {
  CodecReport report{.figures = {{"alone", "alone_g", 1},
                                 {"row", "row_g", 1},
                                 {"row, no sum", "row_without_sum_g", 1},
                                 {"batch", "batch_g", 1},
                                 {"batch, no sum", "batch_without_sum_g", 1}},
                     .rows = {}};
  for (const DeviceCodecTiming& each : timings)
    report.rows.push_back({each.codec, each.bits, {each.alone, each.row, each.row_gaps, each.batch, each.batch_gaps}});
  return report;
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

ordered_json json_of(const CodecReport& report) {
  auto rows = ordered_json::array();
  for (const auto& row : report.rows) {
    ordered_json out{{"codec", row.codec->name()}, {"bits", row.bits}};
    for (std::size_t f = 0; f < row.figures.size(); ++f)
      if (row.figures[f].median > 0) out[report.figures[f].name] = as_json(row.figures[f]);
    rows.push_back(std::move(out));
  }
  return rows;
}

}  // namespace frond::tools::bench
