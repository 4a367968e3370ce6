#include "common/objects/signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>

#include "common/base/check.h"

namespace frond::objects {
namespace {

std::string hex_of(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac;
  unsigned size = 0;
  FROND_CHECK(::HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                     reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &size) != nullptr);
  return {reinterpret_cast<const char*>(mac.data()), size};
}

Fields sorted_headers(const RequestToSign& request) {
  Fields headers = request.headers;
  std::sort(headers.begin(), headers.end());
  return headers;
}

// "host;x-amz-date"
std::string signed_names(const Fields& sorted) {
  std::string names;
  for (const auto& [name, value] : sorted) names += (names.empty() ? "" : ";") + name;
  return names;
}

// Without spaces at the ends, and with single ones inside.
std::string trimmed(std::string_view value) {
  std::string text;
  for (const char c : value) {
    const bool space = c == ' ' || c == '\t';
    if (!space) text += c;
    if (space && !text.empty() && text.back() != ' ') text += ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace

std::string percent_encode(std::string_view text, bool keep_slash) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 128 && std::isalnum(byte)) || c == '-' || c == '.' || c == '_' || c == '~';
    if (plain || (c == '/' && keep_slash)) {
      encoded += c;
    } else {
      encoded += '%';
      encoded += kDigits[byte >> 4];
      encoded += kDigits[byte & 15];
    }
  }
  return encoded;
}

std::string canonical_query(const Fields& query) {
  Fields encoded;
  for (const auto& [name, value] : query)
    encoded.emplace_back(percent_encode(name, /*keep_slash=*/false), percent_encode(value, /*keep_slash=*/false));
  std::sort(encoded.begin(), encoded.end());
  std::string text;
  for (const auto& [name, value] : encoded) text.append(text.empty() ? "" : "&").append(name).append("=").append(value);
  return text;
}

std::string canonical_request(const RequestToSign& request) {
  const Fields headers = sorted_headers(request);
  std::string text = request.method + "\n" + percent_encode(request.path, /*keep_slash=*/true) + "\n" +
                     canonical_query(request.query) + "\n";
  for (const auto& [name, value] : headers) text += name + ":" + trimmed(value) + "\n";
  return text + "\n" + signed_names(headers) + "\n" + request.payload_sha256;
}

std::string authorization(const RequestToSign& request, const Credentials& credentials, const Scope& scope,
                          std::string_view timestamp) {
  const std::string date(timestamp.substr(0, 8));
  const std::string within = date + "/" + scope.region + "/" + scope.service + "/aws4_request";
  const std::string to_sign = "AWS4-HMAC-SHA256\n" + std::string(timestamp) + "\n" + within + "\n" +
                              sha256_hex(as_bytes(canonical_request(request)));
  std::string key = hmac_sha256("AWS4" + credentials.secret, date);
  for (const std::string_view part :
       {std::string_view(scope.region), std::string_view(scope.service), std::string_view("aws4_request")})
    key = hmac_sha256(key, part);
  return "AWS4-HMAC-SHA256 Credential=" + credentials.key_id + "/" + within +
         ", SignedHeaders=" + signed_names(sorted_headers(request)) +
         ", Signature=" + hex_of(hmac_sha256(key, to_sign));
}

std::string timestamp_of(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  struct tm utc {};
  ::gmtime_r(&seconds, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc)};
}

Sha256::Sha256() : state_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  FROND_CHECK(state_ != nullptr && EVP_DigestInit_ex(state_.get(), EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;

void Sha256::update(ByteView piece) { FROND_CHECK(EVP_DigestUpdate(state_.get(), piece.data(), piece.size()) == 1); }

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  FROND_CHECK(EVP_DigestFinal_ex(state_.get(), digest.data(), &size) == 1);
  return hex_of({reinterpret_cast<const char*>(digest.data()), size});
}

std::string sha256_hex(ByteView bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

}  // namespace frond::objects
