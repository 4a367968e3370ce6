// The cost model of a leaf that is given none.
#include "common/base/check.h"
#include "leaf/schedule/cost_model.h"
#include "leaf/schedule/cost_model_text.h"

namespace frond::leaf::schedule {
namespace {

constexpr std::string_view kText = R"(frond-cost-model 1
launch_us 28
batch 1 4.2 16 1.4 64 1 256 0.8 2000 0.65
regression cpu and
base -2.2
weight shortest 0.35
weight postings 0.3
regression cpu or
base -0.2
weight postings 0.52
weight k 0.1
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
