#include "tools/bench/wei_figures.h"

namespace frond::tools::bench {
namespace {

constexpr WeiInverters kTable4[] = {{0, 2, 107.01, 19313.6, 417.21, 19858.69, 75.41, 73.34},
                                    {1, 0, 93.44, 11243.61, 416.66, 11758.81, 129.53, 123.86},
                                    {2, 0, 111.74, 6357.67, 521.52, 7019.87, 229.08, 207.47},
                                    {2, 2, 104.15, 4616.78, 464.04, 5408.25, 315.46, 269.29}};

constexpr WeiWork kTable5[] = {{"2 CPU inverters", 14'465'084'050, 24'244'017, 239'433'858},
                               {"2 GPU inverters", 18'179'424'205, 60'555'458, 513'640'554}};

constexpr WeiBuild kTable6[] = {{"ClueWeb09", 1422, 59.53, 5410.89, 5408.25, 2.46, 59.21, 5541.62, 262.76},
                                {"ClueWeb09 without GPUs", 1422, 57.53, 7024.86, 7019.87, 2.54, 54.92, 7126.77, 204.32},
                                {"Wikipedia 01-07", 79, 7.27, 999.45, 1023.96, 0.26, 0.57, 1033.34, 78.29},
                                {"Library of Congress", 507, 29.01, 2437.79, 2458.64, 0.21, 0.80, 2495.29, 208.06}};

constexpr WeiPlatform kTable7[] = {
    {"Wei 2011", "2 Intel Xeon 2.8 GHz with 4 cores, 2 Tesla C1060", "24 GB", 1, 8, "remote, 1 Gb Ethernet"},
    {"Ivory MapReduce", "2 Intel 2.8 GHz with 1 core", "4 GB", 99, 198, "Hadoop"},
    {"SP MapReduce", "Intel Xeon 2.4 GHz with 4 cores, one for the file system", "4 GB", 8, 24, "Hadoop"}};

}  // namespace

std::span<const WeiInverters> wei_table_4() { return kTable4; }
std::span<const WeiWork> wei_table_5() { return kTable5; }
std::span<const WeiBuild> wei_table_6() { return kTable6; }
std::span<const WeiPlatform> wei_table_7() { return kTable7; }

}  // namespace frond::tools::bench
