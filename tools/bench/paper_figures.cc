#include "tools/bench/paper_figures.h"

#include <algorithm>
#include <iterator>

namespace frond::tools::bench {
namespace {

constexpr std::string_view kTable1 = "Mallia 2019, Table 1", kTables24 = "Mallia 2019, Tables 2 and 4 (Gov2)",
                           kClueWeb = "Mallia 2019, Tables 2 and 4 (ClueWeb09)", kAoGov = "Ao 2011, Table 2 (GOV)",
                           kAoGovR = "Ao 2011, Table 2 (GOVR)", kAoGov2R = "Ao 2011, Table 2 (GOV2R)";

constexpr PaperFigure kCodecFigures[] = {
    {"uniform/2^16", "bp32", 15.71, 0, kTable1},
    {"uniform/2^16", "simd-bp128", 16.04, 0, kTable1},
    {"uniform/2^16", "gpu-bp128", 16.22, 0, kTable1},
    {"uniform/2^16", "gpu-bp256", 16.20, 0, kTable1},
    {"uniform/2^16", "varintgb", 17.76, 0, kTable1},
    {"uniform/2^16", "streamvbyte", 17.76, 0, kTable1},
    {"uniform/2^16", "gpu-vbyte128", 18.16, 0, kTable1},
    {"uniform/2^16", "gpu-vbyte1024", 17.78, 0, kTable1},
    {"uniform/2^25", "bp32", 6.67, 0, kTable1},
    {"uniform/2^25", "simd-bp128", 6.99, 0, kTable1},
    {"uniform/2^25", "gpu-bp128", 7.18, 0, kTable1},
    {"uniform/2^25", "gpu-bp256", 7.18, 0, kTable1},
    {"uniform/2^25", "varintgb", 10.00, 0, kTable1},
    {"uniform/2^25", "streamvbyte", 10.00, 0, kTable1},
    {"uniform/2^25", "gpu-vbyte128", 10.50, 0, kTable1},
    {"uniform/2^25", "gpu-vbyte1024", 10.06, 0, kTable1},
    {"clustered/2^16", "bp32", 13.91, 0, kTable1},
    {"clustered/2^16", "simd-bp128", 14.26, 0, kTable1},
    {"clustered/2^16", "gpu-bp128", 14.45, 0, kTable1},
    {"clustered/2^16", "gpu-bp256", 14.58, 0, kTable1},
    {"clustered/2^16", "varintgb", 16.27, 0, kTable1},
    {"clustered/2^16", "streamvbyte", 16.27, 0, kTable1},
    {"clustered/2^16", "gpu-vbyte128", 16.68, 0, kTable1},
    {"clustered/2^16", "gpu-vbyte1024", 16.27, 0, kTable1},
    {"clustered/2^25", "bp32", 5.40, 0, kTable1},
    {"clustered/2^25", "simd-bp128", 5.60, 0, kTable1},
    {"clustered/2^25", "gpu-bp128", 5.79, 0, kTable1},
    {"clustered/2^25", "gpu-bp256", 5.86, 0, kTable1},
    {"clustered/2^25", "varintgb", 10.02, 0, kTable1},
    {"clustered/2^25", "streamvbyte", 10.02, 0, kTable1},
    {"clustered/2^25", "gpu-vbyte128", 10.52, 0, kTable1},
    {"clustered/2^25", "gpu-vbyte1024", 10.08, 0, kTable1},
    {"index docids", "bp32", 5.06, 1.665, kTables24},
    {"index docids", "simd-bp128", 6.56, 2.257, kTables24},
    {"index docids", "gpu-bp128", 6.66, 56.017, kTables24},
    {"index docids", "gpu-bp256", 7.15, 70.552, kTables24},
    {"index docids", "varintgb", 10.86, 2.073, kTables24},
    {"index docids", "streamvbyte", 10.86, 2.204, kTables24},
    {"index docids", "gpu-vbyte128", 11.67, 49.555, kTables24},
    {"index docids", "gpu-vbyte1024", 11.39, 41.598, kTables24},
    {"index freqs", "bp32", 3.44, 1.522, kTables24},
    {"index freqs", "simd-bp128", 4.56, 2.151, kTables24},
    {"index freqs", "gpu-bp128", 4.27, 54.790, kTables24},
    {"index freqs", "gpu-bp256", 4.50, 67.802, kTables24},
    {"index freqs", "varintgb", 10.37, 2.039, kTables24},
    {"index freqs", "streamvbyte", 10.37, 2.215, kTables24},
    {"index freqs", "gpu-vbyte128", 10.92, 48.518, kTables24},
    {"index freqs", "gpu-vbyte1024", 10.34, 40.717, kTables24},
    {"clueweb09 docids", "bp32", 7.07, 1.476, kClueWeb},
    {"clueweb09 docids", "simd-bp128", 8.92, 2.029, kClueWeb},
    {"clueweb09 docids", "gpu-bp128", 8.80, 65.605, kClueWeb},
    {"clueweb09 docids", "gpu-bp256", 9.34, 84.293, kClueWeb},
    {"clueweb09 docids", "varintgb", 11.13, 1.517, kClueWeb},
    {"clueweb09 docids", "streamvbyte", 11.13, 1.545, kClueWeb},
    {"clueweb09 docids", "gpu-vbyte128", 11.93, 57.496, kClueWeb},
    {"clueweb09 docids", "gpu-vbyte1024", 11.69, 46.385, kClueWeb},
    {"clueweb09 freqs", "bp32", 3.62, 1.396, kClueWeb},
    {"clueweb09 freqs", "simd-bp128", 5.03, 1.989, kClueWeb},
    {"clueweb09 freqs", "gpu-bp128", 4.63, 64.586, kClueWeb},
    {"clueweb09 freqs", "gpu-bp256", 5.01, 81.527, kClueWeb},
    {"clueweb09 freqs", "varintgb", 10.34, 1.544, kClueWeb},
    {"clueweb09 freqs", "streamvbyte", 10.34, 1.544, kClueWeb},
    {"clueweb09 freqs", "gpu-vbyte128", 10.92, 56.311, kClueWeb},
    {"clueweb09 freqs", "gpu-vbyte1024", 10.36, 46.199, kClueWeb},
    // Table 1 has only speeds, for GOV2's lists. pfordelta1 is the recursion level that was measured.
    {"index docids", "rice", 0, 0.31063, "Ding 2009, Table 1 (CPU)"},
    {"index docids", "pfordelta1", 0, 1.16513, "Ding 2009, Table 1 (CPU)"},
    // Table 2 gives ratios to 32 bits.
    {"index docids", "pfd", 32 / 3.71, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "newpfd", 32 / 3.75, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "parapfor", 32 / 3.63, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "lrc", 32 / 1.73, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "lrcseg", 32 / 2.82, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "seglrc", 32 / 3.19, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "hs-lrc", 32 / 3.18, 0, "Ao 2011, Table 2 (GOV2)"},
    {"gov/input docids", "pfd", 32 / 3.62, 0, kAoGov},
    {"gov/input docids", "newpfd", 32 / 3.66, 0, kAoGov},
    {"gov/input docids", "parapfor", 32 / 3.55, 0, kAoGov},
    {"gov/input docids", "lrc", 32 / 2.09, 0, kAoGov},
    {"gov/input docids", "lrcseg", 32 / 3.00, 0, kAoGov},
    {"gov/input docids", "seglrc", 32 / 3.16, 0, kAoGov},
    {"gov/input docids", "hs-lrc", 32 / 3.12, 0, kAoGov},
    {"gov/random docids", "pfd", 32 / 3.61, 0, kAoGovR},
    {"gov/random docids", "newpfd", 32 / 3.64, 0, kAoGovR},
    {"gov/random docids", "parapfor", 32 / 3.53, 0, kAoGovR},
    {"gov/random docids", "lrc", 32 / 2.62, 0, kAoGovR},
    {"gov/random docids", "lrcseg", 32 / 3.26, 0, kAoGovR},
    {"gov/random docids", "seglrc", 32 / 3.23, 0, kAoGovR},
    {"gov/random docids", "hs-lrc", 32 / 3.22, 0, kAoGovR},
    {"gov2/random docids", "pfd", 32 / 3.60, 0, kAoGov2R},
    {"gov2/random docids", "newpfd", 32 / 3.62, 0, kAoGov2R},
    {"gov2/random docids", "parapfor", 32 / 3.51, 0, kAoGov2R},
    {"gov2/random docids", "lrc", 32 / 2.41, 0, kAoGov2R},
    {"gov2/random docids", "lrcseg", 32 / 3.24, 0, kAoGov2R},
    {"gov2/random docids", "seglrc", 32 / 3.22, 0, kAoGov2R},
    {"gov2/random docids", "hs-lrc", 32 / 3.21, 0, kAoGov2R},
};

constexpr std::string_view kOwnCode = "Mallia 2019's own code on an H200", kV100 = "Mallia 2019, Table 4 (Gov2, V100)",
                           kGeForce = "Ding 2009, Table 1 (GOV2, GeForce 8800 GTS)";
constexpr PaperDeviceFigure kDeviceFigures[] = {
    {"uniform/2^25", "gpu-bp128", 131, 207, kOwnCode},
    {"uniform/2^25", "gpu-vbyte128", 106, 150, kOwnCode},
    {"index docids", "gpu-bp128", 0, 56.017, kV100},
    {"index docids", "gpu-bp256", 0, 70.552, kV100},
    {"index docids", "gpu-vbyte128", 0, 49.555, kV100},
    {"index docids", "gpu-vbyte1024", 0, 41.598, kV100},
    {"index freqs", "gpu-bp128", 0, 54.790, kV100},
    {"index freqs", "gpu-bp256", 0, 67.802, kV100},
    {"index freqs", "gpu-vbyte128", 0, 48.518, kV100},
    {"index freqs", "gpu-vbyte1024", 0, 40.717, kV100},
    {"index docids", "rice", 0.30527, 0, kGeForce},
    // Ding 2009, §6.3, on Figure 4: without sums, up to 2.5 for long lists.
    {"index docids", "pfordelta1", 1.23757, 2.5, kGeForce},
};

template <class Figures>
auto found_in(const Figures& figures, std::string_view set, std::string_view codec) {
  const auto* found = std::find_if(std::begin(figures), std::end(figures),
                                   [&](const auto& each) { return each.set == set && each.codec == codec; });
  return found == std::end(figures) ? std::nullopt : std::optional(*found);
}

}  // namespace

std::optional<PaperFigure> paper_figure(std::string_view set, std::string_view codec) {
  return found_in(kCodecFigures, set, codec);
}
std::optional<PaperDeviceFigure> paper_device_figure(std::string_view set, std::string_view codec) {
  return found_in(kDeviceFigures, set, codec);
}

}  // namespace frond::tools::bench
