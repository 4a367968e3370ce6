#pragma once
// A collection that is changed at random, by the indexer's commands, and compared with a fresh build of what remains.
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "common/repository/repository.h"
#include "common/schema/schema_json.h"
#include "indexer/change/compact.h"
#include "indexer/change/removed_terms.h"
#include "indexer/check/check.h"
#include "tests/differential/change/changed_collection.h"

namespace frond::change_test {

struct Case {
  unsigned seed;
  std::uint32_t partitions;  // of the first build
  bool store_bodies = true;
  int steps = 12;
  bool schema = false;
};
inline void PrintTo(const Case& c, std::ostream* out) {
  *out << "seed " << c.seed << ", " << c.partitions << " partitions" << (c.store_bodies ? "" : ", bodies not stored")
       << (c.schema ? ", with a schema" : "");
}

class AChangedCollection : public testing::TestWithParam<Case> {
 protected:
  AChangedCollection() {
    if (!GetParam().schema) return;
    schema_ = std::make_shared<const schema::Schema>(*schema::parse_schema(R"({"source": "stored", "fields": {
        "title": {"type": "text", "weight": 3, "positions": true, "field_search": true},
        "body": {"type": "text", "positions": true}, "note": {"type": "text", "field_search": true},
        "tag": {"type": "keyword", "many": true}, "year": {"type": "integer"}, "price": {"type": "float"}}})"));
  }
  std::filesystem::path repository() const { return folder_ / "repository"; }
  Logger log_{"test", LogLevel::kError};

  std::vector<Text> some_texts(std::size_t count) {
    std::set<std::string> ids;
    std::vector<Text> texts;
    for (std::size_t i = 0; i < count; ++i) {
      // A third are documents that there are or were.
      const std::string id = "d" + std::to_string(random_() % 3 == 0 ? random_() % (next_id_ + 1) : next_id_++);
      if (ids.insert(id).second) texts.push_back(make_text(id));
    }
    return texts;
  }
  virtual Text make_text(const std::string& id) {
    return {id, random_words(random_, 4), random_words(random_, 60), random_prior(),
            schema_ == nullptr ? "" : random_members()};
  }
  std::string random_members() {
    std::string members;
    const auto add = [&](const char* name, const std::string& value) {
      if (random_() % 3 != 0) members += ",\"" + std::string(name) + "\":" + value;
    };
    add("note", "\"" + random_words(random_, 6) + "\"");
    add("tag", random_() % 2 == 0 ? "\"a\"" : "[\"b\",\"c" + std::to_string(random_() % 9) + "\"]");
    add("year", std::to_string(random_() % 30));
    add("price", std::to_string(random_() % 100) + ".5");
    add("other", "{\"n\":" + std::to_string(random_()) + "}");
    return members;
  }

  // Of every other collection; most documents have none.
  double random_prior() {
    if (GetParam().seed % 2 == 0 || random_() % 3 != 0) return 0;
    return static_cast<double>(random_() % (1u << (1 + random_() % 16))) / 1000;
  }

  // Runs `change` in a process of its own, which dies before the step with this number; never, if it has fewer steps.
  void run_to_step(int step, const std::function<bool(std::function<void(std::string_view)>)>& change) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int left = step;
      const bool done = change([&](std::string_view) {
        if (left-- == 0) ::_exit(9);
      });
      ::_exit(done ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 1);
    reached_end_ = WEXITSTATUS(status) == 0;
  }

  Generation current() const { return *(*repository::RepositorySource::open(repository().string(), "c"))->current(); }

  bool build(const std::filesystem::path& to, const std::vector<Text>& texts, std::uint32_t partitions) {
    const auto input = folder_ / "build.jsonl";
    write_jsonl(input, texts);
    auto options = options_for(to, input, partitions, schema_);
    options.invert.parse.store_bodies = GetParam().store_bodies;
    indexer::BuildProgress progress;
    const auto built = indexer::build(options, progress, log_, {});
    EXPECT_TRUE(built) << built.error().message();
    return built.has_value();
  }

  void add(const std::vector<Text>& texts, int crash) {
    const auto input = folder_ / "add.jsonl";
    write_jsonl(input, texts);
    auto options = options_for(repository(), input, 1 + random_() % 2, schema_);
    options.invert.parse.store_bodies = GetParam().store_bodies;
    change(crash, [&](std::function<void(std::string_view)> before_step) {
      options.before_step = std::move(before_step);
      indexer::BuildProgress progress;
      const auto added = indexer::add(options, progress, log_, {});
      EXPECT_TRUE(added) << added.error().message();
      return added.has_value();
    });
    if (changed_) model_.add(texts);
  }

  void remove(const std::vector<std::string>& ids, int crash) {
    change(crash, [&](std::function<void(std::string_view)> before_step) {
      std::size_t next = 0;
      const auto removed = indexer::change::remove_documents({repository(), "c", 0, std::move(before_step)},
                                                             [&]() -> Result<std::optional<std::string>> {
                                                               if (next == ids.size())
                                                                 return std::optional<std::string>();
                                                               return std::optional<std::string>(ids[next++]);
                                                             },
                                                             {});
      EXPECT_TRUE(removed) << removed.error().message();
      return removed.has_value();
    });
    if (changed_)
      for (const auto& id : ids) model_.remove(id);
  }

  void compact(const indexer::change::TierRules& rules, int crash) {
    change(crash, [&](std::function<void(std::string_view)> before_step) {
      const auto compacted = indexer::change::compact({repository(), "c", 0, std::move(before_step)}, rules, {});
      EXPECT_TRUE(compacted) << compacted.error().message();
      return compacted.has_value();
    });
  }

  // Compacts, and does `meanwhile` when the compaction is at the step "compaction: …" with number `at`.
  void compact_beside(const indexer::change::TierRules& rules, int at, const std::function<void()>& meanwhile) {
    int step = 0;
    const auto before_step = [&](std::string_view name) {
      if (name.starts_with("compaction: ") && step++ == at) meanwhile();
    };
    compacted_ = {};
    const auto compacted = indexer::change::compact({repository(), "c", 0, before_step}, rules, {});
    ASSERT_TRUE(compacted) << compacted.error().message();
    compacted_ = *compacted;
    EXPECT_TRUE(std::filesystem::is_empty(repository() / "c" / "compacting"));
  }

  void remove_some(std::size_t most, int crash) {
    std::vector<std::string> ids{"nobody"};
    for (std::size_t n = random_() % most; n > 0; --n) ids.push_back("d" + std::to_string(random_() % (next_id_ + 1)));
    told_ += " removal of " + std::to_string(ids.size());
    remove(ids, crash);
  }

  void prune() {
    const auto writer = repository::RepositoryWriter::open(repository(), "c");
    ASSERT_TRUE(writer) << writer.error().message();
    ASSERT_TRUE((*writer)->prune(0));
  }

  // Changes that others make while partitions are merged.
  void some_changes() {
    for (unsigned n = 1 + random_() % 3; n > 0; --n) {
      if (random_() % 2 == 0) {
        const auto texts = some_texts(1 + random_() % 40);
        told_ += " add of " + std::to_string(texts.size());
        add(texts, -1);
      } else {
        remove_some(60, -1);
      }
    }
    if (random_() % 2 == 0) prune();
  }

  // crash: the number of the step before which the process dies; negative: it does not.
  void change(int crash, const std::function<bool(std::function<void(std::string_view)>)>& how) {
    const Generation before = current();
    if (crash < 0)
      ASSERT_TRUE(how({}));
    else
      run_to_step(crash, how);
    changed_ = current() != before;
  }

  void random_step() {
    const int crash = random_() % 3 == 0 ? static_cast<int>(random_() % 30) : -1;
    const unsigned kind = random_() % 5;
    if (kind == 0) {
      const indexer::change::TierRules rules{2 + static_cast<std::uint32_t>(random_() % 3),
                                             static_cast<double>(random_() % 10) / 10, random_() % 4 == 0};
      told_ = rules.all ? "compaction of all" : "compaction by tiers of " + std::to_string(rules.width);
      compact(rules, crash);
    } else if (kind <= 2) {
      const auto texts = some_texts(1 + random_() % 40);
      told_ = "add of " + std::to_string(texts.size());
      add(texts, crash);
    } else {
      std::vector<std::string> ids{"nobody"};
      for (std::size_t n = random_() % (random_() % 5 == 0 ? 200 : 20); n > 0; --n)
        ids.push_back("d" + std::to_string(random_() % (next_id_ + 1)));
      told_ = "removal of " + std::to_string(ids.size());
      remove(ids, crash);
    }
    told_ += crash < 0 ? "" : ", died at step " + std::to_string(crash);
  }

  void compare() {
    const auto report = indexer::check::check_generation(repository(), "c");
    ASSERT_TRUE(report) << report.error().message();
    for (const auto& fault : report->listed) ADD_FAILURE() << fault.where << ": " << fault.what;
    compare_verifications();
    std::filesystem::remove_all(folder_ / "fresh");
    std::filesystem::remove_all(folder_ / "fresh-data");
    ASSERT_TRUE(build(folder_ / "fresh", model_.texts(), 1 + random_() % 3));
    Follower fresh(folder_ / "fresh", folder_ / "fresh-data");
    fresh.step();
    leaf_->step();
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_EQ(leaf_->ids(), fresh.ids());
    const auto &now = leaf_->generation(), &wanted = fresh.generation();
    ASSERT_EQ(now.statistics.documents, wanted.statistics.documents);
    ASSERT_EQ(now.statistics.tokens, wanted.statistics.tokens);
    ASSERT_EQ(now.terms->totals(), wanted.terms->totals());
    std::map<std::string, std::uint64_t> dfs;
    ASSERT_TRUE(wanted.terms->for_each([&](std::string_view term, std::uint64_t df) {
      dfs.emplace(term, df);
      return true;
    }));
    for (const auto& [term, df] : dfs) ASSERT_EQ(now.terms->df(term), df) << term;
    ASSERT_EQ(now.field_tokens, wanted.field_tokens);
    compare_values(fresh);
    ASSERT_TRUE(now.terms->for_each([&](std::string_view term, std::uint64_t df) {
      EXPECT_EQ(dfs[std::string(term)], df) << term;
      return true;
    }));
    compare_answers(fresh);
  }

  // What documents have beside their texts.
  void compare_values(const Follower& fresh) {
    if (schema_ == nullptr) return;
    auto other = fresh.places().begin();
    for (const auto& [ordinal, place] : leaf_->places()) {
      const auto& [partition, docid] = place;
      const auto& [wanted, wanted_docid] = (other++)->second;
      for (std::uint32_t field = 0; field < schema_->fields.size(); ++field) {
        const auto *const column = partition->column(field), *const wanted_column = wanted->column(field);
        const std::vector<schema::Value> none;
        ASSERT_EQ(column == nullptr ? none : column->values_of(docid),
                  wanted_column == nullptr ? none : wanted_column->values_of(wanted_docid));
        const auto length = [field](const auto* of, DocId at) {
          const auto lengths = of->lengths_in(field);
          return lengths == nullptr ? 0 : (*lengths)[at];
        };
        ASSERT_EQ(length(partition, docid), length(wanted, wanted_docid));
      }
      ASSERT_TRUE(std::ranges::equal(partition->token_codes(docid), wanted->token_codes(wanted_docid)));
      ASSERT_EQ(partition->source(docid), wanted->source(wanted_docid));
    }
  }

  // What documents of each partition would take from the statistics: by term digests, and by all lists.
  void compare_verifications() {
    using indexer::change::RemovedTerms;
    const auto source = *repository::RepositorySource::open(repository().string(), "c");
    const auto manifest = *source->manifest(current());
    for (const auto& entry : manifest.partitions) {
      std::vector<DocId> docids;
      for (DocId docid = 0; docid < entry.summary.documents; ++docid)
        if (verified_() % 3 == 0) docids.push_back(docid);
      const auto opened =
          partition::PublishedPartition::open(repository() / "c" / "partitions" / entry.id, entry.summary.files);
      ASSERT_TRUE(opened) << opened.error().message();
      RemovedTerms by_digests(manifest.analyzer, {}, indexer::change::kHeldTermBytes, schema_);
      indexer::change::TermCounts by_lists;
      const auto counts = by_digests.add(**opened, docids);
      const auto postings = indexer::change::count_in_all_lists(**opened, docids, by_lists);
      ASSERT_TRUE(counts && postings) << entry.id;
      ASSERT_EQ(counts->postings, *postings) << entry.id;
      ASSERT_EQ(by_digests.documents().in_order(), by_lists.in_order()) << entry.id;
      ASSERT_TRUE(docids.empty() || (*opened)->term_digest(0).value()) << entry.id;
    }
  }

  void compare_answers(Follower& fresh) {
    using leaf::engine::Mode;
    const auto oracle = *leaf::engine_named("exhaustive");
    for (int q = 0; q < 25; ++q) {
      std::set<std::string> words;
      for (std::size_t n = 1 + random_() % 4; n > 0; --n)
        words.insert("w" + std::to_string(random_() % (1u << (1 + random_() % 8))));
      const std::vector<std::string> terms(words.begin(), words.end());
      std::string what = "query";
      for (const auto& term : terms) what += " " + term;
      for (const Mode mode : {Mode::kAnd, Mode::kOr}) {
        for (const bool ranked : {true, false}) {
          for (const std::uint32_t k : {1u, 10u, 300u}) {
            const Answer wanted = fresh.search(*oracle, terms, mode, k, ranked);
            for (const auto& entry : leaf::all_engines()) {
              const auto engine = entry.make();
              const Answer got = leaf_->search(*engine, terms, mode, k, ranked);
              const std::string told = std::string(entry.name) + (mode == Mode::kAnd ? " and" : " or") + " k " +
                                       std::to_string(k) + (ranked ? " " : " unranked ") + what;
              ASSERT_EQ(got.hits, wanted.hits) << told;
              if (got.exact)
                ASSERT_EQ(got.matches, wanted.matches) << told;
              else
                ASSERT_LE(got.matches, wanted.matches) << told;
            }
          }
        }
      }
    }
  }

  support::ScratchFolder folder_;
  Random random_{GetParam().seed}, verified_{GetParam().seed};
  Model model_;
  std::shared_ptr<const schema::Schema> schema_;
  std::size_t next_id_ = 0;
  bool changed_ = false, reached_end_ = false;  // of the last change
  std::string told_;
  std::unique_ptr<Follower> leaf_;
  indexer::change::CompactionSummary compacted_;
};

}  // namespace frond::change_test
