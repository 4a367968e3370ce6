#include "tools/client/reply_reader.h"

#include <gtest/gtest.h>

#include <cstring>

namespace frond::tools {
namespace {

void feed(ReplyReader& reader, std::string_view bytes) {
  std::memcpy(reader.room(bytes.size()), bytes.data(), bytes.size());
  reader.received(bytes.size());
}

TEST(ReplyReader, GivesTheSameRepliesWhateverThePiecesAre) {
  const std::string stream =
      "HTTP/1.1 200 OK\r\nContent-Type: x\r\ncontent-LENGTH: 5\r\n\r\nhello"
      "HTTP/1.1 429 Too Many\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      "HTTP/1.1 204 None\r\n\r\n";
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    ReplyReader reader;
    std::string seen;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      feed(reader, std::string_view(stream).substr(at, piece));
      for (auto reply = reader.next(); reply && *reply; reply = reader.next())
        seen +=
            std::to_string((*reply)->status) + ((*reply)->keep_alive ? "+" : "-") + std::string((*reply)->body) + ";";
    }
    EXPECT_EQ(seen, "200+hello;429-;204+;") << "pieces of " << piece;
    EXPECT_TRUE(reader.empty());
  }
}

// These ends would never come: the other side waits, too.
TEST(ReplyReader, WaitsForNothingThatAnotherProtocolSays) {
  for (const std::string_view first : {"\xff\0\0\0\0\0\0\0\x01\x7f", "\x15\x03\x01", "SSH-2.0", "HTTQ"}) {
    ReplyReader reader;
    feed(reader, first);
    EXPECT_FALSE(reader.next()) << first;
  }
  ReplyReader reader;
  feed(reader, "\xff");
  EXPECT_NE(reader.next().error().message().find("ZeroMQ"), std::string::npos);
}

TEST(ReplyReader, CallsWhatItCannotReadCorrupt) {
  for (const std::string_view stream :
       {"SMTP ready\r\n\r\n", "HTTP/1.1 2x0 OK\r\nContent-Length: 1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"}) {
    ReplyReader reader;
    feed(reader, stream);
    const auto reply = reader.next();
    ASSERT_FALSE(reply) << stream;
    EXPECT_EQ(reply.error().code(), Code::kCorrupt) << stream;
  }
}

TEST(ReplyReader, TellsAReplyThatIsTooLargeFromOneThatIsNone) {
  ReplyReader reader;
  feed(reader, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(ReplyReader::kMaxBody + 1) + "\r\n\r\n");
  EXPECT_EQ(reader.next().error().code(), Code::kOverloaded);
}

TEST(ReplyReader, DoesNotWaitForAHeadWithoutEnd) {
  ReplyReader reader;
  feed(reader, "HTTP/1.1 200 OK\r\nX: " + std::string(ReplyReader::kMaxHead, 'x'));
  EXPECT_FALSE(reader.next());
}

}  // namespace
}  // namespace frond::tools
