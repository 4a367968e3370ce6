#pragma once
// A random collection in several partitionings, which are changed alike and compared with the oracle.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/differential/queries/answering_cluster.h"
#include "tests/differential/queries/expected_answer.h"
#include "tests/differential/queries/random_collection.h"
#include "tests/differential/queries/simpler_questions.h"

namespace frond::queries_test {

class ComparedCollection {
 public:
  using MakeEngine = std::function<std::unique_ptr<leaf::engine::QueryEngine>(std::uint32_t number)>;
  // `make_device`: empty: leaves have none.
  ComparedCollection(std::uint32_t seed, const MakeEngine& make_engine, const OneLeaf::MakeDevice& make_device)
      : other_processor_(make_device ? "gpu" : "exhaustive"),
        made_(seed),
        questions_(seed, made_.vocabulary()),
        random_(seed) {
    const auto schema = std::make_shared<const schema::Schema>(made_.schema());
    constexpr std::pair<std::uint32_t, std::uint32_t> kShapes[] = {{1, 1}, {2, 1}, {3, 2}, {16, 3}};
    std::uint32_t number = seed;
    for (const auto& [partitions, leaves] : kShapes) {
      const std::uint32_t engine = number++;
      clusters_.push_back(std::make_unique<AnsweringCluster>(
          AnsweringCluster::Shape{partitions, leaves, [make_engine, engine] { return make_engine(engine); },
                                  make_device},
          schema, made_.analyzer(), made_.bm25()));
    }
  }

  std::uint32_t asked() const { return asked_; }
  std::uint32_t refused() const { return refused_; }  // by all alike
  std::uint64_t matches() const { return matches_; }

  void build() {
    // Seldom more than a window of documents.
    const std::uint32_t count = below(20) == 0 ? 4500 : below(4) == 0 ? 1 + below(12) : 20 + below(150);
    large_ = count > 1000;
    add_new(count);
    for (const auto& one : clusters_) one->build(records(documents_));
    follow();
  }

  // The same documents for all, and compactions of their own.
  void change() {
    for (std::uint32_t steps = 1 + below(3); steps-- > 0 && !testing::Test::HasFatalFailure();) {
      if (below(2) == 0) {
        const std::size_t before = documents_.size();
        std::set<std::uint32_t> numbers;
        for (std::uint32_t i = 1 + below(30); i-- > 0;) numbers.insert(below(3) == 0 ? next_++ : below(next_));
        std::vector<RandomDocument> added;
        for (const std::uint32_t number : numbers) added.push_back(made_.document(number));
        for (const RandomDocument& one : added) forget(one.id);
        documents_.insert(documents_.end(), added.begin(), added.end());
        history_ += "; " + std::to_string(added.size()) + " added to " + std::to_string(before);
        for (const auto& one : clusters_) one->add(records(added), 1 + below(2));
      } else {
        std::vector<std::string> ids{"nobody"};
        for (std::uint32_t i = below(below(4) == 0 ? 100 : 12); i-- > 0;)
          ids.push_back(RandomCollection::id_of(below(next_)));
        for (const std::string& id : ids) forget(id);
        history_ += "; removals of " + std::to_string(ids.size());
        for (const auto& one : clusters_) one->remove(ids);
      }
      for (const auto& one : clusters_)
        if (below(3) == 0) one->compact({2 + below(3), 0.1 * below(10), below(2) == 0});
    }
    follow();
  }

  void compare(std::uint32_t queries) {
    SCOPED_TRACE("built" + history_ + "; " + std::to_string(documents_.size()) + " documents");
    for (std::uint32_t i = 0; i < (large_ ? queries / 10 : queries); ++i) {
      const Question question = questions_.next();
      ++asked_;
      const std::string problem = problem_of(question);
      if (!problem.empty()) return report(question, problem);
    }
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  void add_new(std::uint32_t count) {
    while (count-- > 0) documents_.push_back(made_.document(next_++));
  }
  void forget(const std::string& id) {
    std::erase_if(documents_, [&](const RandomDocument& one) { return one.id == id; });
  }
  static std::vector<Record> records(const std::vector<RandomDocument>& documents) {
    std::vector<Record> records;
    for (const RandomDocument& one : documents) records.push_back({one.id, one.json});
    return records;
  }
  void follow() {
    for (const auto& one : clusters_) one->follow();
    std::vector<support::OracleDocument> all;
    for (const RandomDocument& one : documents_) all.push_back(one.oracle);
    collection_ = std::make_unique<support::OracleCollection>(made_.schema(), std::move(all));
  }

  // How some cluster's answer differs; empty: none does.
  std::string problem_of(const Question& question) {
    const ExpectedAnswer expected(question, *collection_, made_.analyzers(), made_.analyzer(), made_.bm25());
    std::string refusal;
    for (std::size_t i = 0; i < clusters_.size(); ++i)
      for (const std::string& processor : {std::string(), other_processor_}) {
        if (processor == "exhaustive" && i % 2 == 1) continue;
        const auto response = clusters_[i]->ask(json_of(question, "", processor), question.count);
        std::string problem;
        if (response.status == 400) {
          if (i == 0 && processor.empty()) refusal = response.body;
          if (response.body != refusal) problem = "refused otherwise than " + refusal;
        } else if (!refusal.empty()) {
          problem = "not refused";
        } else if (response.status != 200) {
          problem = "refused";
        } else {
          problem = problem_of_pages(question, expected, *clusters_[i], processor, Json::parse(response.body));
        }
        if (!problem.empty())
          return problem + "\nbut cluster " + std::to_string(i) + " with processor '" + processor + "' says " +
                 std::to_string(response.status) + " " + response.body;
      }
    if (!refusal.empty()) ++refused_;
    matches_ += refusal.empty() ? expected.matches() : 0;
    return "";
  }
  // Of this page, and of some behind it.
  std::string problem_of_pages(const Question& question, const ExpectedAnswer& expected, AnsweringCluster& cluster,
                               const std::string& processor, Json answer) {
    std::size_t from = question.offset;
    for (int pages = 0;; ++pages) {
      const std::string problem = expected.problem_of(answer, from);
      if (!problem.empty()) return "page " + std::to_string(pages) + ": wrong are " + problem;
      if (pages == 4 || !answer.contains("cursor")) return "";
      from += question.k;
      const auto next = cluster.ask(json_of(question, answer["cursor"], processor), false);
      if (next.status != 200) return "page " + std::to_string(pages + 1) + " is refused: " + next.body;
      answer = Json::parse(next.body);
    }
  }

  void report(Question question, std::string problem) {
    question = simplest(std::move(question), [&](const Question& simpler) {
      const std::string still = problem_of(simpler);
      if (!still.empty()) problem = still;
      return !still.empty();
    });
    std::string texts;
    for (const RandomDocument& one : documents_)
      if (documents_.size() < 30 || problem.find("\"" + one.id + "\"") != problem.npos) texts += one.json + "\n";
    if (texts.size() > 20'000) texts.resize(20'000);
    ADD_FAILURE() << "asked: " << json_of(question) << "\nclause: " << query::clause_json(question.clause) << "\n"
                  << problem << "\nschema: " << schema::schema_text(made_.schema()) << "\n"
                  << text::described(made_.analyzer()) << ", k1 " << made_.bm25().k1 << ", b " << made_.bm25().b
                  << "\ndocuments:\n"
                  << texts;
  }

  const std::string other_processor_;  // which every question is asked of, too
  RandomCollection made_;
  RandomQuestions questions_;
  std::mt19937 random_;
  std::uint32_t next_ = 0;  // number of the next document
  bool large_ = false;
  std::vector<RandomDocument> documents_;  // in the collection's order
  std::string history_;
  std::vector<std::unique_ptr<AnsweringCluster>> clusters_;
  std::unique_ptr<support::OracleCollection> collection_;
  std::uint32_t asked_ = 0, refused_ = 0;
  std::uint64_t matches_ = 0;
};

}  // namespace frond::queries_test
