#pragma once
// An object store on loopback, in memory: as much of the S3 API as Frond uses, with signatures checked and faults on
// request. For tests only: it listens on 127.0.0.1, keeps everything in memory, and has one bucket, "bucket".
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "common/objects/signature.h"

namespace frond::support {

// What happens to a request instead of an answer.
enum class Fault {
  kNone,
  kError500,     // status 500, not carried out
  kSlowDown503,  // status 503 SlowDown, not carried out
  kLostBefore,   // not carried out, connection closed without an answer
  kLostAfter,    // carried out, connection closed without an answer
  kTruncated,    // carried out; the answer's body is cut in the middle
  kSilent,       // not carried out; no answer until the client leaves
  kHalfHeader,   // not carried out; half a header, then as kSilent
  kDrip,         // not carried out; an answer of which a byte comes now and then
  kGarbage,      // not carried out; the answer is not HTTP
  kWrongRange,   // carried out; the answer says that it is another range
  kFlippedByte,  // carried out; a byte of the answer's body is another
  kErrorIn200    // not carried out; status 200 with an error as the body, as S3 does for completed uploads
};

struct SeenRequest {
  std::string method, target, key;                    // key: decoded, without the bucket
  std::map<std::string, std::string> query, headers;  // names of headers in lower case
  std::string body;
  bool is(std::string_view wanted_method, std::string_view part) const {
    return method == wanted_method && target.find(part) != std::string::npos;
  }
};

class ObjectServer {
 public:
  struct Options {
    objects::Credentials credentials{"test-key-id", "test-secret", ""};
    bool conditions = true;   // false: If-Match and If-None-Match of a PUT are ignored, as old servers do
    bool says_no = false;     // true: a PUT with a condition gets 501
    bool ranges = true;       // false: always the whole object
    std::size_t page = 1000;  // of a list
    std::uint16_t port = 0;   // 0: any
    bool records = true;      // requests, for requests()
  };
  // Called for each request, on its connection's thread.
  using Faults = std::function<Fault(const SeenRequest&)>;

  explicit ObjectServer(Options options, Faults faults = {});
  ~ObjectServer();
  ObjectServer(const ObjectServer&) = delete;
  ObjectServer& operator=(const ObjectServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  void set_faults(Faults faults);

  struct Object {
    std::string bytes, etag;
    std::int64_t modified = 0;
  };
  std::map<std::string, Object> objects() const;  // by key
  void put(const std::string& key, std::string bytes, std::int64_t age_s = 0);
  void remove(const std::string& key);
  void grow_older(std::int64_t seconds);  // all objects
  std::vector<SeenRequest> requests() const;
  std::size_t uploads() const;  // that are neither completed nor aborted
  std::string refused() const;  // what was wrong with the last request whose signature was wrong; empty: none was

 private:
  struct Reply;
  struct Upload {
    std::string key;
    std::map<int, std::string> parts;
  };
  struct Connection {
    int socket = -1;
    std::thread thread;
    std::atomic<bool> over{false};
  };
  void accept_all();
  void serve(Connection& connection);
  bool handle(int socket, const SeenRequest& request);
  Reply carry_out(const SeenRequest& request);
  Reply get(const SeenRequest& request);
  Reply put_object(const SeenRequest& request);
  Reply upload(const SeenRequest& request);
  Reply list(const SeenRequest& request);
  std::string why_refused(const SeenRequest& request) const;
  static Object make(std::string bytes, std::int64_t modified);

  const Options options_;
  mutable std::mutex mutex_;
  Faults faults_;
  std::map<std::string, Object> objects_;
  std::map<std::string, Upload> uploads_;
  std::vector<SeenRequest> requests_;
  std::string refused_;
  int next_upload_ = 1;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> flipped_{0};
  std::list<Connection> connections_;
  std::thread thread_;
};

}  // namespace frond::support
