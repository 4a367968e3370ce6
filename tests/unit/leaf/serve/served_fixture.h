#pragma once
// A published collection, loaded as a leaf loads it: real partitions, the real stores, engines of the test's choice.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "leaf/engine/exhaustive.h"
#include "leaf/generation/generation_loader.h"
#include "leaf/lists/partition_list_store.h"
#include "leaf/serve/search/search_query.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/inline_scheduler.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/small_repository.h"

namespace frond::leaf::serve {

// An engine that does what the test says, and else what the oracle does.
class ScriptedEngine final : public engine::QueryEngine {
 public:
  std::string_view name() const override { return "scripted"; }
  std::vector<Result<engine::Outcome>> search(std::span<const engine::Plan> plans, const Clock& clock) override {
    std::vector<Result<engine::Outcome>> results;
    for (const engine::Plan& plan : plans) {
      if (before) before(plan);
      if (const auto failure = fail ? fail(plan) : std::nullopt)
        results.push_back(*failure);
      else
        results.push_back(std::move(oracle_.search({&plan, 1}, clock)[0]));
    }
    return results;
  }
  std::function<void(const engine::Plan&)> before;
  std::function<std::optional<Error>(const engine::Plan&)> fail;

 private:
  engine::ExhaustiveEngine oracle_;
};

// Starts searches with parts of the test's choice; outlives them.
class Searches {
 public:
  explicit Searches(const SearchParts& parts) : parts_(parts), metrics_(parts_) {}
  void start(wire::SearchRequest request, Deadline deadline, SearchQuery::Done done) {
    const auto query = std::make_shared<SearchQuery>(parts_, metrics_, std::move(request), deadline, std::move(done));
    const auto run = [query](const SearchQuery::Waited& waited) { query->start(waited); };
    const Result<void> taken = parts_.scheduler.submit_one({deadline, run}, schedule::Lane::kSearch);
    if (!taken) run(taken.error());
  }

 private:
  const SearchParts parts_;
  SearchMetrics metrics_;
};

class ServedCollection {
 public:
  ServedCollection(const std::vector<support::TestDocument>& documents, std::uint32_t partitions,
                   generation::ShardOf shard = {}, const scoring::Bm25Parameters& bm25 = {},
                   const std::shared_ptr<const schema::Schema>& schema = {}) {
    EXPECT_TRUE(support::publish_generation(folder / "repository", "c", documents, partitions, {}, bm25, schema));
    source = *repository::RepositorySource::open((folder / "repository").string(), "c");
    data = *generation::DataFolder::open(folder / "data");
    generation::GenerationLoader loader(*source, *data, shard, registration);
    auto loaded = loader.load(*source->manifest(1), {}, [] { return false; });
    EXPECT_TRUE(loaded) << loaded.error().message();
    board.put({std::move(loaded).value()});
  }

  SearchParts parts(schedule::Scheduler& scheduler) { return {board, store, engine, oracle, scheduler, clock}; }
  wire::SearchReply search(const wire::SearchRequest& request, schedule::Scheduler& scheduler) {
    return search(request, parts(scheduler));
  }
  wire::SearchReply search(const wire::SearchRequest& request, const SearchParts& parts) {
    Searches searches(parts);
    std::optional<wire::SearchReply> got;
    searches.start(request, Deadline::after(clock, request.budget), [&](wire::SearchReply reply) { got = reply; });
    EXPECT_TRUE(got) << "not answered";
    return got.value_or(wire::SearchReply{});
  }
  wire::SearchReply search(const wire::SearchRequest& request) {
    support::InlineScheduler scheduler(clock);
    return search(request, scheduler);
  }

  support::ScratchFolder folder;
  support::ManualClock clock;
  std::unique_ptr<repository::RepositorySource> source;
  std::unique_ptr<generation::DataFolder> data;
  lists::PartitionListStore store{clock};
  generation::ListRegistration registration{
      [this](std::uint64_t number, auto partition) { store.add(number, partition); },
      [this](std::uint64_t number) { store.remove(number); }};
  ScriptedEngine engine;
  engine::ExhaustiveEngine oracle;
  generation::ServedBoard board;
};

// Terms "t0" (in every document), "t1" (about half) …; see small_partition.h.
inline wire::SearchRequest request_of(wire::Mode mode, const std::vector<std::string>& terms,
                                      std::uint32_t partitions) {
  wire::SearchRequest request{42, 1, mode};
  request.budget = std::chrono::seconds(1);
  for (const auto& term : terms) request.terms.push_back({term, 1});
  for (std::uint32_t p = 0; p < partitions; ++p) request.partitions.push_back(p);
  return request;
}

// How many have all of the terms, or any.
inline std::uint64_t documents_with(const std::vector<support::TestDocument>& documents,
                                    const std::vector<std::string>& terms, bool all) {
  return static_cast<std::uint64_t>(std::count_if(documents.begin(), documents.end(), [&](const auto& document) {
    const auto has = [&](const std::string& term) { return document.terms.contains(term); };
    return all ? std::all_of(terms.begin(), terms.end(), has) : std::any_of(terms.begin(), terms.end(), has);
  }));
}

inline void expect_same_hits(const wire::SearchReply& got, const wire::SearchReply& wanted) {
  EXPECT_TRUE(got.unsearched.empty());
  EXPECT_EQ(got.has_and, wanted.has_and);
  EXPECT_EQ(got.has_or, wanted.has_or);
  EXPECT_EQ(got.and_ranking.hits, wanted.and_ranking.hits);
  EXPECT_EQ(got.or_ranking.hits, wanted.or_ranking.hits);
  EXPECT_EQ(got.and_ranking.matches, wanted.and_ranking.matches);
}

}  // namespace frond::leaf::serve
