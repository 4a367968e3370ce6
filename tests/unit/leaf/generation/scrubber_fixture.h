#pragma once
// A leaf and its scrubber, one step at a time, on a disk that tests can replace.
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/files/disk_read.h"
#include "common/partition/file_checksum.h"
#include "common/partition/terms/change_file.h"
#include "common/partition/values/token_codes.h"
#include "leaf/generation/scrubber.h"
#include "tests/unit/leaf/generation/generation_follower_fixture.h"

namespace frond::leaf::generation {

// Two partitions of documents with a column, words in their order, and sources.
class ScrubberTest : public GenerationFollowerTest {
 protected:
  void SetUp() override {
    const auto schema = std::make_shared<const schema::Schema>(schema::parse_schema(R"({"fields": {
        "body": {"type": "text", "positions": true}, "year": {"type": "integer"}}, "source": "stored"})")
                                                                   .value());
    auto documents = support::random_documents(60, 7);
    partition::TokenCodesWriter words;
    words.begin_document();
    words.begin_field(0);
    words.add(partition::term_hash("t0"));
    ByteBuffer codes;
    words.finish(codes);
    for (auto& document : documents)
      document.values = {
          .columns = {{1, {std::int64_t{1999}}}}, .lengths = {}, .codes = codes, .source = R"({"year": 1999})"};
    const auto published = support::publish_generation(folder_ / "repository", "c", documents, 2, {}, {}, schema);
    ASSERT_TRUE(published) << published.error().message();
    leaf_.emplace(folder_.path(), clock_);
    leaf_->loader.read_disk_by([this](const auto& file, const auto& sink) { return disk_(file, sink); });
    scrubber_.emplace(
        Scrubber::Options{.interval = std::chrono::hours(24),
                          .on_damage = [this](DamagedFile file) { leaf_->follower.damaged(std::move(file)); },
                          .read = [this](const auto& file, const auto& sink) { return disk_(file, sink); }},
        pace_, *leaf_->data, leaf_->board, clock_, &leaf_->registry);
  }
  // The disk has another first byte where `is_rotten`; the system's cache does not know.
  void rot(const std::function<bool(const std::filesystem::path&)>& is_rotten) {
    disk_ = [is_rotten](const std::filesystem::path& file, const std::function<Result<void>(ByteView)>& sink) {
      bool flips = is_rotten(file);
      return files::read_from_disk(file, [&](ByteView piece) {
        ByteBuffer bytes(piece.begin(), piece.end());
        if (std::exchange(flips, false)) bytes[0] ^= std::byte{1};
        return sink(bytes);
      });
    };
  }
  void suspect(std::size_t partition) { leaf_->board.get()->back()->partitions[partition].open->suspected.store(true); }
  DamagedFile wrong(std::size_t partition) {
    const auto set = leaf_->board.get();
    const OpenPartition& open = *set->back()->partitions[partition].open;
    return {open.number(), open.id(), open.files()[0].name, {}, Error(Code::kCorrupt, "other bytes")};
  }
  void publish_change() {
    const auto writer = *repository::RepositoryWriter::open(folder_ / "repository", "c");
    auto next = *writer->source().manifest(1);
    next.generation = 2;
    const std::filesystem::path file = writer->building() / "changes.sst";
    const auto changes = *partition::ChangeWriter::create(file, {});
    ASSERT_TRUE(changes->add_term("a-new-term", 1));
    ASSERT_TRUE(changes->finish({next.terms + 1, next.postings + 1, next.statistics.tokens}));
    next.changes.push_back(*partition::describe_file(file));
    next.changes.back().name = "2.changes.sst";
    const auto published = writer->publish(next, {}, file);
    ASSERT_TRUE(published) << published.error().message();
  }
  // Reads all that is due a day later, and lets the follower hear of it.
  void scrub() {
    while (scrubber_->step()) {  // sees what is new
    }
    clock_.advance(std::chrono::hours(25));
    while (scrubber_->step()) {
    }
    leaf_->follower.step();
  }
  std::vector<std::filesystem::path> tables(const std::string& folder) const {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "data" / folder))
      if (entry.path().extension() == ".sst") found.push_back(entry.path());
    return found;
  }
  // Digests, sorted, without names, since RocksDB chooses new ones.
  std::multiset<std::string> contents(const std::string& folder) const {
    std::multiset<std::string> all;
    for (const std::filesystem::path& file : tables(folder)) all.insert(partition::describe_file(file)->xxh3);
    return all;
  }
  Result<void> intact(std::size_t partition) {
    return leaf_->board.get()->back()->partitions[partition].open->intact();
  }
  bool tells(const std::string& text) { return leaf_->registry.exposition().find(text) != std::string::npos; }

  DiskRead disk_ = files::read_from_disk;
  std::optional<Leaf> leaf_;
  ScrubPace pace_{std::uint64_t{1} << 40};
  std::optional<Scrubber> scrubber_;
};

}  // namespace frond::leaf::generation
