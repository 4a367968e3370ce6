// Large objects: read in ranges, which are handed over in order, and written in parts, several at a time.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/mutex.h"
#include "common/base/parallel.h"
#include "common/base/thread_name.h"
#include "common/files/read.h"
#include "common/objects/object_store.h"

namespace frond::objects {
namespace {

// The ranges behind the first one. Threads fetch them; next() hands them over in order. At most `threads` ranges wait
// or are being fetched. The memory of those that were used serves the next ones: making new memory for each costs as
// much as receiving it. So there are at most two buffers more than threads.
class Ranges {
 public:
  using Fetch = std::function<Result<ObjectRange>(std::uint64_t from, std::uint64_t length, const Stopping& stopping,
                                                  ByteBuffer room)>;

  Ranges(std::uint64_t from, std::uint64_t end, std::uint64_t length, unsigned threads, Fetch fetch, Stopping stopping)
      : from_(from),
        end_(end),
        length_(length),
        ahead_(threads),
        fetch_(std::move(fetch)),
        stopping_(std::move(stopping)) {
    const std::uint64_t ranges = (end - from + length - 1) / length;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(threads, ranges); ++i)
      threads_.emplace_back([this] { run(); });
  }
  ~Ranges() {
    {
      const MutexLock lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;

  // Called until all bytes were handed over.
  Result<ByteBuffer> next() {
    MutexLock lock(mutex_);
    while (!done_.contains(handed_over_)) changed_.wait(lock.mutex());
    auto node = done_.extract(handed_over_);
    ++handed_over_;
    changed_.notify_all();
    return std::move(node.mapped());
  }
  // What next() gave is no longer needed.
  void give_back(ByteBuffer room) {
    const MutexLock lock(mutex_);
    spare_.push_back(std::move(room));
  }

 private:
  void run() {
    name_this_thread("object-range");
    for (;;) {
      std::uint64_t index = 0;
      ByteBuffer room;
      {
        MutexLock lock(mutex_);
        while (!over_ && claimed_ >= handed_over_ + ahead_) changed_.wait(lock.mutex());
        if (over_ || from_ + claimed_ * length_ >= end_) return;
        index = claimed_++;
        if (!spare_.empty()) {
          room = std::move(spare_.back());
          spare_.pop_back();
        }
      }
      auto got = fetch_(
          from_ + index * length_, std::min(length_, end_ - from_ - index * length_),
          [this] { return is_over() || (stopping_ && stopping_()); }, std::move(room));
      {
        const MutexLock lock(mutex_);
        if (got)
          done_.emplace(index, std::move(got->bytes));
        else
          done_.emplace(index, std::move(got).error());
      }
      changed_.notify_all();
    }
  }
  bool is_over() {
    const MutexLock lock(mutex_);
    return over_;
  }

  const std::uint64_t from_, end_, length_, ahead_;
  const Fetch fetch_;
  const Stopping stopping_;
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint64_t, Result<ByteBuffer>> done_ FROND_GUARDED_BY(mutex_);
  std::vector<ByteBuffer> spare_ FROND_GUARDED_BY(mutex_);
  std::uint64_t claimed_ FROND_GUARDED_BY(mutex_) = 0, handed_over_ FROND_GUARDED_BY(mutex_) = 0;
  bool over_ FROND_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

constexpr std::uint64_t kMaxParts = 10'000;

Result<void> read_whole(const files::Descriptor& file, std::uint64_t from, ByteBuffer& to,
                        const std::filesystem::path& path) {
  const std::size_t got = FROND_TRY(files::read_at(file, from, to, path));
  if (got != to.size()) return Error(Code::kInvalid, path.string() + ": became shorter while it was uploaded");
  return {};
}

}  // namespace

Result<void> ObjectStore::stream(const std::string& key, std::uint64_t from, const std::string& etag,
                                 std::uint64_t max_bytes, const std::function<Result<void>(const ObjectRange&)>& begin,
                                 const std::function<Result<void>(ByteView)>& sink, const Stopping& stopping) const {
  const std::uint64_t length = access_.part_bytes;
  if (from >= max_bytes) return Error(Code::kCorrupt, where(key) + ": begins behind its last byte");
  // A byte more than there may be, so that a small object is not taken for whole.
  ObjectRange first = FROND_TRY(get(key, from, std::min(length, max_bytes - from + 1), etag, stopping));
  if (first.total > max_bytes)
    return Error(Code::kCorrupt, where(key) + ": " + std::to_string(first.total) + " bytes, more than it may have");
  FROND_TRY(begin(first));
  FROND_TRY(sink(first.bytes));
  std::uint64_t at = from + first.bytes.size();
  if (at >= first.total) return {};
  const auto fetch = [&](std::uint64_t start, std::uint64_t bytes, const Stopping& stop,
                         ByteBuffer room) -> Result<ObjectRange> {
    auto range = FROND_TRY(get(key, start, bytes, first.etag, stop, std::move(room)));
    if (range.total != first.total || range.bytes.size() != bytes)
      return Error(Code::kCorrupt, where(key) + ": another size than before");
    return range;
  };
  Ranges ranges(at, first.total, length, access_.connections, fetch, stopping);
  ranges.give_back(std::move(first.bytes));
  while (at < first.total) {
    ByteBuffer bytes = FROND_TRY(ranges.next());
    FROND_TRY(sink(bytes));
    at += bytes.size();
    ranges.give_back(std::move(bytes));
  }
  return {};
}

Result<void> ObjectStore::expect_bytes(const std::string& key, std::uint64_t bytes, const Stopping& stopping) const {
  const std::uint64_t there = FROND_TRY(head(key, stopping));
  if (there == bytes) return {};
  return Error(Code::kCorrupt, where(key) + ": the object store has " + std::to_string(there) + " bytes of " +
                                   std::to_string(bytes) + " that were uploaded");
}

Result<std::string> ObjectStore::begin_upload(const std::string& key, const Stopping& stopping) const {
  Call call{
      .kind = Kind::kUpload, .method = "POST", .key = key, .query = {{"uploads", ""}}, .max_body = kMaxAnswerBytes};
  call.headers = {{"content-type", "application/octet-stream"}};
  const HttpAnswer answer = FROND_TRY(perform(call, stopping));
  auto id = parse_upload_id(answer.body);
  if (!id) return std::move(id).error().within(where(key));
  return id;
}

Result<void> ObjectStore::end_upload(const std::string& key, const std::string& id,
                                     const std::vector<std::string>& etags, const Stopping& stopping) const {
  std::string xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (std::size_t i = 0; i < etags.size(); ++i)
    xml += "<Part><PartNumber>" + std::to_string(i + 1) + "</PartNumber><ETag>" + etags[i] + "</ETag></Part>";
  xml += "</CompleteMultipartUpload>";
  Call call{
      .kind = Kind::kUpload, .method = "POST", .key = key, .query = {{"uploadId", id}}, .max_body = kMaxAnswerBytes};
  call.body = as_bytes(xml);
  call.payload_sha256 = sha256_hex(call.body);
  call.headers = {{"content-type", "application/xml"}};
  call.accepted = {
      404};  // after an attempt whose fate was unknown: it was completed, which the caller sees by its size
  for (unsigned attempt = 1;; ++attempt) {
    const HttpAnswer answer = FROND_TRY(perform(call, stopping));
    if (answer.status == 404) return {};
    if (parse_completed(answer.body)) return {};
    // A failure may come with the status 200, since the answer began before the work was done.
    const StoreError error = parse_error(answer.body);
    if ((error.code != "InternalError" && error.code != "SlowDown") || attempt >= access_.retries.attempts ||
        (stopping && stopping()))
      return Error(Code::kUnavailable,
                   where(key) + ": completing the upload: " +
                       (error.code.empty() ? "an unknown answer" : error.code + " " + error.message));
    ++counts_->retries;
    std::this_thread::sleep_for(access_.retries.first_pause * attempt);
  }
}

Result<void> ObjectStore::put_file(const std::string& key, const std::filesystem::path& path,
                                   const Stopping& stopping) const {
  const files::Descriptor file = FROND_TRY(files::open(path, O_RDONLY));
  const std::uint64_t bytes = FROND_TRY(files::size_of(file, path));
  const auto put_piece = [&](std::uint64_t from, std::uint64_t length, Call call, ByteBuffer& piece,
                             const Stopping& stop) -> Result<HttpAnswer> {
    piece.resize(length);
    FROND_TRY(read_whole(file, from, piece, path));
    call.body = piece;
    call.payload_sha256 = sha256_hex(piece);
    return perform(call, stop);
  };
  if (bytes <= access_.part_bytes) {
    Call call{.kind = Kind::kPut, .method = "PUT", .key = key};
    call.headers = {{"content-type", "application/octet-stream"}};
    ByteBuffer whole;
    // The request's signature covers every byte, so what was answered with success is whole.
    FROND_TRY(put_piece(0, bytes, std::move(call), whole, stopping));
    return {};
  }

  const std::uint64_t length = std::max(access_.part_bytes, (bytes + kMaxParts - 1) / kMaxParts);
  const std::string id = FROND_TRY(begin_upload(key, stopping));
  std::vector<std::string> etags((bytes + length - 1) / length);
  const auto put_part = [&](std::size_t part, ByteBuffer& room, const Stopping& stop) -> Result<void> {
    Call call{.kind = Kind::kPart, .method = "PUT", .key = key};
    call.query = {{"partNumber", std::to_string(part + 1)}, {"uploadId", id}};
    const HttpAnswer answer =
        FROND_TRY(put_piece(part * length, std::min(length, bytes - part * length), std::move(call), room, stop));
    const std::string_view etag = answer.header("etag");
    const bool well = !etag.empty() && etag.size() <= 200 && etag.find_first_of("<>&") == etag.npos;
    if (!well) return Error(Code::kCorrupt, where(key) + ": a part without an ETag");
    etags[part] = etag;
    return {};
  };
  FirstError failure{std::stop_token()};
  const Stopping stop = [&, token = failure.token()] { return token.stop_requested() || (stopping && stopping()); };
  const std::size_t threads = std::min<std::size_t>(access_.connections, etags.size());
  std::atomic<std::size_t> next = 0;
  auto done = in_parallel(threads, threads, [&](std::size_t) -> Result<void> {
    ByteBuffer room;  // for all parts of a thread: new memory for each costs as much as sending it
    for (std::size_t part = next++; part < etags.size() && !failure.token().stop_requested(); part = next++)
      failure.guard([&] { return put_part(part, room, stop); });
    return {};
  });
  if (done) done = failure.result();
  if (done) done = end_upload(key, id, etags, stopping);
  if (done) return expect_bytes(key, bytes, stopping);
  Call abort{.kind = Kind::kUpload, .method = "DELETE", .key = key, .query = {{"uploadId", id}}, .accepted = {404}};
  (void)perform(abort, {});  // where this fails, the bucket's own rule for unfinished uploads removes it
  return done;
}

}  // namespace frond::objects
