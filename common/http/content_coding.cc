#include "common/http/content_coding.h"

#include <zlib.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>

namespace frond::http {
namespace {

constexpr std::size_t kFirst = 64 << 10;  // bytes of room to begin with

// Ends the stream when it ends.
struct Inflater {
  z_stream stream{};
  bool ready = false;
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
};

}  // namespace

Result<std::string> decoded_body(std::string_view coding, std::string_view body, std::size_t max_bytes) {
  using boost::beast::iequals;
  if (iequals(coding, "identity")) return std::string(body);
  if (!iequals(coding, "gzip") && !iequals(coding, "x-gzip") && !iequals(coding, "deflate"))
    return Error(Code::kInvalid, "The body has the Content-Encoding '" + std::string(coding.substr(0, 40)) +
                                     "'; gzip and deflate are decoded here");
  Inflater inflater;
  constexpr int kGzipOrZlib = 15 + 32;
  if (inflateInit2(&inflater.stream, kGzipOrZlib) != Z_OK) return Error(Code::kInvalid, "zlib has no memory");
  inflater.ready = true;
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));  // NOLINT: zlib's interface
  stream.avail_in = static_cast<uInt>(body.size());
  std::string decoded;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    const std::size_t have = decoded.size();
    if (have == max_bytes + 1)
      return Error(Code::kOverloaded, "The decoded body may have " + std::to_string(max_bytes) + " bytes");
    decoded.resize(std::min(std::max(kFirst, 2 * have), max_bytes + 1));
    stream.next_out = reinterpret_cast<Bytef*>(decoded.data() + have);  // NOLINT
    stream.avail_out = static_cast<uInt>(decoded.size() - have);
    state = inflate(&stream, Z_NO_FLUSH);
    decoded.resize(decoded.size() - stream.avail_out);
    const bool cut = state == Z_OK && stream.avail_in == 0 && stream.avail_out > 0;
    if ((state != Z_OK && state != Z_STREAM_END) || cut)
      return Error(Code::kInvalid, "The body is no whole " + std::string(coding.substr(0, 40)) + " stream");
  }
  if (stream.avail_in > 0) return Error(Code::kInvalid, "There are bytes behind the end of the compressed body");
  if (decoded.size() > max_bytes)
    return Error(Code::kOverloaded, "The decoded body may have " + std::to_string(max_bytes) + " bytes");
  return decoded;
}

}  // namespace frond::http
