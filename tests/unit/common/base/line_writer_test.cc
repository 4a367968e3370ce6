// The promises of line_writer.h and log.h, with pipes that are read late, slowly or never.
#include "common/base/line_writer.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/check.h"
#include "common/base/log.h"

namespace frond {
namespace {
using std::chrono::milliseconds, std::chrono::seconds, std::chrono::steady_clock;
constexpr milliseconds kLong{20'000};

class Pipe {
 public:
  Pipe() { FROND_CHECK(::pipe2(ends_.data(), O_CLOEXEC) == 0); }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int writer() const { return ends_[1]; }
  // Writes until the pipe is full; returns the number of bytes.
  std::size_t fill() const {
    std::size_t bytes = 0;
    ::fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    while (::write(ends_[1], "x", 1) == 1) ++bytes;
    ::fcntl(ends_[1], F_SETFL, 0);
    return bytes;
  }
  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  void close_writer() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  // Reads `bytes` bytes; fewer at the end.
  std::string read(std::size_t bytes) const {
    std::string got(bytes, '\0');
    std::size_t size = 0;
    while (size < bytes) {
      const ssize_t now = ::read(ends_[0], got.data() + size, bytes - size);
      if (now <= 0) break;
      size += static_cast<std::size_t>(now);
    }
    got.resize(size);
    return got;
  }
  std::string read_all() {
    close_writer();
    return read(std::size_t{1} << 24);
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

std::string gap(std::uint64_t lines) { return "gap " + std::to_string(lines) + "\n"; }

TEST(ALineWriter, WritesLinesInTheirOrder) {
  Pipe pipe;
  std::string expected;
  {
    LineWriter writer(pipe.writer(), 1 << 20, gap);
    for (int i = 0; i < 1000; ++i) {
      const std::string line = std::to_string(i) + "\n";
      expected += line;
      writer.write(line);
    }
    EXPECT_TRUE(writer.flush(kLong));
    EXPECT_EQ(writer.dropped(), 0u);
  }
  EXPECT_EQ(pipe.read_all(), expected);
}

TEST(ALineWriter, NeverWaitsForAReaderAndTellsWhatIsMissingWhereItIsMissing) {
  Pipe pipe;
  const std::size_t filled = pipe.fill();
  LineWriter writer(pipe.writer(), 100'000, gap);
  const std::string line = std::string(999, '.') + "\n";
  const auto before = steady_clock::now();
  std::uint64_t written = 0;
  for (; writer.dropped() < 500; ++written) writer.write(line);
  EXPECT_LT(steady_clock::now() - before, seconds(10));
  EXPECT_LT(written, 600u);
  EXPECT_FALSE(writer.flush(milliseconds(1)));
  EXPECT_EQ(pipe.read(filled), std::string(filled, 'x'));
  for (; written > 500; --written) EXPECT_EQ(pipe.read(line.size()), line);
  EXPECT_EQ(pipe.read(8), "gap 500\n");
  EXPECT_TRUE(writer.flush(kLong));
  writer.write("after\n");
  EXPECT_EQ(pipe.read(6), "after\n");
  EXPECT_EQ(writer.dropped(), 500u);
}

TEST(ALineWriter, KeepsTheOrderOfEachThreadAndWholeLines) {
  Pipe pipe;
  constexpr int kWriters = 4, kLines = 3000;
  std::string got;
  std::thread reader([&] {
    for (std::string more = pipe.read(1000); !more.empty(); more = pipe.read(1000)) got += more;
  });
  std::uint64_t dropped = 0;
  {
    LineWriter writer(pipe.writer(), 20'000, gap);
    std::vector<std::thread> threads;
    threads.reserve(kWriters);
    for (int t = 0; t < kWriters; ++t)
      threads.emplace_back([&writer, t] {
        for (int i = 0; i < kLines; ++i)
          writer.write("line " + std::to_string(t) + " " + std::to_string(i) + std::string(i % 50, '.') + "\n");
      });
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(writer.flush(kLong));
    dropped = writer.dropped();
  }
  pipe.close_writer();
  reader.join();
  std::array<int, kWriters> last{-1, -1, -1, -1};
  std::uint64_t lines = 0, missing = 0;
  for (std::size_t at = 0; at < got.size();) {
    const std::size_t end = got.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    const std::string line = got.substr(at, end - at);
    at = end + 1;
    int thread = 0, number = 0;
    if (std::sscanf(line.c_str(), "line %d %d", &thread, &number) == 2) {
      EXPECT_GT(number, last.at(thread)) << line;
      EXPECT_EQ(line, "line " + std::to_string(thread) + " " + std::to_string(number) + std::string(number % 50, '.'));
      last.at(thread) = number;
      ++lines;
    } else {
      ASSERT_TRUE(line.starts_with("gap ")) << line;
      missing += std::stoull(line.substr(4));
    }
  }
  EXPECT_EQ(missing, dropped);
  EXPECT_EQ(lines + missing, std::uint64_t{kWriters} * kLines);
}

TEST(ALineWriter, EndsThoughNobodyReads) {
  Pipe pipe;
  const auto before = steady_clock::now();
  {
    LineWriter writer(pipe.writer(), 1 << 20, gap);
    for (int i = 0; i < 200; ++i) writer.write(std::string(1000, '.') + "\n");
  }
  EXPECT_LT(steady_clock::now() - before, seconds(15));
  pipe.close_reader();  // ends the writer's thread, too
}

TEST(ALineWriter, CountsWhatAReaderThatHasGoneDoesNotTake) {
  Pipe pipe;
  pipe.close_reader();
  LineWriter writer(pipe.writer(), 1 << 20, gap);
  for (int i = 0; i < 3; ++i) writer.write("lost\n");
  EXPECT_TRUE(writer.flush(kLong));
  EXPECT_EQ(writer.dropped(), 3u);
}

// Runs `work` in a child process whose stderr is a pipe, a full one if `full`. Returns its stderr and its wait status.
template <class Work>
std::pair<std::string, int> last_words_of(bool full, const Work& work) {
  Pipe pipe;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe.writer(), STDERR_FILENO);
    pipe.close_reader();
    if (full) pipe.fill();
    work();
    ::_exit(0);
  }
  int status = 0;
  std::string words;
  if (!full) {  // a full pipe stays open and is not read
    pipe.close_writer();
    words = pipe.read(std::size_t{1} << 20);
  }
  const auto until = steady_clock::now() + kLong;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (steady_clock::now() > until) {
      ::kill(child, SIGKILL);
      ADD_FAILURE() << "the child does not end";
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return {words, status};
}

TEST(LastWords, ComeBehindTheLog) {
  const auto [words, status] = last_words_of(false, [] {
    Logger log("test", LogLevel::kInfo);
    for (int i = 0; i < 200; ++i) log.info("line", {{"number", std::to_string(i)}});
    FROND_CHECK(2 + 2 == 5);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
  EXPECT_NE(words.find(R"("number":"199")"), std::string::npos);
  EXPECT_NE(words.find("FROND_CHECK failed: 2 + 2 == 5\n"), std::string::npos);
  EXPECT_LT(words.find(R"("number":"199")"), words.find("FROND_CHECK"));
}

TEST(LastWords, KeepNoProcessAliveThatNobodyListensTo) {
  const auto [words, status] = last_words_of(true, [] {
    Logger log("test", LogLevel::kInfo);
    log.info("line");
    FROND_CHECK(2 + 2 == 5);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

}  // namespace
}  // namespace frond
