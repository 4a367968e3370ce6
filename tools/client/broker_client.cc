#include "tools/client/broker_client.h"

#include <cstdlib>
#include <utility>

#include "common/base/lines.h"
#include "common/files/read.h"
#include "common/keys/api_key.h"

namespace frond::tools {

namespace {

constexpr std::size_t kMaxFileBytes = 4096;

Result<std::string> read_key(const std::string& file) {
  std::string key(without_mark(FROND_TRY(files::read_input(file, kMaxFileBytes))));
  key.erase(key.find_last_not_of(" \t\r\n") + 1);
  return key;
}

}  // namespace

Result<std::string> authorization(const std::string& file) {
  const char* const variable = std::getenv(kKeyVariable);
  if (file.empty() && (variable == nullptr || *variable == '\0')) return std::string();
  const std::string key = file.empty() ? std::string(variable) : FROND_TRY(read_key(file));
  if (!keys::is_key(key))
    return Error(Code::kInvalid,
                 (file.empty() ? kKeyVariable : file) + ": that is no API key (frond keygen --api-key)");
  return "Authorization: Bearer " + key + "\r\n";
}

Result<Reply> BrokerClient::get(std::string_view target) {
  const std::string request = "GET " + url_.path + std::string(target) + " HTTP/1.1\r\nHost: " + url_.authority() +
                              "\r\nAccept: application/json\r\n" + authorization_ + "\r\n";
  const bool reused = stream_.open();
  auto reply = exchange(request);
  if (!reply) stream_.close();
  // The broker may have closed the idle connection since the last request. Sending a search twice is safe.
  if (!reply && reused && reply.error().code() == Code::kUnavailable) {
    reply = exchange(request);
    if (!reply) stream_.close();
  }
  if (!reply) return std::move(reply).error().within("broker " + url_.authority());
  return reply;
}

Result<Reply> BrokerClient::exchange(const std::string& request) {
  if (!stream_.open()) {
    stream_ = FROND_TRY(http::ClientStream::connect(url_.host, url_.port, trust_.get(), timeout_));
    reader_.reset();
  }
  FROND_TRY(stream_.write_all(request));
  return receive();
}

Result<Reply> BrokerClient::receive() {
  for (;;) {
    const auto ready = FROND_TRY(reader_.next());
    if (ready) {
      Reply reply{ready->status, std::string(ready->body), ready->retry_after_s};
      if (!ready->keep_alive) stream_.close();
      return reply;
    }
    constexpr std::size_t kRead = 64 << 10;
    char* to = reader_.room(kRead);
    const auto got = FROND_TRY(stream_.read_some({to, reader_.room_size()}));
    if (got == 0) return Error(Code::kUnavailable, "the connection was closed before the reply was whole");
    reader_.received(got);
  }
}

}  // namespace frond::tools
