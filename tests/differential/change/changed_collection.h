#pragma once
// A collection that is changed by the indexer's commands, followed by a leaf, and compared with a fresh build of what
// remains.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/log.h"
#include "common/scoring/bm25.h"
#include "common/topk/top_k.h"
#include "indexer/build/build.h"
#include "indexer/change/change_publication.h"
#include "leaf/engines.h"
#include "leaf/generation/generation_follower.h"
#include "leaf/lists/partition_list_store.h"
#include "tests/support/collections/manual_clock.h"
#include "tests/support/scratch_folder.h"

namespace frond::change_test {

using Random = std::mt19937;

struct Text {
  std::string id, title, body;
  double prior = 0;
  std::string members = {};  // further ones of its JSON: `,"year":2010`
};

// What a collection has, in the order in which it came.
class Model {
 public:
  const std::vector<Text>& texts() const { return texts_; }
  void add(const std::vector<Text>& added) {
    for (const Text& one : added) remove(one.id);
    texts_.insert(texts_.end(), added.begin(), added.end());
  }
  void remove(const std::string& id) {
    std::erase_if(texts_, [&](const Text& one) { return one.id == id; });
  }

 private:
  std::vector<Text> texts_;
};

inline std::string random_words(Random& random, std::size_t most) {
  std::string text;
  for (std::size_t n = random() % (most + 1); n > 0; --n)
    text += "w" + std::to_string(random() % (1u << (1 + random() % 8))) + " ";
  return text;
}

inline void write_jsonl(const std::filesystem::path& file, const std::vector<Text>& texts) {
  std::string text;
  for (const Text& one : texts)
    text += R"({"id":")" + one.id + R"(","title":")" + one.title + R"(","body":")" + one.body + "\"" +
            (one.prior == 0 ? "" : ",\"prior\":" + std::to_string(one.prior)) + one.members + "}\n";
  support::write_file(file, text);
}

inline indexer::BuildOptions options_for(const std::filesystem::path& repository, const std::filesystem::path& input,
                                         std::uint32_t partitions,
                                         const std::shared_ptr<const schema::Schema>& schema = nullptr) {
  indexer::BuildOptions options;
  options.repository = repository;
  options.collection = "c";
  options.invert.inputs = {input};
  options.invert.partitions = partitions;
  options.invert.memory = indexer::pipeline::plan_memory(indexer::pipeline::kMinMemoryLimit, 1, 1, partitions);
  options.invert.parse.prior_field = "prior";
  options.may_be_empty = true;
  options.take_schema(schema);
  return options;
}

// A hit as a client sees it.
struct Shown {
  std::string id;
  scoring::Score score = 0;
  friend bool operator==(const Shown&, const Shown&) = default;
  friend void PrintTo(const Shown& hit, std::ostream* out) { *out << hit.id << ":" << hit.score; }
};
struct Answer {
  std::vector<Shown> hits;
  std::uint64_t matches = 0;
  bool exact = true;
};

// A leaf that follows a repository.
class Follower {
 public:
  Follower(const std::filesystem::path& repository, const std::filesystem::path& data,
           leaf::generation::ShardOf shard = {})
      : source_(*repository::RepositorySource::open(repository.string(), "c")),
        data_(*leaf::generation::DataFolder::open(data)),
        store_(clock_),
        registration_{[this](std::uint64_t number, auto partition) { store_.add(number, partition); },
                      [this](std::uint64_t number) { store_.remove(number); }},
        loader_(*source_, *data_, shard, registration_),
        follower_({"c", std::chrono::milliseconds(1000), std::chrono::seconds(30), std::chrono::seconds(3600)},
                  *source_, *data_, loader_, board_, brokers_, clock_, log_, nullptr) {}

  // Turns to the current generation.
  void step() {
    clock_.advance(std::chrono::seconds(100));
    follower_.step();
    ASSERT_EQ(board_.detail().find("refused"), std::string::npos) << board_.detail();
    const auto set = board_.get();
    ASSERT_FALSE(set->empty()) << board_.detail();
    generation_ = set->back();
    ASSERT_EQ(generation_->generation, *source_->current()) << board_.detail();
    ids_.clear();
    places_.clear();
    for (const auto& one : generation_->partitions)
      ASSERT_TRUE(one.open->partition().for_each_document([&](DocId docid, const partition::StoredDocument& document) {
        if (one.hidden != nullptr && one.hidden->contains(docid)) return true;
        ids_.emplace(one.placement.ordinal(docid), document.id);
        places_[one.placement.ordinal(docid)] = {&one.open->partition(), docid};
        return true;
      }));
  }
  const leaf::generation::ServedGeneration& generation() const { return *generation_; }
  const leaf::generation::ServedBoard& board() const { return board_; }
  leaf::lists::ListStore& store() { return store_; }
  const Clock& clock() const { return clock_; }
  // "hidden", if it is not to be found.
  std::string id_of(Ordinal ordinal) const { return ids_.contains(ordinal) ? ids_.at(ordinal) : "hidden"; }
  // Where each document is, in the order of their ordinals.
  using Places = std::map<Ordinal, std::pair<const partition::Partition*, DocId>>;
  const Places& places() const { return places_; }
  // In the order of their ordinals.
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const auto& [ordinal, id] : ids_) all.push_back(id);
    return all;
  }

  Answer search(leaf::engine::QueryEngine& engine, const std::vector<std::string>& terms, leaf::engine::Mode mode,
                std::uint32_t k, bool ranked) {
    Answer answer;
    std::vector<std::vector<topk::Hit>> lists;
    leaf::engine::SharedFloor floor;
    for (const auto& served : generation_->partitions) {
      auto plan = plan_for(served, terms, mode, k, ranked);
      if (!plan) continue;
      plan->floor = &floor;
      auto outcomes = engine.search(std::span(&*plan, 1), steady_);
      EXPECT_TRUE(outcomes[0]) << outcomes[0].error().message();
      answer.matches += outcomes[0]->matches;
      answer.exact &= outcomes[0]->exact;
      lists.push_back(std::move(outcomes[0]->hits));
    }
    for (const topk::Hit& hit : topk::merge(lists, k)) answer.hits.push_back({id_of(hit.ordinal), hit.score});
    return answer;
  }

 private:
  std::optional<leaf::engine::Plan> plan_for(const leaf::generation::ServedPartition& served,
                                             const std::vector<std::string>& terms, leaf::engine::Mode mode,
                                             std::uint32_t k, bool ranked) {
    leaf::engine::Plan plan;
    plan.mode = mode;
    plan.k = k;
    plan.ranked = ranked;
    const partition::Partition& partition = served.open->partition();
    plan.lengths = partition.lengths();
    plan.partition = served.open->number();
    plan.norm = scoring::length_norm(generation_->bm25, generation_->statistics);
    plan.placement = served.placement;
    plan.hidden = served.hidden.get();
    plan.priors = partition.priors();
    for (const std::string& term : terms) {
      const auto df = generation_->terms->df(term);
      EXPECT_TRUE(df || df.error().code() == Code::kNotFound) << df.error().message();
      const leaf::lists::ListKey key{plan.partition, term};
      auto lists = *store_.fetch(std::span(&key, 1), Deadline::never());
      if (!df || lists[0]->postings.count() == 0) {
        if (mode == leaf::engine::Mode::kAnd) return std::nullopt;
        continue;
      }
      const float weight = scoring::term_weight(generation_->bm25, generation_->statistics, *df, 1);
      plan.terms.push_back({lists[0], weight,
                            scoring::BoundScale(weight, generation_->bm25, generation_->statistics,
                                                {generation_->bm25.b, partition.built_average_length()})});
    }
    if (plan.terms.empty()) return std::nullopt;
    return plan;
  }

  support::ManualClock clock_;
  SteadyClock steady_;
  std::unique_ptr<repository::RepositorySource> source_;
  std::unique_ptr<leaf::generation::DataFolder> data_;
  leaf::lists::PartitionListStore store_;
  leaf::generation::ListRegistration registration_;
  Logger log_{"test", LogLevel::kError};
  leaf::generation::ServedBoard board_;
  leaf::generation::BrokerRoll brokers_;
  leaf::generation::GenerationLoader loader_;
  leaf::generation::GenerationFollower follower_;
  std::shared_ptr<const leaf::generation::ServedGeneration> generation_;
  std::map<Ordinal, std::string> ids_;
  Places places_;
};

}  // namespace frond::change_test
