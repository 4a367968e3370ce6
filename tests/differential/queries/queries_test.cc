// Random queries over random schemas and documents, asked of a broker over leaves, with 1, 2, 3 and 16 partitions,
// after a build and after random changes and compactions, on every engine of the CPU: each answer is what looks at each
// document say.
//
// FROND_QUERIES=100000 asks so many; FROND_SEED=7 begins with that collection.
#include "leaf/engines.h"
#include "tests/differential/queries/queries_run.h"

namespace frond::queries_test {
namespace {

TEST(Queries, AreAnsweredAsLooksAtEachDocumentSay) {
  compare_queries(1500, [](std::uint32_t number) {
    const auto engines = leaf::all_engines();
    return engines[number % engines.size()].make();
  });
}

}  // namespace
}  // namespace frond::queries_test
