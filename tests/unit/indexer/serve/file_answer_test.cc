// Files as answers: bytes, ranges and tags, over real sockets; what a client that stalls or leaves costs; faults.
#include "indexer/serve/served_repository.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <semaphore>

#include <boost/asio/thread_pool.hpp>

#include "common/http/server/session.h"
#include "tests/support/scratch_folder.h"
#include "tests/unit/common/http/server_fixture.h"

namespace frond::indexer::serve {
namespace {
using http::BodyPieces;
using http::BodyReader;
using http::Client;
using http::count;
using http::get;
using http::Request;
using http::Responder;
using http::Router;
using http::Server;
using std::chrono::seconds;

TEST(ByteRange, IsThePartThatTheFieldNames) {
  EXPECT_EQ(byte_range("bytes=0-9", 100), (ByteRange{0, 10}));
  EXPECT_EQ(byte_range("bytes=90-", 100), (ByteRange{90, 10}));
  EXPECT_EQ(byte_range("bytes=90-1000", 100), (ByteRange{90, 10}));
  EXPECT_EQ(byte_range("bytes=-7", 100), (ByteRange{93, 7}));
  EXPECT_EQ(byte_range("bytes=-700", 100), (ByteRange{0, 100}));
  EXPECT_EQ(byte_range("bytes=5-18446744073709551615", 100), (ByteRange{5, 95}));
  EXPECT_EQ(byte_range("bytes=99-99", 100), (ByteRange{99, 1}));
}
TEST(ByteRange, BeyondTheEndHasNoBytes) {
  EXPECT_EQ(byte_range("bytes=100-", 100), (ByteRange{100, 0}));
  EXPECT_EQ(byte_range("bytes=-0", 100), (ByteRange{100, 0}));
  EXPECT_EQ(byte_range("bytes=7-8", 7), (ByteRange{7, 0}));
}
TEST(ByteRange, IsNoneOfWhatIsNotObeyed) {
  for (const char* field : {"", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=3-2", "bytes=0-1,3-4", "lines=0-1",
                            "bytes=18446744073709551616-", "bytes= 1-2", "bytes=+1-2", "bytes=1--2", "bytes=0x1-2"})
    EXPECT_EQ(byte_range(field, 100), ByteRange{}) << field;
}

// A body that is read when a test lets it.
class SlowReader final : public BodyReader {
 public:
  explicit SlowReader(std::uint64_t size) : size_(size) {}
  std::uint64_t size() const override { return size_; }
  Result<void> read(std::uint64_t offset, std::span<std::byte> to) override {
    turn.acquire();
    if (offset >= fails_at) return Error(Code::kUnavailable, "a test's fault");
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>('a' + (offset + i) % 26);
    most = std::max(most.load(), static_cast<std::size_t>(offset + to.size()));
    return {};
  }
  std::counting_semaphore<> turn{0};
  std::atomic<std::uint64_t> fails_at = ~std::uint64_t{0};
  std::atomic<std::size_t> most = 0;  // bytes read

 private:
  const std::uint64_t size_;
};

class AFileServer : public testing::Test {
 protected:
  void start(Server::Config config = {}) {
    config.listen = "127.0.0.1:0";
    config.run_aside = [this](const http::ClientId&, std::size_t, std::function<void()> run) {
      boost::asio::post(pool_, std::move(run));
    };
    Router router = Router::everything(
        [this](Request&& request, Responder responder) {
          if (request.path == "/slow") return responder.send({.content_type = "text/plain", .reader = slow_});
          if (request.path == "/text") return responder.send({.content_type = "text/plain", .body = "text"});
          responder.send(file_answer(request, folder_.path(), request.path.substr(1), {.content_type = "text/plain"}));
        },
        {});
    server_ = *Server::create(io_, std::move(config), std::move(router));
    thread_ = std::thread([this] { io_.run(); });
  }
  ~AFileServer() override {
    boost::asio::post(io_, [this] { server_.reset(); });
    slow_->turn.release(1000);
    pool_.join();
    work_.reset();
    if (thread_.joinable()) thread_.join();
  }
  std::string write(const std::string& name, std::size_t bytes) {
    std::string text(bytes, ' ');
    std::mt19937_64 random(bytes);
    for (char& c : text) c = static_cast<char>('a' + random() % 26);
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
    return text;
  }
  std::string ask(std::string_view request) { return Client(server_->port()).say(request).hear_all(); }
  std::string ask_for(std::string_view path, std::string_view more = {}) {
    return ask(get(path, std::string(more) + "Connection: close\r\n"));
  }
  static std::string body(const std::string& heard) { return heard.substr(heard.find("\r\n\r\n") + 4); }
  static std::string field(const std::string& heard, const std::string& name) {
    const auto at = heard.find("\r\n" + name + ": ");
    if (at == heard.npos) return {};
    const auto begin = at + name.size() + 4;
    return heard.substr(begin, heard.find("\r\n", begin) - begin);
  }
  Server::Counters counters() {
    std::promise<Server::Counters> now;
    boost::asio::post(io_, [&] { now.set_value(server_->counters()); });
    return now.get_future().get();
  }
  bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 2000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  support::ScratchFolder folder_;
  boost::asio::thread_pool pool_{2};
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io_.get_executor()};
  std::shared_ptr<SlowReader> slow_ = std::make_shared<SlowReader>(20 << 20);
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(AFileServer, SendsFilesOfEverySizeWhole) {
  start();
  constexpr std::size_t kPiece = BodyPieces::kPieceBytes;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, kPiece - 1, kPiece, kPiece + 1, 2 * kPiece, 3 * kPiece + 7, 40 * kPiece}) {
    const std::string text = write("file", bytes);
    const std::string heard = ask_for("/file");
    EXPECT_TRUE(heard.starts_with("HTTP/1.1 200 ")) << heard.substr(0, 200);
    EXPECT_EQ(field(heard, "Content-Length"), std::to_string(bytes));
    EXPECT_EQ(body(heard), text) << bytes;
  }
  EXPECT_TRUE(eventually([&] { return counters().unsent_bytes == 0; }));
}
TEST_F(AFileServer, SendsRangesAndKnowsTags) {
  start();
  const std::string text = write("file", 1'000'000);
  const std::string heard = ask_for("/file", "Range: bytes=300000-899999\r\n");
  EXPECT_TRUE(heard.starts_with("HTTP/1.1 206 ")) << heard.substr(0, 200);
  EXPECT_EQ(field(heard, "Content-Range"), "bytes 300000-899999/1000000");
  EXPECT_EQ(body(heard), text.substr(300'000, 600'000));
  const std::string tag = field(heard, "ETag");
  EXPECT_TRUE(ask_for("/file", "If-None-Match: " + tag + "\r\n").starts_with("HTTP/1.1 304 "));
  EXPECT_TRUE(ask_for("/file", "If-None-Match: \"x\", W/" + tag + "\r\n").starts_with("HTTP/1.1 304 "));
  EXPECT_TRUE(ask_for("/file", "If-None-Match: \"x\"\r\n").starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(
      ask_for("/file", "Range: bytes=5-6\r\nIf-Range: " + tag + "\r\n").ends_with("\r\n\r\n" + text.substr(5, 2)));
  EXPECT_EQ(body(ask_for("/file", "Range: bytes=5-6\r\nIf-Range: \"x\"\r\n")), text);
  const std::string beyond = ask_for("/file", "Range: bytes=1000000-\r\n");
  EXPECT_TRUE(beyond.starts_with("HTTP/1.1 416 ")) << beyond;
  EXPECT_EQ(field(beyond, "Content-Range"), "bytes */1000000");
  write("file", 1'000'001);
  EXPECT_NE(field(ask_for("/file"), "ETag"), tag);
}
TEST_F(AFileServer, AnswersHeadWithoutBytes) {
  start();
  write("file", 500'000);
  const std::string heard = ask("HEAD /file HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(heard.ends_with("\r\n\r\n"));
  EXPECT_EQ(field(heard, "Content-Length"), "500000");
}
TEST_F(AFileServer, KeepsTheOrderOfPipelinedAnswers) {
  start();
  const std::string text = write("file", 700'000);
  const std::string heard = ask(get("/text") + get("/file") + get("/text") + get("/file", "Range: bytes=-3\r\n") +
                                get("/text", "Connection: close\r\n"));
  EXPECT_EQ(count(heard, "HTTP/1.1 2"), 5u);
  EXPECT_NE(heard.find("text"
                       "HTTP/1.1 200 OK"),
            heard.npos);
  EXPECT_NE(heard.find(text + "HTTP/1.1 200 OK"), heard.npos);
  EXPECT_NE(heard.find("\r\n\r\n" + text.substr(text.size() - 3) + "HTTP/1.1 200 OK"), heard.npos);
  EXPECT_TRUE(heard.ends_with("text"));
}
TEST_F(AFileServer, HasNoFoldersAndNoPipes) {
  start();
  std::filesystem::create_directory(folder_.path() / "folder");
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  for (const char* path : {"/folder", "/pipe", "/none"})
    EXPECT_TRUE(ask_for(path).starts_with("HTTP/1.1 404 ")) << path;
}
TEST_F(AFileServer, ReadsNoFurtherThanAClientTakes) {
  start();
  slow_->turn.release(1000);
  Client client(server_->port());
  client.say(get("/slow"));
  ASSERT_FALSE(client.hear_some(1).empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(slow_->most, 16u << 20) << "what the kernel's buffers take, and two pieces";
  EXPECT_EQ(counters().unsent_bytes, 2 * BodyPieces::kPieceBytes);
}
TEST_F(AFileServer, ClosesTheConnectionOfAReaderThatFails) {
  start();
  slow_->fails_at = 3 << 20;
  slow_->turn.release(1000);
  const std::string heard = ask_for("/slow");
  EXPECT_LE(body(heard).size(), 3u << 20);
  EXPECT_EQ(counters().failed_reads, 1u);
  EXPECT_TRUE(eventually([&] { return counters().unsent_bytes == 0 && counters().connections == 0; }));
  EXPECT_TRUE(ask_for("/text").ends_with("text"));
}
TEST_F(AFileServer, GivesBackWhatAClientHeldThatLeaves) {
  start();
  {
    Client client(server_->port());
    client.say(get("/slow"));
    slow_->turn.release(3);
    ASSERT_FALSE(client.hear_some(100).empty());
  }
  slow_->turn.release(1000);
  EXPECT_TRUE(eventually([&] { return counters().unsent_bytes == 0 && counters().connections == 0; }));
}
TEST_F(AFileServer, RefusesWhatWouldExceedItsMemory) {
  start({.max_unsent_bytes = 1 << 20});
  Client first(server_->port());
  first.say(get("/slow"));
  EXPECT_TRUE(eventually([&] { return counters().unsent_bytes > 0; }));
  Client second(server_->port());
  second.say(get("/slow"));
  EXPECT_TRUE(second.hear_some(4096).starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(counters().refused_answers, 1u);
}
TEST_F(AFileServer, ClosesTheConnectionOfAClientThatTakesNothing) {
  start({.idle_timeout = seconds(1), .rate_window = std::chrono::milliseconds(200)});
  slow_->turn.release(1000);
  Client client(server_->port());
  client.say(get("/slow"));
  EXPECT_TRUE(eventually([&] { return counters().slow_readers == 1 && counters().connections == 0; }));
}

}  // namespace
}  // namespace frond::indexer::serve
