#include "tools/bench/paper_figures.h"

#include <algorithm>
#include <iterator>

namespace frond::tools::bench {
namespace {

constexpr std::string_view kTable1 = "Mallia 2019, Table 1", kTables24 = "Mallia 2019, Tables 2 and 4 (Gov2)";

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
    // Table 1 has only speeds, for GOV2's lists. pfordelta1 is the recursion level that was measured.
    {"index docids", "rice", 0, 0.311, "Ding 2009, Table 1 (CPU)"},
    {"index docids", "pfordelta1", 0, 1.165, "Ding 2009, Table 1 (CPU)"},
    // Table 2 gives ratios to 32 bits.
    {"index docids", "pfd", 32 / 3.71, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "newpfd", 32 / 3.75, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "parapfor", 32 / 3.63, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "lrc", 32 / 1.73, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "lrcseg", 32 / 2.82, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "seglrc", 32 / 3.19, 0, "Ao 2011, Table 2 (GOV2)"},
    {"index docids", "hs-lrc", 32 / 3.18, 0, "Ao 2011, Table 2 (GOV2)"},
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
    {"index docids", "rice", 0.305, 0, kGeForce},
    // Ding 2009, §6.3, on Figure 4: without sums, up to 2.5 for long lists.
    {"index docids", "pfordelta1", 1.238, 2.5, kGeForce},
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
