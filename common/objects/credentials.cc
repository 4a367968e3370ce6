#include "common/objects/credentials.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "common/base/lines.h"
#include "common/files/read.h"

namespace frond::objects {
namespace {

constexpr std::size_t kMaxCredentialsBytes = 64 << 10, kMaxSecretBytes = 8 << 10;
constexpr std::chrono::seconds kReadAgain{10};

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  while (!text.empty() && kSpaces.find(text.front()) != text.npos) text.remove_prefix(1);
  while (!text.empty() && kSpaces.find(text.back()) != text.npos) text.remove_suffix(1);
  return text;
}

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
  return value == nullptr ? std::string() : std::string(trim(value));
}

}  // namespace

Result<Credentials> parse_credentials(std::string_view text) {
  Credentials found;
  bool ours = true;
  Lines lines(text);
  while (const auto next = lines.next()) {
    const std::string_view line = trim(*next);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      ours = line == "[default]";
      continue;
    }
    const auto equals = line.find('=');
    if (!ours || equals == line.npos) continue;
    const std::string_view name = trim(line.substr(0, equals)), value = trim(line.substr(equals + 1));
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
