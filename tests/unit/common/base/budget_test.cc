#include "common/base/budget.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace frond {
namespace {

const Budget kCache{.flag = "--cache", .amount = 256u << 20, .bytes = true, .chosen = true};
const Budget kThreads{.flag = "--threads", .amount = 4, .chosen = true};
const Budget kGiven{.flag = "--readers", .amount = 2};
const Budget kDevice{.flag = "--gpu-cache", .amount = 3u << 20, .bytes = true, .chosen = true, .device = 1};

TEST(Budgets, AreToldInALineIfTheyWereChosen) {
  EXPECT_EQ(chosen_text({kCache, kThreads, kGiven, kDevice}),
            "--cache 256MiB, --threads 4, --gpu-cache 3MiB of device 1");
  EXPECT_EQ(chosen_text({kGiven}), "");
}

TEST(Budgets, AreJson) {
  EXPECT_EQ(nlohmann::json({kCache, kGiven, kDevice}).dump(),
            R"([{"auto":true,"bytes":268435456,"flag":"--cache"},{"auto":false,"flag":"--readers","number":2},)"
            R"({"auto":true,"bytes":3145728,"device":1,"flag":"--gpu-cache"}])");
}

}  // namespace
}  // namespace frond
