#pragma once
// A bucket of an S3-compatible object store: whole and ranged reads, conditional writes, multipart uploads, lists.
// Source: the Amazon S3 API reference (REST, 2006-03-01).
//
// Every operation is repeated within RetryLimits where that may help: lost connections, slowness, 408, 429, 5xx. What a
// broken answer has brought of an object is kept, and only the rest is asked for. As long as the store has never
// answered, the first operation ends after RetryLimits::first_answer_s (or one Access::window later, where the store
// takes connections and is silent), and the next ones make one attempt each. Every request's body is covered by its
// signature. Keys are relative to the place's prefix.
// Errors: kNotFound: there is no such object or bucket; kInvalid: no credentials, a certificate that is not trusted, or
// the server refuses the credentials (401, 403) or the request (another 4xx); kUnavailable: the bounds are reached, or
// `stopping` or Access::stop said so; kCorrupt: the answer is not what the API says. Messages name the key, the server
// if it did not answer, and never a secret. Any thread.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"
#include "common/objects/answers.h"
#include "common/objects/counts.h"
#include "common/objects/place.h"
#include "common/objects/signature.h"
#include "common/objects/transport.h"

namespace frond::objects {

struct ObjectRange {
  ByteBuffer bytes;
  std::uint64_t from = 0, total = 0;  // `total` of the whole object
  std::string etag;                   // with its quotes; empty: the server gives none
};

struct ObjectText {
  std::string text, etag;
  std::chrono::seconds age{0};  // since it was written, by the server's clock
};

struct ObjectList {
  std::vector<ListedObject> objects;  // keys relative to the place's prefix
  std::vector<std::string> folders;   // common prefixes, relative to the one asked for, without '/'
  std::int64_t now = 0;               // the server's clock, in seconds since 1970; 0: it does not say
};

// What must hold for a PUT. Neither: anything.
struct Condition {
  std::string etag;     // the object is still this one
  bool absent = false;  // there is no such object
};
// kRefused: the condition does not hold; kNoConditions: the server does not know conditional writes (501).
enum class Put { kDone, kRefused, kNoConditions };
struct PutText {
  Put done = Put::kDone;
  std::string etag;  // of what was put; empty: the server gives none
};

class ObjectStore {
 public:
  // Makes no request. kInvalid: a bad place.
  static Result<std::unique_ptr<ObjectStore>> open(std::string_view place, const Access& access);

  // Bytes `from` to `from + length - 1`, or to the end if the object is shorter. `etag`: of this version of the object;
  // empty: of any. `room`: memory that the bytes may use. kCorrupt: another version, or it ends before `from`.
  Result<ObjectRange> get(const std::string& key, std::uint64_t from, std::uint64_t length, const std::string& etag,
                          const Stopping& stopping = {}, ByteBuffer room = {}) const;
  // The object from byte `from` to its end, in order: calls `begin` once, then `sink`. Ranges of part_bytes are asked
  // for over `connections` at a time. `max_bytes`: of the whole object (kCorrupt). What was given to `sink` is right,
  // also if the rest fails. `sink` is called by this thread.
  Result<void> stream(const std::string& key, std::uint64_t from, const std::string& etag, std::uint64_t max_bytes,
                      const std::function<Result<void>(const ObjectRange&)>& begin,
                      const std::function<Result<void>(ByteView)>& sink, const Stopping& stopping = {}) const;
  Result<ObjectText> get_text(const std::string& key, std::size_t max_bytes, const Stopping& stopping = {}) const;
  // Its size.
  Result<std::uint64_t> head(const std::string& key, const Stopping& stopping = {}) const;

  // Where the condition does not hold, the object is read: if it has these bytes, an earlier attempt whose answer was
  // lost had written them, and this is kDone. So `text` must be such that nobody else writes the same, or that it does
  // not matter who did.
  Result<PutText> put_text(const std::string& key, std::string_view text, const Condition& condition,
                           const Stopping& stopping = {}) const;
  Result<Put> put(const std::string& key, std::string_view text, const Condition& condition,
                  const Stopping& stopping = {}) const {
    return FROND_TRY(put_text(key, text, condition, stopping)).done;
  }
  // A file, as one object: in parts, `connections` at a time, if it is larger than one part. The object appears when it
  // is whole; the size of one that came in parts is compared. The parts of a failed upload are removed. kInvalid: the
  // file changed meanwhile.
  Result<void> put_file(const std::string& key, const std::filesystem::path& file, const Stopping& stopping = {}) const;

  // Objects whose keys begin with `prefix`; `folders`: those directly in it, and the folders. At most kMaxListed.
  Result<ObjectList> list(const std::string& prefix, bool folders, const Stopping& stopping = {}) const;
  // Nothing happens if there is no such object.
  Result<void> remove(const std::string& key, const Stopping& stopping = {}) const;

  const Counts& counts() const { return *counts_; }
  const Access& access() const { return access_; }
  // Whether any request was answered. If not, what was asked for has most likely not reached the store.
  bool has_answered() const { return contact_ == Contact::kAnswered; }

  static constexpr std::size_t kMaxListed = 1'000'000;

 private:
  static constexpr const char* kEmptySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  // One request, before it is signed.
  struct Call {
    Kind kind = Kind::kGet;
    const char* method = "GET";
    std::string key = {};    // relative to the prefix; for messages only if of_bucket
    bool of_bucket = false;  // the request is about the bucket
    Fields query = {}, headers = {};
    ByteView body = {};
    std::string payload_sha256 = kEmptySha256;
    std::size_t max_body = 0;             // of a good answer
    ByteBuffer room = {};                 // that the first answer's body may use
    std::vector<unsigned> accepted = {};  // statuses other than 2xx that the caller handles
  };
  // Takes what a broken answer brought, and changes the call to ask for the rest; gives how many bytes it took.
  using Salvage = std::function<std::uint64_t(HttpAnswer&)>;
  ObjectStore(Place place, const Access& access);
  enum class Contact { kNone, kGivenUp, kAnswered };  // given up: an operation ended without an answer
  // `connect`: at most.
  HttpAnswer send(Call& call, const Credentials& credentials, std::chrono::milliseconds connect,
                  const Stopping& stopping) const;
  Result<HttpAnswer> perform(Call& call, const Stopping& asked, const Salvage& salvage = {}) const;
  Error refusal(const Call& call, const HttpAnswer& answer) const;
  Error given_up(const Call& call, const HttpAnswer& answer, const Retry& retry) const;
  std::string server() const;  // "http://host:port"
  Result<std::string> begin_upload(const std::string& key, const Stopping& stopping) const;
  Result<void> end_upload(const std::string& key, const std::string& id, const std::vector<std::string>& etags,
                          const Stopping& stopping) const;
  Result<void> expect_bytes(const std::string& key, std::uint64_t bytes, const Stopping& stopping) const;
  std::string where(const std::string& key) const;

  const Place place_;
  const Access access_;
  const CredentialSource credentials_;
  mutable Transport transport_;
  mutable std::atomic<Contact> contact_ = Contact::kNone;
  const std::shared_ptr<Counts> counts_;
};

}  // namespace frond::objects
