#pragma once
// What Wei and JaJa 2011 measured on ClueWeb09's first English segment (1,422 GB, 50 million pages): two Xeon X5560 (8
// cores at 2.8 GHz), two Tesla C1060. `frond bench index` prints it beside ours. Their megabyte is a 1,024th of a
// gigabyte, ours a million bytes. Figures 10 and 11 are plots: only what the text says of them is here.
#include <cstdint>
#include <span>
#include <string_view>

namespace frond::tools::bench {

inline constexpr std::string_view kWeiFigure10 =
    "paper, Figure 10 (8 cores): about linear up to 5 parsers; without GPU best with 5 parsers and 3 inverters, with 2 "
    "GPUs with 6 and 2";
inline constexpr std::string_view kWeiFigure11 =
    "paper, Figure 11: a sharp fall in the beginning, then nearly level, as B-trees grow; less at the end, on pages of "
    "Wikipedia";

struct WeiInverters {  // a column of Table IV; 6 parsers; seconds
  std::uint32_t cpu_inverters, gpu_inverters;
  double before, indexing, after, total;  // before: pre-processing; after: post-processing
  double indexing_mb_per_second, mb_per_second;
};
std::span<const WeiInverters> wei_table_4();

struct WeiWork {  // a column of Table V: 2 CPU inverters and 2 GPUs
  std::string_view processor;
  std::uint64_t tokens, terms, characters;
};
std::span<const WeiWork> wei_table_5();

struct WeiBuild {  // a column of Table VI; seconds
  std::string_view collection;
  double text_gb;  // Table III
  double sampling, parsers, inverters, combine, write, total, mb_per_second;
};
std::span<const WeiBuild> wei_table_6();

struct WeiPlatform {  // a column of Table VII
  std::string_view system, processors, memory;
  std::uint32_t nodes, cores;
  std::string_view file_system;
};
std::span<const WeiPlatform> wei_table_7();

}  // namespace frond::tools::bench
