// The cost model of a leaf that is given none: `frond bench schedule --train --processor both --trees 12 --k 1 10 100
// 1000` on four collections of the gov2 profile (25.2 million documents; 8 in 4 partitions; 2 in 2; 0.4 in 4), on an
// H200 and its host's CPU. Errors: docs/measurements/gpu-search.md.
#include "common/base/check.h"
#include "leaf/schedule/cost_model.h"

namespace frond::leaf::schedule {
namespace {

constexpr std::string_view kText = R"(frond-cost-model 1
launch_us 19.98
batch 1 3.838 2 2.945 4 2.062 8 1.524 16 1.375 32 1.095 64 1 128 1.028 256 0.9797 512 0.7347
regression cpu and
base -1.074
weight postings -0.2414
weight shortest 0.4062
weight second 0.3997
weight longest -0.2265
weight blocks 0.5079
weight terms 0.2465
weight k 0.0002847
weight partitions 0.1126
weight matches 0.06673
weight documents -0.09675
tree second 9.075 matches 14.1 k 1 matches 7.311 = 0.2388 0.0684 0 0 0.1548 -0.051 0 0 0 -0.035 0 -0.5725 0 0.0969 0 -0.0297
tree second 8.34 second 15.52 terms 1.585 k 3.46 = 0.0053 -0.0202 0 -0.1114 0.1936 -0.0036 0 0.1179 -0.0159 -0.0383 0 0.0557 0.1583 -0.0713 0 0.0943
tree matches 15.37 k 3.46 matches 10.63 second 17.34 = 0.0085 0 -0.0361 0 -0.0909 0 0.0946 0 0.1082 0 0.0794 0 -0.1132 -0.3911 0.1132 0.0674
tree second 9.362 matches 0.1131 terms 1.585 blocks 14.84 = 0.0053 0 -0.0084 -0.0086 0.1136 -0.048 0 0.0306 0 0 0 -0.1768 0 -0.0665 0 0.1313
tree shortest 7.673 second 15.07 matches 12.88 k 1 = 0.1378 0.0206 0.0136 0.058 0 0 0 -0.3206 0.0769 -0.0505 -0.0988 0.025 0 0 0 0.0161
tree second 22.44 shortest 13.97 k 6.659 matches 9.588 = -0.0056 0 0.0584 0 -0.0297 0 0.0559 0 -0.0282 -0.0958 -0.0388 -0.2535 0.1385 0.0406 0.1628 0.0797
tree second 9.909 matches 0.04966 terms 1.585 shortest 15.5 = 0 0 0.0042 -0.0086 0.0772 -0.0428 0.0175 0.0068 0 0 0 -0.0358 0 0.045 0 0.1272
tree shortest 8.225 matches 1.266 terms 1.585 k 1 = 0.0538 0.0291 0.0205 -0.056 0.1027 0.0193 0.0116 0.0797 0.0107 -0.0219 -0.0344 0.0019 0.058 -0.0469 -0.0412 0.0391
tree second 22.44 k 6.659 matches 7.779 k 1 = 0.0349 0 0 0 -0.0442 -0.2177 0 0 -0.0162 0 -0.0189 0 0.0097 -0.1335 0.1113 0.0779
tree shortest 7.088 partitions 1 second 22.44 matches 0.0066 = 0 -0.0224 0.0937 -0.024 0 0 0 0 0 0.0424 0.0098 -0.0091 0 -0.096 0 0
tree second 10.79 shortest 12.31 matches 12.88 k 3.46 = 0.0337 -0.0106 0 0.0184 0 0 0 -0.1439 0.0351 -0.0372 0 0.0202 0 0 0 0.0558
tree shortest 8.225 matches 1.794 terms 1.585 postings 21.37 = 0.0255 -0.0023 -0.0188 -0.0027 0.0423 -0.0179 -0.0208 0.0235 0 0 0 -0.0632 0 -0.0255 0 0.0775
regression cpu or
base -6.584
weight postings 0.2101
weight shortest 0.2483
weight second 0.06093
weight longest -0.2945
weight blocks 0.2476
weight terms 1.805
weight k 0.3047
weight partitions 0.0831
weight matches -0.03459
weight documents 0.2189
tree shortest 8.225 k 6.659 shortest 12.12 matches 0.5939 = 0.0083 -0.0031 0.1622 -0.0129 0 0.058 0 -0.0794 0.0497 -0.1168 0.3699 0.2141 0 -0.0004 0 -0.0452
tree shortest 17.07 shortest 8.749 k 3.46 matches 0.2103 = 0.0166 0 0.06 0 0.0435 0 -0.0478 0 -0.0653 0 -0.0198 0.0815 0.2295 0 -0.0366 0.0708
tree shortest 15.5 k 6.659 documents 18.61 matches 1.019 = -0.0252 0 0.1018 0 0.0247 0.0179 -0.0295 -0.0621 -0.0241 0.0137 0.2163 0.042 -0.0634 0.0617 -0.0037 -0.0093
tree shortest 7.673 k 3.46 partitions 1 k 6.659 = 0 0.0807 0 -0.0127 0.0171 -0.0169 0.0499 -0.0617 0 0 0 -0.0504 0 0 0.1337 0.034
tree shortest 17.48 k 1 documents 18.61 terms 1.585 = -0.0178 0 0.0668 0 0.0191 -0.1265 -0.0542 0.0891 -0.0222 0 0.0033 0 0.0515 0.1728 -0.0121 0.0527
tree terms 2.585 shortest 9.528 k 6.659 documents 20.94 = -0.0003 -0.0555 -0.0458 -0.0723 0.1337 -0.0837 0.0203 -0.0605 0 0 0.0207 0.0053 0 0 -0.0144 -0.0585
tree shortest 15.01 k 6.659 shortest 11.42 matches 1.505 = -0.0021 0 0.0187 0 0.0201 0.0262 -0.0287 -0.039 -0.0581 0 0.1986 0 -0.0296 0.0373 -0.0305 -0.0124
tree shortest 7.673 matches 0.000111 k 3.46 shortest 10.68 = 0.0094 -0.0109 0.0207 -0.0241 -0.0678 -0.0715 0.1249 0.0439 0 0.0613 0 0.0134 0 -0.0387 0 -0.0222
tree terms 2.585 documents 22.94 k 6.659 postings 18.8 = -0.0061 -0.0511 0.0211 0.0225 0.0362 -0.0747 -0.1302 -0.0144 -0.0257 -0.0324 0.0287 0.029 0.0186 -0.04 0.0156 0.0007
tree k 1 matches 12.88 documents 18.61 postings 15.91 = 0.0336 0.0216 0 0 0.0442 -0.0682 0 0 -0.0594 -0.0012 -0.0102 0.0497 0.0355 -0.0108 -0.0925 0.0524
tree longest 10.03 shortest 8.225 k 3.46 matches 0.2915 = -0.0105 0.0301 0.0259 0.028 -0.1615 0.0242 -0.0433 -0.0187 -0.0223 -0.0481 -0.0153 -0.0048 -0.0168 0.1334 -0.0119 -0.007
tree longest 22.71 shortest 15.73 k 6.659 shortest 12.69 = -0.0139 -0.0277 0 0 0.0388 -0.0199 0 0 0.0019 -0.0231 0.0383 -0.0815 -0.0335 -0.0191 0.0022 -0.0143
regression gpu and
base -0.761
weight postings -0.1903
weight shortest 0.1179
weight second -0.02525
weight longest -0.1582
weight blocks 0.3665
weight terms 0.8154
weight k 0.02385
weight partitions 0.9468
weight matches 0.1244
weight documents -0.03018
tree shortest 18.2 shortest 8.94 k 1 k 6.659 = 0.125 0 0.0197 0.0665 0.0716 0 -0.0668 0.1654 0 0 0 0 0.0443 0 0.0052 0.303
tree shortest 18.2 shortest 9.393 partitions 1 shortest 14.74 = 0 0 -0.0475 0 0.0519 0 -0.0279 0 0 0 0.0805 0.2027 0 0 -0.0554 -0.0172
tree shortest 19.61 shortest 8.6 k 1 shortest 15.21 = 0.0904 0 0.0273 0 0.0468 0 -0.0363 0 0 0 -0.014 0.0534 0 0 0.0381 0.2313
tree shortest 17.48 matches 5.085 k 6.659 matches 8.213 = 0.0231 0.1546 -0.0397 0 -0.0262 0.069 -0.0082 0 0 0 -0.1117 0.0308 0 0 0.1612 0.1819
tree shortest 19.61 partitions 1.585 shortest 13.86 k 6.659 = -0.0396 0 0.027 0 0.0038 0.1558 -0.0652 -0.0457 -0.0408 0 0.0075 0 0.0959 0.1857 0.0623 0.0143
tree shortest 11.09 documents 20.94 matches 0.001288 k 6.659 = -0.0064 -0.0448 0.0252 -0.0436 0.041 -0.0818 0.0815 0.0055 -0.0195 -0.0398 0.0053 -0.0768 0.0055 -0.0055 0.0354 0.0508
tree k 1 shortest 16.6 partitions 1.585 matches 4.811 = 0.0202 -0.0296 0.0834 0.1206 0.0597 0.0187 0.0195 0.0174 -0.0115 -0.0213 0.0116 0.088 0.0156 -0.0585 -0.0332 -0.0275
tree shortest 19.61 terms 1.585 k 6.659 matches 7.311 = 0.0174 0 0.0102 0 -0.02 0 -0.0202 0 -0.0684 0.0121 0.0066 0.2407 0.0976 0.0832 0.0928 0.1063
tree k 1 matches 0.01895 documents 22.94 matches 2.005 = -0.0159 -0.0038 0.0594 0.0258 -0.0607 -0.0563 0.0636 0.0135 0 0 0.0301 -0.0415 0 0 0.0187 0.0382
tree shortest 7.673 matches 0.0002332 partitions 1 shortest 15.01 = 0 -0.057 0 -0.0113 0.0034 -0.0145 0.0591 -0.0042 0 -0.026 0 0.0581 0 0 0 -0.0232
tree k 1 matches 9.248 k 6.659 shortest 15.73 = 0.0249 -0.0083 -0.041 -0.084 0 -0.0123 0 0.127 0.0783 0.0493 -0.0249 -0.0155 0 0.0697 0 0.0647
tree shortest 11.7 documents 20.94 shortest 14.27 terms 1.585 = 0.0182 -0.0399 0.0481 -0.0144 0 -0.0542 0 -0.0039 0.0041 -0.0368 0.0208 -0.0152 0 -0.0053 0 0.0479
regression gpu or
base -3.117
weight postings -0.2528
weight shortest 0.1478
weight second 0.02271
weight longest -0.1012
weight blocks 0.333
weight terms 1.722
weight k 0.1769
weight partitions 0.8914
weight matches 0.0343
weight documents -0.006389
tree k 1 k 6.659 shortest 18.2 shortest 8.6 = 0.2173 -0.0243 0 0.1675 0 0 0 0 0.0786 -0.129 0 0.0782 0.2222 0.1857 0 0.167
tree k 1 k 6.659 shortest 18.86 shortest 9.393 = 0.1494 -0.0402 0 0.1253 0 0 0 0 0.0546 -0.0962 0 0.0522 0.1833 0.1894 0 0.1659
tree k 1 k 6.659 shortest 17.48 documents 22.94 = 0.06 -0.082 0 0.062 0.0457 -0.0325 0 -0.0078 0.0368 -0.0154 0 0.0189 0.1601 0.1657 0 0.1206
tree shortest 19.61 k 1 k 6.659 matches 5.085 = 0.0564 0 -0.0238 0 0 0 0.0497 0 0.0181 0.1548 -0.089 0.1989 0 0 0.0178 0.1512
tree shortest 19.61 shortest 8.225 matches 0.0007019 partitions 1 = 0 0 0.1164 0 0 0 -0.0015 0.2026 -0.034 0 -0.0428 0 0.1264 0 -0.0156 0.024
tree k 1 k 6.659 postings 21.55 partitions 1.585 = 0.0026 -0.0609 0 -0.0034 0.0456 0.0547 0 0.0289 0.0585 -0.0306 0 0.061 0.0059 -0.0059 0 0.0006
tree shortest 18.2 matches 7.311 partitions 1.585 terms 1.585 = -0.0134 0 -0.0477 0.0908 0.0876 0 -0.0295 0.0095 -0.0074 0.05 -0.041 0.1256 0.0028 0 -0.0602 -0.0445
tree k 1 k 6.659 shortest 15.01 matches 1.019 = 0.03 -0.0077 0 0.0001 0.086 0.1565 0 0.0571 0.0148 -0.0683 0 0.061 0.032 0.0182 0 -0.0095
tree shortest 9.689 matches 0.002244 documents 20.94 shortest 12.31 = -0.0323 -0.0658 0.0681 -0.0149 0 0.0017 0 0.0328 0 0.0028 0 -0.058 0 0.0675 0 -0.0049
tree shortest 17.48 matches 7.311 partitions 1.585 shortest 15.01 = -0.015 0 -0.0668 0 0.0147 0 -0.0131 0 0.0689 0.0734 0.0006 0.075 0.0056 0 -0.0439 -0.0066
tree shortest 19.61 postings 15.36 documents 22.94 terms 2.322 = 0.0286 0 -0.0122 0.0168 -0.0499 0 -0.0075 0.1081 -0.0512 0 -0.0246 0 0 0 0.0931 0
tree k 1 k 6.659 terms 2.322 shortest 12.24 = 0.045 -0.0241 0 0.0658 -0.0135 -0.0253 0 -0.0492 0.0016 -0.0261 0 -0.0066 0.0336 0.0681 0 -0.0016
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
