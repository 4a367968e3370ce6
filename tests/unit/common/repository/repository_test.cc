#include "common/repository/repository.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "common/http/server/server.h"
#include "tests/support/manifests.h"
#include "tests/support/scratch_folder.h"

namespace frond::repository {
namespace {
namespace fs = std::filesystem;

Result<Generation> publish_next(const fs::path& root, std::function<void(std::string_view)> before_step = {}) {
  auto writer = FROND_TRY(RepositoryWriter::open(root, "example", std::move(before_step)));
  const Generation generation = writer->next_generation();
  const auto manifest = support::write_example_generation(writer->building(), generation, 2);
  FROND_TRY(writer->publish(manifest, writer->building() / manifest.term_statistics.name));
  return generation;
}

// Fetches every file of the current generation, which verifies it. Returns the generation's number.
Result<Generation> read_whole(const RepositorySource& source, const fs::path& scratch) {
  const Generation generation = FROND_TRY(source.current());
  const Manifest manifest = FROND_TRY(source.manifest(generation));
  FROND_TRY(source.fetch(term_statistics_path(generation), manifest.term_statistics, scratch / "terms"));
  for (const auto& entry : manifest.partitions)
    for (const auto& file : entry.summary.files)
      FROND_TRY(source.fetch(partition_file_path(entry, file), file, scratch / file.name));
  return generation;
}

class Repository : public testing::Test {
 protected:
  fs::path root() const { return folder_ / "repository"; }
  Result<Generation> read() const {
    return read_whole(**RepositorySource::open(root().string(), "example"), folder_.path());
  }
  support::ScratchFolder folder_;
};

TEST_F(Repository, HoldsNothingAtFirst) { EXPECT_EQ(read(), Code::kNotFound); }

TEST_F(Repository, GivesTheGenerationThatWasPublishedLast) {
  EXPECT_EQ(publish_next(root()), 1u);
  EXPECT_EQ(read(), 1u);
  EXPECT_EQ(publish_next(root()), 2u);
  EXPECT_EQ(read(), 2u);
}

TEST_F(Repository, RollsBackToWhatWasCurrentBeforeAndNeverReusesANumber) {
  ASSERT_EQ(publish_next(root()), 1u);
  ASSERT_EQ(publish_next(root()), 2u);
  {
    auto writer = RepositoryWriter::open(root(), "example");
    ASSERT_TRUE(writer);
    EXPECT_EQ((*writer)->rollback(), 1u);
    EXPECT_EQ((*writer)->rollback(), Code::kNotFound);
  }
  EXPECT_EQ(read(), 1u);
  EXPECT_EQ(publish_next(root()), 3u);
  auto writer = RepositoryWriter::open(root(), "example");
  EXPECT_EQ((*writer)->rollback(), 1u) << "2 was rolled back: it is not what was current before 3";
}

TEST_F(Repository, SwitchesToAnyGenerationThatIsThere) {
  for (Generation number = 1; number <= 3; ++number) ASSERT_EQ(publish_next(root()), number);
  {
    auto writer = RepositoryWriter::open(root(), "example");
    ASSERT_TRUE(writer);
    EXPECT_TRUE((*writer)->switch_to(1));
    EXPECT_EQ(read(), 1u);
    const auto absent = (*writer)->switch_to(4);
    EXPECT_EQ(absent.error().code(), Code::kNotFound);
    EXPECT_THAT(absent.error().message(), testing::StartsWith("generation 4 is not kept"));
    EXPECT_EQ(read(), 1u);
  }
  auto writer = RepositoryWriter::open(root(), "example");  // which removes what was never published
  EXPECT_TRUE((*writer)->switch_to(3));
  EXPECT_EQ(read(), 3u);
  EXPECT_TRUE((*writer)->switch_to(3));
  EXPECT_EQ((*writer)->next_generation(), 4u);
}

TEST_F(Repository, HasOneWriterAtATime) {
  auto first = RepositoryWriter::open(root(), "example");
  ASSERT_TRUE(first);
  EXPECT_EQ(RepositoryWriter::open(root(), "example"), Code::kUnavailable);
  EXPECT_TRUE(RepositoryWriter::open(root(), "other"));
}

TEST_F(Repository, IsTheOldOrTheNewGenerationAfterADeathAtAnyStep) {
  ASSERT_EQ(publish_next(root()), 1u);
  bool died = true;
  for (int steps = 0; died; ++steps) {
    const Generation before = *read();
    const pid_t child = ::fork();
    if (child == 0) {
      int left = steps;
      const auto done = publish_next(root(), [&](std::string_view) {
        if (left-- == 0) ::_exit(9);
      });
      ::_exit(done ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_NE(WEXITSTATUS(status), 1) << "publishing failed after " << steps << " steps";
    died = WEXITSTATUS(status) == 9;
    const auto after = read();
    ASSERT_TRUE(after) << after.error().message();
    EXPECT_GE(*after, before);
    // The next writer cleans up and can publish.
    ASSERT_TRUE(publish_next(root()));
    std::size_t partitions = 0, manifests = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(root() / "example/partitions")) ++partitions;
    for (const auto& entry : fs::directory_iterator(root() / "example/generations"))
      manifests += entry.path().extension() == ".json";
    EXPECT_EQ(partitions, 2 * manifests) << "after " << steps << " steps";
    ASSERT_LT(steps, 50);
  }
}

TEST_F(Repository, PrunesAllButTheLastGenerations) {
  for (Generation n = 1; n <= 5; ++n) ASSERT_EQ(publish_next(root()), n);
  {
    auto writer = RepositoryWriter::open(root(), "example");
    ASSERT_TRUE((*writer)->prune(1));
  }
  EXPECT_EQ(read(), 5u);
  const auto source = RepositorySource::open(root().string(), "example");
  EXPECT_TRUE((*source)->manifest(4));
  EXPECT_EQ((*source)->manifest(3), Code::kNotFound);
  std::size_t partitions = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(root() / "example/partitions")) ++partitions;
  EXPECT_EQ(partitions, 4u);
  EXPECT_EQ(publish_next(root()), 6u);
}

TEST_F(Repository, PrunesWhatWasRolledBack) {
  for (Generation n = 1; n <= 3; ++n) ASSERT_EQ(publish_next(root()), n);
  {
    auto writer = RepositoryWriter::open(root(), "example");
    ASSERT_EQ((*writer)->rollback(), 2u);
    ASSERT_TRUE((*writer)->prune(1));
  }
  EXPECT_EQ(read(), 2u);
  const auto source = RepositorySource::open(root().string(), "example");
  EXPECT_TRUE((*source)->manifest(1));
  EXPECT_EQ((*source)->manifest(3), Code::kNotFound);
  std::size_t partitions = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(root() / "example/partitions")) ++partitions;
  EXPECT_EQ(partitions, 4u);
  EXPECT_EQ(publish_next(root()), 4u) << "numbers are not used twice";
}

TEST_F(Repository, PrunesNothingWhereAManifestThatStaysCanNotBeRead) {
  for (Generation n = 1; n <= 4; ++n) ASSERT_EQ(publish_next(root()), n);
  for (const Generation spoilt : {Generation{3}, Generation{4}}) {
    const fs::path file = root() / "example" / manifest_path(spoilt);
    support::flip_byte(file, 20);
    auto writer = RepositoryWriter::open(root(), "example");
    const auto pruned = (*writer)->prune(2);
    EXPECT_EQ(pruned, Code::kCorrupt);
    EXPECT_NE(pruned.error().message().find("generations/" + std::to_string(spoilt)), std::string::npos);
    support::flip_byte(file, 20);
    for (Generation n = 1; n <= 4; ++n) EXPECT_TRUE(fs::exists(root() / "example" / manifest_path(n))) << n;
  }
  EXPECT_EQ(read(), 4u);
}

TEST_F(Repository, NamesTheFileThatIsDamaged) {
  ASSERT_EQ(publish_next(root()), 1u);
  support::flip_byte(root() / "example/partitions/g1-p1-00/terms-0.sst", 3);
  const auto read_back = read();
  ASSERT_EQ(read_back, Code::kCorrupt);
  EXPECT_NE(read_back.error().message().find("g1-p1-00/terms-0.sst"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "terms-0.sst.part"));
}

TEST_F(Repository, RefusesNamesThatLeaveIt) {
  for (const auto* name : {"..", "a/b", ""}) {
    EXPECT_EQ(RepositorySource::open(root().string(), name), Code::kInvalid);
    EXPECT_EQ(RepositoryWriter::open(root(), name), Code::kInvalid);
  }
  EXPECT_EQ(RepositorySource::open("ftp://host/x", "c"), Code::kInvalid);
}

// A static file server of our own, on a thread.
class FileServer {
 public:
  explicit FileServer(const fs::path& root) {
    auto created = http::Server::create(
        io_, {.listen = "127.0.0.1:0"}, [root](http::Request&& request, http::Responder responder) {
          const fs::path file = root / request.path.substr(1);
          // Error pages, as servers send them: longer than CURRENT may be.
          const std::string page(1000, '.');
          if (request.path.starts_with("/broken/")) return responder.send(http::problem(500, "Internal error", page));
          if (!fs::is_regular_file(file)) return responder.send(http::problem(404, "Not found", page));
          responder.send({.content_type = "application/octet-stream", .body = support::read_file(file)});
        });
    FROND_CHECK(created.has_value());
    server_ = std::move(*created);
    thread_ = std::thread([this] { io_.run(); });
  }
  ~FileServer() {
    io_.stop();
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }

 private:
  boost::asio::io_context io_;
  std::unique_ptr<http::Server> server_;
  std::thread thread_;
};

TEST_F(Repository, ReadsTheSameOverHttp) {
  ASSERT_EQ(publish_next(root()), 1u);
  const FileServer server(folder_.path());
  const auto source = RepositorySource::open(server.url() + "/repository/", "example");
  ASSERT_TRUE(source);
  EXPECT_EQ(read_whole(**source, folder_.path()), 1u);
  EXPECT_EQ((*source)->manifest(9), Code::kNotFound);
  support::flip_byte(root() / "example/partitions/g1-p0-00/terms-0.sst", 0);
  EXPECT_EQ(read_whole(**source, folder_.path()), Code::kCorrupt);
}

TEST_F(Repository, GivesRangesOfFilesFromADirectoryAndOverHttp) {
  ASSERT_EQ(publish_next(root()), 1u);
  const FileServer server(folder_.path());
  const std::string path = "partitions/g1-p0-00/terms-0.sst";
  std::ifstream in(root() / "example" / path, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  for (const std::string& place : {root().string(), server.url() + "/repository/"}) {
    const auto source = RepositorySource::open(place, "example").value();
    for (std::size_t from = 0; from < whole.size(); from += 1 + whole.size() / 5)
      for (const std::size_t bytes : {std::size_t{1}, (whole.size() - from) / 2 + 1, whole.size() - from})
        EXPECT_EQ(as_text(source->read(path, from, std::min(bytes, whole.size() - from)).value()),
                  whole.substr(from, bytes))
            << place << ": " << bytes << " from " << from;
    EXPECT_EQ(source->read(path, whole.size() - 1, 2).error().code(), Code::kCorrupt) << place;
    EXPECT_EQ(source->read("../CURRENT", 0, 1).error().code(), Code::kInvalid) << place;
    EXPECT_FALSE(source->read("partitions/none/terms-0.sst", 0, 1)) << place;
  }
}

TEST_F(Repository, TakesAnErrorForWhatItIsHoweverLongItsPage) {
  const FileServer server(folder_.path());
  EXPECT_EQ((*RepositorySource::open(server.url(), "example"))->current(), Code::kNotFound);
  EXPECT_EQ((*RepositorySource::open(server.url(), "broken"))->current(), Code::kUnavailable);
}

TEST_F(Repository, IsUnavailableWhereNobodyListens) {
  const auto source = RepositorySource::open("http://127.0.0.1:1/x", "example");
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->current(), Code::kUnavailable);
}

}  // namespace
}  // namespace frond::repository
