#include "common/http/content_coding.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "common/base/text.h"
#include "common/http/letter_case.h"

namespace frond::http {
namespace {

constexpr std::size_t kFirst = 64 << 10;  // bytes of room to begin with
constexpr int kMaxWindowLog = 23;         // 8 MiB, which RFC 9659 says is enough
constexpr int kGzip = 15 + 16, kGzipOrZlib = 15 + 32, kGzipMemory = 8;
constexpr int kFastGzip = 1, kFastZstd = 1;

// One step of a decoder: what it took from the body and gave.
struct Step {
  std::size_t used = 0, made = 0;
  bool whole = false;  // the body may end here
};

class Zlib {
 public:
  Zlib() : ready_(inflateInit2(&stream_, kGzipOrZlib) == Z_OK) {}
  ~Zlib() {
    if (ready_) inflateEnd(&stream_);
  }
  Zlib(const Zlib&) = delete;
  Zlib& operator=(const Zlib&) = delete;
  // nullopt: no such stream, or no memory.
  std::optional<Step> step(std::string_view in, char* out, std::size_t room) {
    if (!ready_ || ended_) return std::nullopt;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // NOLINT: zlib's interface
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);  // NOLINT
    stream_.avail_out = static_cast<uInt>(room);
    const int state = inflate(&stream_, Z_NO_FLUSH);
    ended_ = state == Z_STREAM_END;
    if (state != Z_OK && state != Z_BUF_ERROR && !ended_) return std::nullopt;
    return Step{in.size() - stream_.avail_in, room - stream_.avail_out, ended_};
  }

 private:
  z_stream stream_{};
  const bool ready_;
  bool ended_ = false;
};

// A body may have several frames.
class Zstd {
 public:
  Zstd() : context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (context_) ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  }
  std::optional<Step> step(std::string_view in, char* out, std::size_t room) {
    if (!context_) return std::nullopt;
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out, room, 0};
    const std::size_t hint = ZSTD_decompressStream(context_.get(), &to, &from);
    if (ZSTD_isError(hint)) return std::nullopt;
    return Step{from.pos, to.pos, hint == 0};
  }

 private:
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
};

Error too_large(std::size_t max_bytes) {
  return Error(Code::kOverloaded, "The decoded body may have " + std::to_string(max_bytes) + " bytes");
}

template <class Decoder>
Result<std::string> decode(Decoder decoder, std::string_view coding, std::string_view body, std::size_t max_bytes) {
  std::string decoded;
  std::size_t have = 0;
  for (bool whole = false; !whole || !body.empty();) {
    if (have == decoded.size()) decoded.resize(std::min(std::max(kFirst, 2 * have), max_bytes + 1));
    const auto step = decoder.step(body, decoded.data() + have, decoded.size() - have);
    if (!step || (step->used == 0 && step->made == 0 && (!step->whole || !body.empty())))
      return Error(Code::kInvalid, "The body is no whole " + std::string(coding.substr(0, 40)) + " stream");
    body.remove_prefix(step->used);
    have += step->made;
    whole = step->whole;
    if (have > max_bytes) return too_large(max_bytes);
  }
  decoded.resize(have);
  if (decoded.capacity() > have + have / 8) decoded.shrink_to_fit();
  return decoded;
}

// The weight of one coding, of ";q=0.5", in thousandths; 1,000 where none can be read.
int weight_of(std::string_view parameters) {
  while (!parameters.empty()) {
    const auto end = std::min(parameters.find(';', 1), parameters.size());
    const std::string_view one = trimmed(parameters.substr(1, end - 1));
    parameters.remove_prefix(end);
    if (!iequals(one.substr(0, 2), "q=")) continue;
    const std::string_view text = one.substr(2);
    if (text != "0" && !text.starts_with("0.")) return 1000;
    int weight = 0;
    for (std::size_t i = 2; i < 5; ++i)
      weight = 10 * weight + (i < text.size() && text[i] >= '0' && text[i] <= '9' ? text[i] - '0' : 0);
    return weight;
  }
  return 1000;
}

std::optional<std::string> gzipped(std::string_view body) {
  z_stream stream{};
  if (deflateInit2(&stream, kFastGzip, Z_DEFLATED, kGzip, kGzipMemory, Z_DEFAULT_STRATEGY) != Z_OK) return std::nullopt;
  std::string out(body.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));  // NOLINT: zlib's interface
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());  // NOLINT
  stream.avail_out = static_cast<uInt>(out.size());
  const int state = deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  if (state != Z_STREAM_END) return std::nullopt;
  return out;
}

std::optional<std::string> zstd_of(std::string_view body) {
  std::string out(body.size(), '\0');
  const std::size_t bytes = ZSTD_compress(out.data(), out.size(), body.data(), body.size(), kFastZstd);
  if (ZSTD_isError(bytes)) return std::nullopt;
  out.resize(bytes);
  return out;
}

}  // namespace

bool is_coded(std::string_view coding) { return !coding.empty() && !iequals(coding, "identity"); }
bool can_decode(std::string_view coding) {
  return iequals(coding, "gzip") || iequals(coding, "x-gzip") || iequals(coding, "deflate") || iequals(coding, "zstd");
}

Result<std::string> decoded_body(std::string_view coding, std::string_view body, std::size_t max_bytes) {
  if (iequals(coding, "zstd")) return decode(Zstd(), coding, body, max_bytes);
  return decode(Zlib(), coding, body, max_bytes);
}

std::string_view name_of(AnswerCoding coding) {
  return coding == AnswerCoding::kGzip ? "gzip" : coding == AnswerCoding::kZstd ? "zstd" : "identity";
}

AnswerCoding accepted_coding(std::string_view accept_encoding) {
  int any = 0, gzip = -1, zstd = -1;
  while (!accept_encoding.empty()) {
    const auto end = std::min(accept_encoding.find(','), accept_encoding.size());
    const std::string_view one = accept_encoding.substr(0, end);
    accept_encoding.remove_prefix(std::min(end + 1, accept_encoding.size()));
    const auto semicolon = std::min(one.find(';'), one.size());
    const std::string_view name = trimmed(one.substr(0, semicolon));
    const int weight = weight_of(one.substr(semicolon));
    if (iequals(name, "gzip") || iequals(name, "x-gzip")) gzip = weight;
    if (iequals(name, "zstd")) zstd = weight;
    if (name == "*") any = weight;
  }
  if (gzip < 0) gzip = any;
  if (zstd <= 0 && gzip <= 0) return AnswerCoding::kIdentity;
  return zstd >= gzip ? AnswerCoding::kZstd : AnswerCoding::kGzip;
}

std::optional<std::string> encoded_body(AnswerCoding coding, std::string_view body) {
  if (coding == AnswerCoding::kIdentity || body.empty()) return std::nullopt;
  auto encoded = coding == AnswerCoding::kGzip ? gzipped(body) : zstd_of(body);
  if (encoded && encoded->size() >= body.size()) return std::nullopt;
  return encoded;
}

bool is_worth_coding(std::string_view content_type) {
  const auto has = [&](std::string_view part) { return content_type.find(part) != std::string_view::npos; };
  return content_type.starts_with("text/") || has("json") || has("javascript") || has("xml");
}

}  // namespace frond::http
