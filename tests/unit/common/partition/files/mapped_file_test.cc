// The promises of mapped_file.h for files that are truncated while they are read.
#include "common/partition/files/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace frond::partition {
namespace {

constexpr std::size_t kPage = 4096;

class AMappedFile : public testing::Test {
 protected:
  std::shared_ptr<const MappedFile> map(const std::string& name, std::size_t bytes) {
    support::write_file(scratch_ / name, std::string(bytes, 'a'));
    return MappedFile::open(scratch_ / name, loss_).value();
  }
  void cut(const std::string& name, std::size_t bytes) { std::filesystem::resize_file(scratch_ / name, bytes); }
  static std::size_t count(ByteView bytes, char wanted) {
    std::size_t found = 0;
    for (const std::byte byte : bytes) found += static_cast<char>(byte) == wanted;
    return found;
  }

  support::ScratchFolder scratch_;
  std::shared_ptr<Loss> loss_ = std::make_shared<Loss>();
};

TEST_F(AMappedFile, GivesItsBytes) {
  const auto file = map("a", 3 * kPage + 10);
  EXPECT_EQ(file->size(), 3 * kPage + 10);
  EXPECT_EQ(count(file->view(0, file->size()), 'a'), file->size());
  std::string to(100, ' ');
  EXPECT_EQ(file->copy(3 * kPage, to), 10u);
  EXPECT_EQ(to, std::string(10, 'a') + std::string(90, ' '));
  EXPECT_EQ(file->copy(3 * kPage + 10, to), 0u);
  EXPECT_EQ(file->copy(1 << 30, to), 0u);
  EXPECT_TRUE(file->check());
  EXPECT_FALSE(loss_->happened());
}

TEST_F(AMappedFile, IsReadFromOneEndToTheOther) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, MappedFile::kPieceBytes - 1, MappedFile::kPieceBytes,
                                  2 * MappedFile::kPieceBytes + kPage + 1}) {
    std::string content(bytes, ' ');
    for (std::size_t i = 0; i < bytes; ++i) content[i] = static_cast<char>('a' + i / 1000 % 26);
    support::write_file(scratch_ / "through", content);
    const auto file = MappedFile::open(scratch_ / "through", loss_).value();
    std::string read;
    const auto gather = [&](ByteView piece) {
      EXPECT_LE(piece.size(), MappedFile::kPieceBytes);
      read += as_text(piece);
    };
    EXPECT_TRUE(file->read_through(gather));
    EXPECT_TRUE(read == content) << bytes << " bytes";
    EXPECT_TRUE(file->read_through(gather)) << "a second time";
    EXPECT_EQ(read.size(), 2 * bytes);
  }
}

TEST_F(AMappedFile, ThatIsCutWhileItIsReadThroughIsCorrupt) {
  const auto file = map("cut", 3 * MappedFile::kPieceBytes);
  bool first = true;
  EXPECT_EQ(file->read_through([&](ByteView piece) {
    EXPECT_EQ(count(piece, 'a'), first ? piece.size() : 0);
    if (std::exchange(first, false)) cut("cut", kPage);
  }),
            Code::kCorrupt);
}

TEST_F(AMappedFile, MayBeEmptyOrNotThere) {
  const auto empty = map("empty", 0);
  std::string to(1, ' ');
  EXPECT_EQ(empty->copy(0, to), 0u);
  EXPECT_TRUE(empty->view(0, 0).empty());
  EXPECT_EQ(MappedFile::open(scratch_ / "absent", loss_), Code::kNotFound);
  EXPECT_EQ(MappedFile::open(scratch_ / "empty" / "below", loss_), Code::kUnavailable);
}

TEST_F(AMappedFile, ReadsAsZerosOnceItIsCutShortAndSaysSo) {
  const auto file = map("a", 10 * kPage);
  const ByteView before = file->view(0, 10 * kPage);
  cut("a", 2 * kPage + 100);
  EXPECT_EQ(count(before.subspan(5 * kPage, kPage), 'a'), 0u);
  EXPECT_TRUE(loss_->happened());
  const auto checked = file->check();
  EXPECT_EQ(checked, Code::kCorrupt);
  EXPECT_NE(checked.error().message().find("was cut short: 8292 of 40960 bytes are left"), std::string::npos)
      << checked.error().message();
  std::string to(10, ' ');
  EXPECT_EQ(file->copy(0, to), Code::kCorrupt) << "what is left may not be what it was";
}

TEST_F(AMappedFile, IsNotCopiedFromWhereItIsCutShort) {
  const auto file = map("a", 10 * kPage);
  cut("a", 2 * kPage);
  std::string to(kPage, ' ');
  EXPECT_EQ(file->copy(8 * kPage, to), Code::kCorrupt);
}

TEST_F(AMappedFile, NoticesACutThatNoFaultTellsOf) {
  const auto file = map("a", 2 * kPage);
  cut("a", kPage + 1);
  EXPECT_EQ(count(file->view(kPage, kPage), 'a'), 1u) << "the rest of a last page is zeros";
  EXPECT_FALSE(loss_->happened());
  EXPECT_EQ(file->check(), Code::kCorrupt);
  EXPECT_TRUE(loss_->happened());
}

TEST_F(AMappedFile, TellsOfOthersOfItsSetAndOfNoneElse) {
  const auto good = map("good", kPage), bad = map("bad", 4 * kPage);
  const auto apart = MappedFile::open(scratch_ / "good", std::make_shared<Loss>()).value();
  cut("bad", 0);
  std::string to(10, ' ');
  EXPECT_EQ(bad->copy(0, to), Code::kCorrupt);
  EXPECT_EQ(good->copy(0, to), Code::kUnavailable);
  EXPECT_EQ(apart->copy(0, to), 10u);
}

TEST_F(AMappedFile, MayFailUnderManyReadersWhileOthersComeAndGo) {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const std::string name = "mine" + std::to_string(t);
      for (unsigned round = 0; !stop; ++round) {
        support::write_file(scratch_ / name, std::string(8 * kPage, 'a'));
        const auto loss = std::make_shared<Loss>();
        const auto file = MappedFile::open(scratch_ / name, loss).value();
        if (round % 2 == 0) cut(name, kPage);
        const std::size_t right = count(file->view(0, 8 * kPage), 'a');
        if ((right == 8 * kPage) != (round % 2 == 1) || loss->happened() != (round % 2 == 0)) ++wrong;
      }
    });
  const auto shared = map("shared", 64 * kPage);
  std::vector<std::thread> readers;
  readers.reserve(4);
  for (int t = 0; t < 4; ++t)
    readers.emplace_back([&, t] {
      std::string to(3 * kPage, ' ');
      bool lost = false;
      for (std::size_t at = t; !stop; at = (at + 7) % 61) {
        const auto copied = shared->copy(at * kPage, to);
        if (lost && copied) ++wrong;  // a lost file stays lost
        if (copied && to != std::string(3 * kPage, 'a')) ++wrong;
        lost = !copied;
      }
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  cut("shared", 3 * kPage);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  stop = true;
  for (auto* all : {&threads, &readers})
    for (auto& thread : *all) thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_TRUE(loss_->happened());
}

// The signal or exit code that ends a child process doing `work`; 0: it ended normally.
template <class Work>
int end_of(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

TEST_F(AMappedFile, LeavesFaultsElsewhereToEndTheProcess) {
  const auto file = map("a", kPage);  // installs the handler
  support::write_file(scratch_ / "other", std::string(kPage, 'a'));
  const auto read_what_is_cut = [&] {
    const int fd = ::open((scratch_ / "other").c_str(), O_RDONLY);
    const auto* at = static_cast<volatile char*>(::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, fd, 0));
    cut("other", 0);
    ::_exit(*at);
  };
  EXPECT_NE(end_of(read_what_is_cut), 0);  // SIGBUS, or an exit code from a sanitizer
  EXPECT_NE(end_of([] { ::kill(::getpid(), SIGBUS); }), 0);
}

}  // namespace
}  // namespace frond::partition
