// Large objects: read in ranges, which are handed over in order, and written in parts, several at a time.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "common/base/threads/parallel.h"
#include "common/base/threads/task_pool.h"
#include "common/files/read.h"
#include "common/objects/object_store.h"

namespace frond::objects {
namespace {

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
  const std::uint64_t at = from + first.bytes.size();
  if (at >= first.total) return {};
  // The ranges behind the first one are fetched by several threads, and handed over in order. The memory of those that
  // were used serves the next ones: making new memory for each costs as much as receiving it.
  std::vector<std::shared_ptr<ByteBuffer>> rooms = {std::make_shared<ByteBuffer>(std::move(first.bytes))};
  std::atomic<bool> over = false;
  const Stopping stop = [&] { return over || (stopping && stopping()); };
  TaskPool pool("object-range", access_.connections);
  OrderedTasks<ByteBuffer> ranges(pool, access_.connections);
  std::uint64_t begun = at;
  const auto begin_ranges = [&] {
    for (; begun < first.total && !ranges.full(); begun += std::min(length, first.total - begun)) {
      auto room = rooms.empty() ? std::make_shared<ByteBuffer>() : std::move(rooms.back());
      if (!rooms.empty()) rooms.pop_back();
      ranges.begin(1, [&, room, start = begun](std::size_t) -> Result<ByteBuffer> {
        const std::uint64_t bytes = std::min(length, first.total - start);
        auto range = FROND_TRY(get(key, start, bytes, first.etag, stop, std::move(*room)));
        if (range.total != first.total || range.bytes.size() != bytes)
          return Error(Code::kCorrupt, where(key) + ": another size than before");
        return std::move(range.bytes);
      });
    }
  };
  const auto take_ranges = [&]() -> Result<void> {
    for (begin_ranges(); !ranges.empty(); begin_ranges()) {
      ByteBuffer bytes = FROND_TRY(ranges.take());
      FROND_TRY(sink(bytes));
      rooms.push_back(std::make_shared<ByteBuffer>(std::move(bytes)));
    }
    return {};
  };
  auto taken = take_ranges();
  over = true;  // for what is still being fetched after an error
  return taken;
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
  FirstError failure;
  const Stopping stop = [&, token = failure.token()] { return token.stop_requested() || (stopping && stopping()); };
  const std::size_t threads = std::min<std::size_t>(access_.connections, etags.size());
  std::vector<ByteBuffer> rooms(threads);  // of a thread: new memory for each part costs as much as sending it
  auto done = in_parallel(failure, etags.size(), threads,
                          [&](std::size_t part, std::size_t thread) { return put_part(part, rooms[thread], stop); });
  if (done) done = end_upload(key, id, etags, stopping);
  if (done) return expect_bytes(key, bytes, stopping);
  Call abort{.kind = Kind::kUpload, .method = "DELETE", .key = key, .query = {{"uploadId", id}}, .accepted = {404}};
  (void)perform(abort, {});  // where this fails, the bucket's own rule for unfinished uploads removes it
  return done;
}

}  // namespace frond::objects
