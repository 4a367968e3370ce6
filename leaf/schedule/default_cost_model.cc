// The cost model of a leaf that is given none. CPU: `frond bench schedule --train --trees 10` on 0.44 million passages
// of Wikipedia in four partitions, 1,500 queries of terabyte05 with k of 1 to 1,000, on a virtual machine of 2 cores.
// GPU: set by hand after docs/measurements/2026-11-22-gpu-break-even.md, an H200 in batches of 64.
#include "common/base/check.h"
#include "leaf/schedule/cost_model.h"
#include "leaf/schedule/cost_model_text.h"

namespace frond::leaf::schedule {
namespace {

constexpr std::string_view kText = R"(frond-cost-model 1
launch_us 28
batch 1 4.2 16 1.4 64 1 256 0.8 2000 0.65
regression cpu and
base -0.7489
weight postings 0.1158
weight shortest 0.2647
weight second 0.1035
weight longest -0.1082
weight blocks 0.1043
weight terms 0.1878
weight k 0.01108
weight matches 0.1811
tree shortest 1.585 k 1 matches 8.129 k 3.459 = 0.0455 0.07 -0.1369 -0.0062 0 -0.3881 0 -0.2105 0 0 -0.1921 -0.0195 0 0 0 0.3238
tree shortest 2 shortest 6.392 k 1 terms 1 = 0.0843 0.0799 0 -0.288 -0.1259 -0.0242 0 0.1252 0.0178 0.1203 0 0.0268 -0.1233 0.0345 0 -0.0302
tree second 12.42 postings 14.41 shortest 6.82 k 3.459 = 0.0459 0.0214 0.0295 0.0222 -0.0806 -0.0142 -0.0521 0.0992 -0.0125 0.0032 -0.011 -0.0215 0.033 -0.0206 -0.0647 0.0646
tree matches 11.98 k 6.658 matches 8.129 k 3.459 = 0.0182 0 0 0 -0.1514 -0.4272 0 0 -0.0058 0 -0.0312 0 0.0942 -0.0664 0.309 0.3697
tree shortest 1.585 longest 8.98 second 12.13 shortest 6.392 = -0.0626 0.0239 -0.0686 0.0304 0 0 -0.145 0.0208 0 0.0886 0 -0.0398 0 0 0 0.0276
tree shortest 2.322 k 1 matches 8.129 k 6.658 = 0.038 0.037 -0.0782 -0.002 0 -0.1887 0 -0.0377 0 0 -0.0933 -0.0174 0 0 0 0.2801
tree matches 11.98 k 6.658 matches 9.119 second 8.6 = 0.029 0 0.0028 0 -0.0959 -0.2428 0.2968 0.2703 -0.0037 0 -0.0233 0 0.0711 0 -0.0309 0
tree shortest 2.322 shortest 5.492 blocks 2.322 second 11.71 = -0.045 -0.0172 0 0.0509 -0.0217 0.0522 0 -0.0284 0 0 0 0 -0.0921 0.0308 0 0.0169
tree terms 1.585 shortest 11.1 k 3.459 matches 7.184 = -0.0025 0.009 -0.0532 0.0977 -0.0276 -0.0156 -0.0373 0.0821 -0.0898 0 -0.1056 0.076 0.1748 0 0.0542 0.0404
tree shortest 1 longest 8.98 terms 1.585 second 11.71 = -0.0483 0.0244 0 -0.0236 0.0085 0.0625 -0.0137 -0.0088 0 0 -0.0582 -0.0184 0 0 -0.1205 0.0478
regression cpu or
base -3.8
weight postings 0.7837
weight shortest 0.0577
weight second 0.07473
weight longest -0.2579
weight blocks -0.3089
weight terms 1.439
weight k 0.3367
weight matches 0.01414
tree blocks 1.585 k 6.658 postings 8.922 k 3.459 = 0.0944 0.2186 0 0 0 -0.0442 0 0 -0.1916 -0.0093 -0.4173 -0.311 0 -0.0342 0 0.1149
tree blocks 1.585 k 1 blocks 2.585 k 6.658 = 0.1872 0.2447 -0.1238 0.0166 0 -0.0132 0 -0.0262 0 0 -0.3408 -0.2731 0 0 0 0.0758
tree shortest 11.53 longest 15.58 matches 0.2824 k 3.459 = 0.0439 0.1236 -0.0584 0.0247 -0.0338 0.0287 -0.1448 -0.0483 -0.0122 -0.0705 -0.0628 -0.0102 -0.0046 0.0647 0.0166 0.0166
tree blocks 1.585 k 1 matches 8.858 second 0 = 0.1591 0.1967 -0.1783 -0.0604 0 -0.2291 0 0.0867 0 0.0124 0 -0.0036 0 0.0386 0 0.0075
tree shortest 5.087 k 6.658 longest 9.424 terms 1.585 = 0.1026 0.0374 -0.1913 -0.1531 -0.0534 -0.069 0.1653 0.1551 0.0926 0.044 -0.0536 -0.0444 0.0022 0.0035 0.0808 -0.0112
tree shortest 10.95 longest 14.93 k 6.658 longest 8.574 = 0.0623 0 0 0 -0.164 0 0 0 -0.0234 0.0099 -0.0648 0.0213 0.0576 0.0848 -0.0123 -0.0053
tree blocks 1.585 k 1 matches 8.858 k 3.459 = 0.0997 0.0317 -0.0268 0.0001 0 -0.133 0 -0.1024 0 0 -0.179 -0.0134 0 0 0 0.1319
tree shortest 5.087 blocks 1.585 k 3.459 postings 7.637 = 0.0343 0 0.1592 0.0824 -0.1411 0 -0.0622 -0.1309 0 0 -0.0168 -0.0163 0 0 0.0519 0.0079
tree longest 15.58 shortest 11.53 shortest 5.907 k 3.459 = 0.0319 -0.0436 0 0 -0.0175 -0.0519 0.0526 -0.0113 -0.0023 0.0055 0 0 -0.001 -0.0423 0.007 -0.0146
tree terms 2.322 k 3.459 postings 7.087 terms 1.585 = 0.0884 0 -0.093 0 -0.0601 0 0.0495 0 0.0621 0 0.0021 0 0.0369 0.0442 -0.0081 -0.0944
regression gpu and
base 0.1
weight k 0.02
tree postings 17 = 0 0.4
tree postings 19 = 0 0.4
tree postings 20.2 = 0 0.6
tree postings 21.3 = 0 0.7
regression gpu or
base -0.6
weight k 0.23
tree postings 16 = 0 0.4
tree postings 18 = 0 0.5
tree postings 20 = 0 0.7
tree postings 21.5 = 0 0.9
tree postings 23 = 0 0.6
)";

}  // namespace

const CostModel& default_cost_model() {
  static const CostModel model = [] {
    auto parsed = parse_cost_model(kText);
    FROND_CHECK(parsed.has_value());
    return *std::move(parsed);
  }();
  return model;
}

}  // namespace frond::leaf::schedule
