// Bodies of HTTP responses to pages.
#include "indexer/ingest/http/content_coding.h"

#include <brotli/encode.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "common/base/check.h"
#include "tests/unit/indexer/ingest/files.h"

namespace frond::indexer::ingest {
namespace {

constexpr std::size_t kLimit = 1 << 20;

std::string deflated(std::string_view plain, int window_bits) {
  z_stream stream{};
  FROND_CHECK(deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, plain.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  FROND_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
std::string brotli(std::string_view plain) {
  std::string out(BrotliEncoderMaxCompressedSize(plain.size()) + 100, '\0');
  std::size_t size = out.size();
  FROND_CHECK(BrotliEncoderCompress(5, 22, BROTLI_MODE_TEXT, plain.size(),
                                    reinterpret_cast<const std::uint8_t*>(plain.data()), &size,
                                    reinterpret_cast<std::uint8_t*>(out.data())) != 0);
  out.resize(size);
  return out;
}
std::string chunked(std::string_view plain, std::size_t chunk) {
  std::string out;
  for (std::size_t at = 0; at < plain.size(); at += chunk) {
    const std::string_view part = plain.substr(at, chunk);
    char size[32];
    std::snprintf(size, sizeof size, "%zX;name=value\r\n", part.size());
    out.append(size).append(part).append("\r\n");
  }
  return out + "0\r\nTrailer: x\r\n\r\n";
}

struct Decoded {
  std::string page_of;
  bool too_long = false, damaged = false;
  friend bool operator==(const Decoded&, const Decoded&) = default;
};
Decoded decoded(const std::vector<Coding>& codings, std::string_view body, std::size_t piece,
                std::size_t limit = kLimit) {
  BodyDecoder decoder(codings, limit);
  Decoded got;
  for (bool more = true; more && !body.empty();) {
    more = decoder.feed(body.substr(0, piece), got.page_of);
    body.remove_prefix(std::min(piece, body.size()));
  }
  decoder.finish(got.page_of);
  got.too_long = decoder.too_long();
  got.damaged = decoder.damaged();
  return got;
}
std::string page_of(std::size_t bytes) {
  std::string text = "<!DOCTYPE html><title>A page_of</title>";
  for (std::size_t i = 0; text.size() < bytes; ++i) text += "<p>word" + std::to_string(i * 7919 % 1000);
  return text;
}

TEST(BodyDecoder, TakesEveryCodingOffInPiecesOfAnySize) {
  for (const std::size_t bytes : {1u, 40u, 100u, 5'000u, 200'000u}) {
    const std::string plain = page_of(bytes);
    const std::vector<std::pair<std::vector<Coding>, std::string>> bodies = {
        {{}, plain},
        {{Coding::kChunked}, chunked(plain, 100)},
        {{Coding::kChunked}, chunked(plain, 100'000)},
        {{Coding::kGzip}, gzipped(plain)},
        {{Coding::kGzip},
         gzipped(plain.substr(0, 30)) + gzipped(plain.substr(std::min<std::size_t>(30, plain.size())))},
        {{Coding::kDeflate}, deflated(plain, 15)},
        {{Coding::kDeflate}, deflated(plain, -15)},
        {{Coding::kBrotli}, brotli(plain)},
        {{Coding::kZstd}, zstd_compressed(plain)},
        {{Coding::kChunked, Coding::kGzip}, chunked(gzipped(plain), 77)},
        {{Coding::kChunked, Coding::kGzip, Coding::kBrotli}, chunked(gzipped(brotli(plain)), 1000)},
    };
    for (const auto& [codings, body] : bodies)
      for (const std::size_t piece : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{4096}, body.size()})
        EXPECT_EQ(decoded(codings, body, piece), (Decoded{plain, false, false}))
            << bytes << " bytes, codings " << codings.size() << ", pieces of " << piece;
  }
}
// Archives store decoded bodies below heads that name the codings.
TEST(BodyDecoder, LeavesACodingOutThatTheBodyHasNot) {
  const std::string plain = page_of(10'000);
  for (const Coding coding : {Coding::kChunked, Coding::kGzip, Coding::kDeflate, Coding::kBrotli, Coding::kZstd})
    for (const std::size_t piece : {1u, 50u, 100'000u})
      EXPECT_EQ(decoded({coding}, plain, piece).page_of, plain) << static_cast<int>(coding);
  EXPECT_EQ(decoded({Coding::kChunked, Coding::kGzip}, gzipped(plain), 1000).page_of, plain);
  EXPECT_EQ(decoded({Coding::kChunked, Coding::kGzip}, chunked(plain, 500), 1000).page_of, plain);
  EXPECT_EQ(decoded({Coding::kGzip}, "short", 5).page_of, "short");
}
TEST(BodyDecoder, KeepsWhatThereIsOfABodyThatIsCutShort) {
  const std::string plain = page_of(300'000), body = gzipped(plain);
  const Decoded cut = decoded({Coding::kGzip}, body.substr(0, body.size() / 2), 1000);
  EXPECT_GT(cut.page_of.size(), plain.size() / 8);
  EXPECT_TRUE(plain.starts_with(cut.page_of));
  EXPECT_FALSE(cut.damaged);
  const Decoded chunks = decoded({Coding::kChunked}, "5\r\nhello\r\n6\r\n world\r\nno size", 1000);
  EXPECT_EQ(chunks, (Decoded{"hello world", false, false}));
}
// Brotli has no checksum.
TEST(BodyDecoder, SaysThatCompressionIsDamaged) {
  const std::string plain = page_of(300'000);
  for (const auto& [coding, body] :
       std::vector<std::pair<Coding, std::string>>{{Coding::kGzip, gzipped(plain)},
                                                   {Coding::kDeflate, deflated(plain, 15)},
                                                   {Coding::kZstd, zstd_compressed(plain)}}) {
    std::string damaged = body;
    for (std::size_t i = 200; i < 260; ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
    EXPECT_TRUE(decoded({coding}, damaged, 100).damaged) << static_cast<int>(coding);
  }
}
TEST(BodyDecoder, StopsAtTheLimitHoweverSmallTheBody) {
  const std::string zeros(4 * kLimit, 'a');
  for (const auto& [coding, body] :
       std::vector<std::pair<Coding, std::string>>{{Coding::kGzip, gzipped(zeros)},
                                                   {Coding::kBrotli, brotli(zeros)},
                                                   {Coding::kZstd, zstd_compressed(zeros)}}) {
    const Decoded got = decoded({coding}, body, 100);
    EXPECT_TRUE(got.too_long);
    EXPECT_LE(got.page_of.size(), kLimit);
  }
  EXPECT_FALSE(decoded({}, zeros.substr(0, kLimit), 1000).too_long);
  EXPECT_TRUE(decoded({}, zeros.substr(0, kLimit + 1), 1000).too_long);
  // Empty members of gzip, which give nothing however many there are.
  std::string empty;
  while (empty.size() < 16 * kLimit) empty += gzipped("");
  EXPECT_TRUE(decoded({Coding::kGzip, Coding::kGzip}, gzipped(empty), 1000).too_long);
}

TEST(Codings, AreTakenOffFromTheLastToTheFirst) {
  std::vector<Coding> codings;
  EXPECT_TRUE(add_codings("gzip, Chunked", codings));
  EXPECT_TRUE(add_codings("identity, x-gzip,br", codings));
  EXPECT_EQ(codings, (std::vector{Coding::kChunked, Coding::kGzip, Coding::kBrotli, Coding::kGzip}));
  EXPECT_FALSE(add_codings("gzip", codings));  // too many
  codings.clear();
  EXPECT_FALSE(add_codings("compress", codings));
  EXPECT_FALSE(add_codings("br, zstd", codings));
  EXPECT_TRUE(add_codings("", codings));
}

}  // namespace
}  // namespace frond::indexer::ingest
