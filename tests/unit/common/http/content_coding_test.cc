#include "common/http/content_coding.h"
#include "common/http/letter_case.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <random>
#include <string>
#include <vector>

namespace frond::http {
namespace {

std::string zlib_stream(const std::string& text) {
  std::string out(compressBound(text.size()), '\0');
  uLongf bytes = out.size();
  compress(reinterpret_cast<Bytef*>(out.data()), &bytes, reinterpret_cast<const Bytef*>(text.data()), text.size());
  out.resize(bytes);
  return out;
}
std::string zstd_frame(const std::string& text, int window_log = 0) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  if (window_log > 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  ZSTD_inBuffer from{text.data(), text.size(), 0};
  ZSTD_compressStream2(context, &to, &from, ZSTD_e_flush);  // so that it does not fit its window to the text
  ZSTD_compressStream2(context, &to, &from, ZSTD_e_end);
  out.resize(to.pos);
  ZSTD_freeCCtx(context);
  return out;
}
struct CodedText {
  const char* coding;
  std::string body;
};
std::vector<CodedText> in_all_codings(const std::string& text) {
  return {{"deflate", zlib_stream(text)},
          {"gzip", *encoded_body(AnswerCoding::kGzip, text)},
          {"X-GZIP", *encoded_body(AnswerCoding::kGzip, text)},
          {"zstd", zstd_frame(text)},
          {"ZSTD", *encoded_body(AnswerCoding::kZstd, text)}};
}

TEST(ACoding, HasLettersOfEitherCase) {
  static_assert(iequals("GZIP", "gzip") && iequals("", "") && iequals("Q", "q"));
  static_assert(!iequals("GZIP", "gziq") && !iequals("gzip", "gzi") && !iequals("[", "{") && !iequals("\xc4", "\xe4"));
}
TEST(ADecodedBody, IsWhatWasEncoded) {
  for (const std::size_t bytes : {100ul, 65'536ul, 1'000'000ul})
    for (const auto& [coding, body] : in_all_codings(std::string(bytes, 'x')))
      EXPECT_EQ(*decoded_body(coding, body, bytes), std::string(bytes, 'x')) << coding;
}
TEST(ADecodedBody, IsNoLongerThanItMay) {
  for (const auto& [coding, body] : in_all_codings(std::string(100'000, 'x'))) {
    EXPECT_EQ(decoded_body(coding, body, 99'999), Code::kOverloaded) << coding;
    EXPECT_EQ(decoded_body(coding, body, 1), Code::kOverloaded) << coding;
  }
}
TEST(ADecodedBody, HoldsNoMoreMemoryThanItNeeds) {
  for (const auto& [coding, body] : in_all_codings(std::string(70'000, 'x')))
    EXPECT_LT(decoded_body(coding, body, 1 << 20)->capacity(), 80'000u) << coding;
}
TEST(ADecodedBody, IsWholeAndEndsWhereItSays) {
  for (const auto& [coding, body] : in_all_codings(std::string(1000, 'x') + "end")) {
    for (std::size_t bytes = 0; bytes < body.size(); ++bytes)
      EXPECT_EQ(decoded_body(coding, body.substr(0, bytes), 2000), Code::kInvalid) << coding << " " << bytes;
    EXPECT_EQ(decoded_body(coding, body + "x", 2000), Code::kInvalid) << coding;
  }
}
TEST(ADecodedBody, MayHaveSeveralFramesOfZstd) {
  EXPECT_EQ(*decoded_body("zstd", zstd_frame("one ") + zstd_frame("two"), 7), "one two");
  EXPECT_EQ(decoded_body("zstd", zstd_frame("one ") + zstd_frame("two").substr(0, 5), 7), Code::kInvalid);
}
TEST(ADecodedBody, NeedsNoLargeWindow) {
  const std::string text(1000, 'x');
  EXPECT_EQ(*decoded_body("zstd", zstd_frame(text, 23), 1000), text);
  EXPECT_EQ(decoded_body("zstd", zstd_frame(text, 24), 1000), Code::kInvalid);
}

TEST(AnAnswersCoding, IsWhatItsClientAccepts) {
  using enum AnswerCoding;
  const std::pair<const char*, AnswerCoding> kCases[] = {{"", kIdentity},
                                                         {"identity", kIdentity},
                                                         {"br", kIdentity},
                                                         {"gzip", kGzip},
                                                         {"gzip, deflate", kGzip},
                                                         {"gzip, deflate, br, zstd", kZstd},
                                                         {"ZSTD", kZstd},
                                                         {"zstd;q=0.5, gzip", kGzip},
                                                         {"gzip;q=0", kIdentity},
                                                         {"gzip;q=0.000,zstd;q=0", kIdentity},
                                                         {"*", kGzip},
                                                         {"*;q=0", kIdentity},
                                                         {"gzip ; q=0.1", kGzip},
                                                         {"zstd;q=0, *", kGzip},
                                                         {"gzip;q=nonsense", kGzip},
                                                         {"gzip;q=nan", kGzip},
                                                         {"gzip;Q=0", kIdentity},
                                                         {"gzip;x=1; q=0", kIdentity},
                                                         {"gzip;q=0.19,zstd;q=0.2", kZstd},
                                                         {"gzip;q=0.201,zstd;q=0.2", kGzip},
                                                         {"gzip;q", kGzip},
                                                         {",,;,", kIdentity}};
  for (const auto& [field, coding] : kCases) EXPECT_EQ(accepted_coding(field), coding) << field;
}
TEST(AnEncodedBody, IsSmallerOrNone) {
  std::mt19937 random(1);
  std::string noise(10'000, ' ');
  for (char& c : noise) c = static_cast<char>(random());
  for (const auto coding : {AnswerCoding::kGzip, AnswerCoding::kZstd}) {
    EXPECT_FALSE(encoded_body(coding, noise));
    EXPECT_FALSE(encoded_body(coding, ""));
    EXPECT_LT(encoded_body(coding, std::string(10'000, 'x'))->size(), 200u);
  }
  EXPECT_FALSE(encoded_body(AnswerCoding::kIdentity, std::string(10'000, 'x')));
}

}  // namespace
}  // namespace frond::http
