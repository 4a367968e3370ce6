#include "tests/support/objects/object_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <ctime>
#include <set>

#include "common/base/check.h"

namespace frond::support {
namespace {

constexpr std::string_view kBucket = "/bucket/";

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      plain += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string time_text(std::int64_t seconds, const char* format) {
  const std::time_t time = seconds;
  struct tm utc {};
  ::gmtime_r(&time, &utc);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &utc)};
}
std::string http_time(std::int64_t seconds) { return time_text(seconds, "%a, %d %b %Y %H:%M:%S GMT"); }
std::int64_t now() { return std::time(nullptr); }

std::string header(const SeenRequest& request, const std::string& name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string() : found->second;
}
std::string parameter(const SeenRequest& request, const std::string& name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? std::string() : found->second;
}

// Waits for the client to close the connection.
void wait_for_end(int socket, const std::atomic<bool>& stop) {
  while (!stop) {
    pollfd waiting{socket, POLLIN, 0};
    char byte = 0;
    if (::poll(&waiting, 1, 20) > 0 && ::recv(socket, &byte, 1, 0) <= 0) return;
  }
}

}  // namespace

struct ObjectServer::Reply {
  int status = 200;
  std::string body;
  std::map<std::string, std::string> headers;
  std::size_t head_bytes = 0;  // Content-Length of an answer to HEAD
  static Reply error(int status, const std::string& code) {
    return {status,
            "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>as the test wants</Message></Error>",
            {}};
  }
};

ObjectServer::ObjectServer(Options options, Faults faults)
    : options_(std::move(options)), faults_(std::move(faults)), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  any.sin_port = htons(options_.port);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  FROND_CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0);
  FROND_CHECK(::listen(listener_, 64) == 0);
  socklen_t size = sizeof any;
  FROND_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size) == 0);
  port_ = ntohs(any.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

ObjectServer::~ObjectServer() {
  stop_ = true;
  thread_.join();
  for (Connection& connection : connections_) {
    ::shutdown(connection.socket, SHUT_RDWR);
    connection.thread.join();
    ::close(connection.socket);
  }
  ::close(listener_);
}

void ObjectServer::set_faults(Faults faults) {
  const std::lock_guard lock(mutex_);
  faults_ = std::move(faults);
}
std::map<std::string, ObjectServer::Object> ObjectServer::objects() const {
  const std::lock_guard lock(mutex_);
  return objects_;
}
std::vector<SeenRequest> ObjectServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}
std::size_t ObjectServer::uploads() const {
  const std::lock_guard lock(mutex_);
  return uploads_.size();
}
std::string ObjectServer::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}
void ObjectServer::put(const std::string& key, std::string bytes, std::int64_t age_s) {
  const std::lock_guard lock(mutex_);
  objects_[key] = make(std::move(bytes), now() - age_s);
}
void ObjectServer::remove(const std::string& key) {
  const std::lock_guard lock(mutex_);
  objects_.erase(key);
}
void ObjectServer::grow_older(std::int64_t seconds) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, object] : objects_) object.modified -= seconds;
}

ObjectServer::Object ObjectServer::make(std::string bytes, std::int64_t modified) {
  const std::string etag = "\"" + objects::sha256_hex(as_bytes(bytes)).substr(0, 32) + "\"";
  return {std::move(bytes), etag, modified};
}

void ObjectServer::accept_all() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  while (!stop_) {
    pollfd waiting{listener_, POLLIN, 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int socket = ::accept(listener_, nullptr, nullptr);
    if (socket < 0) continue;
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (auto at = connections_.begin(); at != connections_.end();) {
      if (!at->over) {
        ++at;
        continue;
      }
      at->thread.join();
      ::close(at->socket);
      at = connections_.erase(at);
    }
    Connection& connection = connections_.emplace_back();
    connection.socket = socket;
    connection.thread = std::thread([this, &connection] {
      serve(connection);
      ::shutdown(connection.socket, SHUT_RDWR);
      connection.over = true;
    });
  }
}

void ObjectServer::serve(Connection& connection) {
  std::string input;
  std::vector<char> piece(1 << 20);
  const auto more = [&] {
    const auto got = ::recv(connection.socket, piece.data(), piece.size(), 0);
    if (got > 0) input.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  };
  while (!stop_) {
    std::size_t end = 0;
    while ((end = input.find("\r\n\r\n")) == std::string::npos)
      if (!more()) return;
    SeenRequest request;
    std::string_view head(input.data(), end);
    const std::string_view line = head.substr(0, head.find("\r\n"));
    request.method = line.substr(0, line.find(' '));
    request.target = line.substr(request.method.size() + 1, line.rfind(' ') - request.method.size() - 1);
    while (head.find("\r\n") != head.npos) {
      head.remove_prefix(head.find("\r\n") + 2);
      const std::string_view field = head.substr(0, head.find("\r\n"));
      std::string name(field.substr(0, field.find(':')));
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      std::string_view value = field.substr(std::min(field.size(), name.size() + 1));
      while (value.starts_with(' ')) value.remove_prefix(1);
      request.headers[name] = value;
    }
    const std::string length = header(request, "content-length");
    const std::size_t bytes = length.empty() ? 0 : std::stoul(length);
    input.erase(0, end + 4);
    while (input.size() < bytes)
      if (!more()) return;
    request.body = input.substr(0, bytes);
    input.erase(0, bytes);
    std::string_view query(request.target);
    const auto mark = query.find('?');
    request.key = decoded(query.substr(0, mark));
    query.remove_prefix(mark == query.npos ? query.size() : mark + 1);
    while (!query.empty()) {
      const auto pair = query.substr(0, query.find('&'));
      const auto equals = std::min(pair.find('='), pair.size());
      request.query[decoded(pair.substr(0, equals))] = decoded(pair.substr(std::min(pair.size(), equals + 1)));
      query.remove_prefix(std::min(query.size(), pair.size() + 1));
    }
    if (!handle(connection.socket, request)) return;
  }
}

// False: the connection is to be closed.
bool ObjectServer::handle(int socket, const SeenRequest& request) {
  Faults faults;
  {
    const std::lock_guard lock(mutex_);
    if (options_.records) requests_.push_back(request);
    if (options_.records) requests_.back().body.resize(std::min<std::size_t>(request.body.size(), 256));
    faults = faults_;
  }
  const Fault fault = faults ? faults(request) : Fault::kNone;
  Reply reply;
  switch (fault) {
    case Fault::kLostBefore:
      return false;
    case Fault::kSilent:
      wait_for_end(socket, stop_);
      return false;
    case Fault::kHalfHeader:
      if (send_all(socket, "HTTP/1.1 200 OK\r\nContent-Le")) wait_for_end(socket, stop_);
      return false;
    case Fault::kGarbage:
      send_all(socket, "220 this is another kind of server\r\n");
      return false;
    case Fault::kDrip:
      for (std::string_view text = "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n"; !stop_;) {
        if (!send_all(socket, text.empty() ? "." : text.substr(0, 1))) return false;
        text.remove_prefix(std::min<std::size_t>(text.size(), 1));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      return false;
    case Fault::kError500:
      reply = Reply::error(500, "InternalError");
      break;
    case Fault::kSlowDown503:
      reply = Reply::error(503, "SlowDown");
      break;
    case Fault::kErrorIn200:
      reply = Reply::error(200, "InternalError");
      break;
    default:
      reply = carry_out(request);
  }
  if (fault == Fault::kLostAfter) return false;
  if (fault == Fault::kWrongRange && reply.headers.contains("Content-Range"))
    reply.headers["Content-Range"] =
        "bytes 1-" + std::to_string(reply.body.size()) + "/" + std::to_string(reply.body.size() + 1);
  if (fault == Fault::kFlippedByte && !reply.body.empty()) reply.body[flipped_++ * 7919 % reply.body.size()] ^= 1;
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " X\r\nDate: " + http_time(now()) + "\r\n";
  for (const auto& [name, value] : reply.headers) text.append(name).append(": ").append(value).append("\r\n");
  const bool head = request.method == "HEAD";
  text += "Content-Length: " + std::to_string(head ? reply.head_bytes : reply.body.size()) + "\r\n\r\n";
  if (head) return send_all(socket, text);
  if (fault == Fault::kTruncated) {
    send_all(socket, text + reply.body.substr(0, reply.body.size() / 2));
    return false;
  }
  return send_all(socket, text + reply.body);
}

std::string ObjectServer::why_refused(const SeenRequest& request) const {
  const std::string given = header(request, "authorization");
  const auto from = given.find("SignedHeaders=");
  if (from == std::string::npos) return "no signature";
  std::string names = given.substr(from + 14);
  names.resize(names.find(','));
  objects::RequestToSign signing{request.method, request.key, {request.query.begin(), request.query.end()}, {}, {}};
  std::set<std::string> signed_names;
  for (std::size_t at = 0; at <= names.size();) {
    const auto end = std::min(names.find(';', at), names.size());
    signed_names.insert(names.substr(at, end - at));
    at = end + 1;
  }
  for (const char* needed : {"host", "x-amz-date", "x-amz-content-sha256"})
    if (!signed_names.contains(needed)) return std::string(needed) + " is not signed";
  for (const auto& [name, value] : request.headers) {
    if (signed_names.contains(name)) signing.headers.emplace_back(name, value);
    if (name.starts_with("x-amz-") && !signed_names.contains(name)) return name + " is not signed";
  }
  if (!options_.credentials.session_token.empty() &&
      header(request, "x-amz-security-token") != options_.credentials.session_token)
    return "no session token";
  signing.payload_sha256 = header(request, "x-amz-content-sha256");
  if (signing.payload_sha256 != objects::sha256_hex(as_bytes(request.body))) return "another payload than was signed";
  const std::string right =
      objects::authorization(signing, options_.credentials, {"us-east-1"}, header(request, "x-amz-date"));
  return given == right ? std::string() : "another signature";
}

ObjectServer::Reply ObjectServer::carry_out(const SeenRequest& request) {
  const std::string why = why_refused(request);
  const std::lock_guard lock(mutex_);
  if (!why.empty()) {
    refused_ = why;
    return Reply::error(403, "SignatureDoesNotMatch");
  }
  if (!request.key.starts_with(kBucket)) return Reply::error(404, "NoSuchBucket");
  SeenRequest inner = request;
  inner.key.erase(0, kBucket.size());
  if (inner.key.empty()) return list(inner);
  if (inner.query.contains("uploads") || inner.query.contains("uploadId")) return upload(inner);
  if (inner.method == "PUT") return put_object(inner);
  if (inner.method == "DELETE") {
    objects_.erase(inner.key);
    return {204, {}, {}};
  }
  return get(inner);
}

ObjectServer::Reply ObjectServer::get(const SeenRequest& request) {
  const auto found = objects_.find(request.key);
  if (found == objects_.end()) return Reply::error(404, "NoSuchKey");
  const Object& object = found->second;
  Reply reply;
  reply.headers = {{"ETag", object.etag}, {"Last-Modified", http_time(object.modified)}};
  reply.head_bytes = object.bytes.size();
  const std::string match = header(request, "if-match");
  if (!match.empty() && match != object.etag) return Reply::error(412, "PreconditionFailed");
  const std::string range = header(request, "range");
  if (range.empty() || !options_.ranges) {
    reply.body = object.bytes;
    return reply;
  }
  const auto dash = range.find('-');
  const std::size_t first = std::stoul(range.substr(6, dash - 6));
  if (first >= object.bytes.size()) return Reply::error(416, "InvalidRange");
  const std::size_t last = std::min<std::size_t>(std::stoul(range.substr(dash + 1)), object.bytes.size() - 1);
  reply.status = 206;
  reply.body = object.bytes.substr(first, last - first + 1);
  reply.headers["Content-Range"] =
      "bytes " + std::to_string(first) + "-" + std::to_string(last) + "/" + std::to_string(object.bytes.size());
  return reply;
}

ObjectServer::Reply ObjectServer::put_object(const SeenRequest& request) {
  const std::string match = header(request, "if-match"), none = header(request, "if-none-match");
  if (options_.says_no && !(match.empty() && none.empty())) return Reply::error(501, "NotImplemented");
  const auto found = objects_.find(request.key);
  if (options_.conditions) {
    if (!none.empty() && found != objects_.end()) return Reply::error(412, "PreconditionFailed");
    if (!match.empty() && found == objects_.end()) return Reply::error(404, "NoSuchKey");
    if (!match.empty() && match != found->second.etag) return Reply::error(412, "PreconditionFailed");
  }
  const Object& made = objects_[request.key] = make(request.body, now());
  return {200, {}, {{"ETag", made.etag}}};
}

ObjectServer::Reply ObjectServer::upload(const SeenRequest& request) {
  if (request.query.contains("uploads")) {
    const std::string id = "upload-" + std::to_string(next_upload_++);
    uploads_[id].key = request.key;
    return {200, "<InitiateMultipartUploadResult><UploadId>" + id + "</UploadId></InitiateMultipartUploadResult>", {}};
  }
  const auto found = uploads_.find(parameter(request, "uploadId"));
  if (found == uploads_.end() || found->second.key != request.key) return Reply::error(404, "NoSuchUpload");
  if (request.method == "DELETE") {
    uploads_.erase(found);
    return {204, {}, {}};
  }
  if (request.method == "PUT") {
    const int number = std::stoi(parameter(request, "partNumber"));
    found->second.parts[number] = request.body;
    return {200, {}, {{"ETag", make(request.body, 0).etag}}};
  }
  std::string whole;
  int number = 0;
  for (std::size_t at = 0; (at = request.body.find("<ETag>", at)) != std::string::npos; ++at) {
    const auto part = found->second.parts.find(++number);
    const std::string etag = request.body.substr(at + 6, request.body.find("</ETag>", at) - at - 6);
    if (part == found->second.parts.end() || make(part->second, 0).etag != etag)
      return Reply::error(400, "InvalidPart");
    if (!whole.empty() && found->second.parts.at(number - 1).size() < (5u << 20))
      return Reply::error(400, "EntityTooSmall");
    whole += part->second;
  }
  uploads_.erase(found);
  objects_[request.key] = make(std::move(whole), now());
  return {
      200, "<?xml version=\"1.0\"?>\n<CompleteMultipartUploadResult><Key>k</Key></CompleteMultipartUploadResult>", {}};
}

ObjectServer::Reply ObjectServer::list(const SeenRequest& request) {
  const std::string prefix = parameter(request, "prefix"), delimiter = parameter(request, "delimiter"),
                    after = parameter(request, "continuation-token");
  std::string entries, last;
  std::set<std::string> folders;
  std::size_t count = 0;
  bool truncated = false;
  for (const auto& [key, object] : objects_) {
    if (!key.starts_with(prefix)) continue;
    const auto slash = delimiter.empty() ? std::string::npos : key.find(delimiter, prefix.size());
    const std::string name = slash == std::string::npos ? key : key.substr(0, slash + 1);
    if (name <= after || folders.contains(name)) continue;
    if (count == options_.page) {
      truncated = true;
      break;
    }
    ++count;
    last = name;
    if (slash == std::string::npos)
      entries += "<Contents><Key>" + key + "</Key><LastModified>" +
                 time_text(object.modified, "%Y-%m-%dT%H:%M:%S.000Z") + "</LastModified><Size>" +
                 std::to_string(object.bytes.size()) + "</Size></Contents>";
    else if (folders.insert(name).second)
      entries += "<CommonPrefixes><Prefix>" + name + "</Prefix></CommonPrefixes>";
  }
  return {
      200,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      "<IsTruncated>" +
          std::string(truncated ? "true" : "false") + "</IsTruncated>" + entries +
          (truncated ? "<NextContinuationToken>" + last + "</NextContinuationToken>" : "") + "</ListBucketResult>",
      {}};
}

}  // namespace frond::support
