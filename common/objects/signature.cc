#include "common/objects/signature.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "common/base/lines.h"
#include "common/base/text.h"
#include "common/files/read.h"
#include "common/tls/digest.h"

namespace frond::objects {
namespace {

constexpr std::string_view kEnd = "aws4_request";  // of a scope

std::string_view text_of(const tls::Sha256& digest) { return as_text(std::as_bytes(std::span(digest))); }

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
std::string canonical_value(std::string_view value) {
  std::string text;
  for (const char c : value) {
    const bool space = c == ' ' || c == '\t';
    if (!space) text += c;
    if (space && !text.empty() && text.back() != ' ') text += ' ';
  }
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

constexpr std::size_t kMaxCredentialsBytes = 64 << 10, kMaxSecretBytes = 8 << 10;
constexpr std::chrono::seconds kReadAgain{10};

// They go into headers.
bool is_value(std::string_view text) {
  return !text.empty() && text.size() <= kMaxSecretBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 127; });
}

Result<Credentials> checked(Credentials found, std::string_view id, std::string_view secret, std::string_view token) {
  const auto expect = [](std::string_view value, std::string_view name) -> Result<void> {
    if (is_value(value)) return {};
    return Error(Code::kInvalid, std::string(name) + (value.empty() ? " is missing" : " is malformed"));
  };
  FROND_TRY(expect(found.key_id, id));
  FROND_TRY(expect(found.secret, secret));
  if (!found.session_token.empty()) FROND_TRY(expect(found.session_token, token));
  return found;
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(trimmed(value));
}

}  // namespace

std::string canonical_query(const Fields& query) {
  Fields encoded;
  for (const auto& [name, value] : query) encoded.emplace_back(percent_encoded(name), percent_encoded(value));
  std::sort(encoded.begin(), encoded.end());
  std::string text;
  for (const auto& [name, value] : encoded) text.append(text.empty() ? "" : "&").append(name).append("=").append(value);
  return text;
}

std::string canonical_request(const RequestToSign& request) {
  const Fields headers = sorted_headers(request);
  std::string text = request.method + "\n" + percent_encoded(request.path, kPlainInPaths) + "\n" +
                     canonical_query(request.query) + "\n";
  for (const auto& [name, value] : headers) text += name + ":" + canonical_value(value) + "\n";
  return text + "\n" + signed_names(headers) + "\n" + request.payload_sha256;
}

std::string authorization(const RequestToSign& request, const Credentials& credentials, const Scope& scope,
                          std::string_view timestamp) {
  const std::string date(timestamp.substr(0, 8));
  const std::string within = date + "/" + scope.region + "/" + scope.service + "/" + std::string(kEnd);
  const std::string to_sign = "AWS4-HMAC-SHA256\n" + std::string(timestamp) + "\n" + within + "\n" +
                              sha256_hex(as_bytes(canonical_request(request)));
  tls::Sha256 key = tls::hmac_sha256("AWS4" + credentials.secret, date);
  for (const std::string_view part : {std::string_view(scope.region), std::string_view(scope.service), kEnd})
    key = tls::hmac_sha256(text_of(key), part);
  return "AWS4-HMAC-SHA256 Credential=" + credentials.key_id + "/" + within +
         ", SignedHeaders=" + signed_names(sorted_headers(request)) +
         ", Signature=" + hex_text(as_bytes(text_of(tls::hmac_sha256(text_of(key), to_sign))));
}

std::string sha256_hex(ByteView bytes) { return hex_text(as_bytes(text_of(tls::sha256(as_text(bytes))))); }

Result<Credentials> parse_credentials(std::string_view text) {
  Credentials found;
  bool ours = true;
  Lines lines(text);
  while (const auto next = lines.next()) {
    const std::string_view line = trimmed(*next);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      ours = line == "[default]";
      continue;
    }
    const auto equals = line.find('=');
    if (!ours || equals == line.npos) continue;
    const std::string_view name = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (name == "aws_access_key_id") found.key_id = value;
    if (name == "aws_secret_access_key") found.secret = value;
    if (name == "aws_session_token") found.session_token = value;
  }
  return checked(std::move(found), "aws_access_key_id", "aws_secret_access_key", "aws_session_token");
}

Result<Credentials> CredentialSource::read() const {
  if (file_.empty()) {
    auto found = checked(
        {environment("AWS_ACCESS_KEY_ID"), environment("AWS_SECRET_ACCESS_KEY"), environment("AWS_SESSION_TOKEN")},
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN");
    if (!found) return std::move(found).error().within("credentials of the object store, from the environment");
    return found;
  }
  const auto text = files::read_text(file_, kMaxCredentialsBytes);
  if (!text) return Error(Code::kInvalid, "credentials of the object store: " + text.error().message());
  auto found = parse_credentials(*text);
  if (!found) return std::move(found).error().within("credentials of the object store, " + file_.string());
  return found;
}

Result<Credentials> CredentialSource::get() const {
  const MutexLock lock(mutex_);  // also while the file is read: it is small, and on a local disk
  const auto now = std::chrono::steady_clock::now();
  if (known_ && now < read_at_ + kReadAgain) return last_;
  auto found = read();
  if (!found && !known_) return found;
  if (found) last_ = *std::move(found);
  known_ = true;
  read_at_ = now;
  return last_;
}

}  // namespace frond::objects
