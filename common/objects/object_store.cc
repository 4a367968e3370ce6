#include "common/objects/object_store.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/base/text.h"

namespace frond::objects {
namespace {

constexpr std::size_t kMaxErrorBytes = 64 << 10;  // of an answer that is no object

bool is_success(unsigned status) { return status >= 200 && status < 300; }

Outcome outcome_of(const HttpAnswer& answer) {
  if (answer.broken) return answer.broken->code() == Code::kDeadline ? Outcome::kLate : Outcome::kBroken;
  switch (answer.status) {
    case 404:
      return Outcome::kNotFound;
    case 401:
    case 403:
      return Outcome::kDenied;
    case 409:
    case 412:
      return Outcome::kRefused;
    case 429:
    case 503:
      return Outcome::kOverloaded;
    default:
      if (is_success(answer.status)) return Outcome::kOk;
      return answer.status >= 500 ? Outcome::kServerError : Outcome::kOther;
  }
}

// Retry-After in seconds; 0: it does not say.
std::chrono::milliseconds asked_pause(const HttpAnswer& answer) {
  const std::string_view text = answer.header("retry-after");
  unsigned seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(std::min(seconds, 600u));
}

std::string etag_of(const HttpAnswer& answer) {
  constexpr std::size_t kMaxEtag = 200;
  const std::string_view etag = answer.header("etag");
  return std::string(etag.size() <= kMaxEtag && etag.starts_with('"') ? etag : std::string_view());
}

// Whether the request may be sent again.
bool may_help(const HttpAnswer& answer, Kind kind) {
  const bool too_large = answer.broken && answer.broken->code() == Code::kCorrupt && is_success(answer.status);
  // Trying again does not make a certificate one to trust.
  if (answer.broken) return !too_large && answer.broken->code() != Code::kInvalid;
  switch (answer.status) {
    case 408:
    case 429:
      return true;
    case 409:  // another conditional write was under way
      return kind == Kind::kPut;
    case 400:
      return parse_error(answer.body).code == "RequestTimeout";
    case 501:
      return false;
    default:
      return answer.status >= 500;
  }
}

}  // namespace

ObjectStore::ObjectStore(Place place, const Access& access)
    : place_(std::move(place)),
      access_(access),
      credentials_(access.credentials_file),
      transport_(access.tls_ca),
      counts_(access.counts ? access.counts : std::make_shared<Counts>()) {}

Result<std::unique_ptr<ObjectStore>> ObjectStore::open(std::string_view text, const Access& access) {
  auto place = FROND_TRY(parse_place(text, access));
  return std::unique_ptr<ObjectStore>(new ObjectStore(std::move(place), access));
}

std::string ObjectStore::where(const std::string& key) const {
  return std::string(kObjectScheme) + place_.bucket + "/" + place_.prefix + key;
}

std::string ObjectStore::server() const {
  return (place_.server.tls ? "https://" : "http://") + net::join(place_.server.host, place_.server.port);
}

HttpAnswer ObjectStore::send(Call& call, const Credentials& credentials, std::chrono::milliseconds connect,
                             const Stopping& stopping) const {
  const std::string timestamp = utc_text(kCompactUtcSeconds);
  RequestToSign signing{call.method, place_.root, call.query, call.headers, call.payload_sha256};
  if (!call.of_bucket) signing.path += place_.prefix + call.key;
  signing.headers.emplace_back("host", place_.host);
  signing.headers.emplace_back("x-amz-content-sha256", call.payload_sha256);
  signing.headers.emplace_back("x-amz-date", timestamp);
  if (!credentials.session_token.empty())
    signing.headers.emplace_back("x-amz-security-token", credentials.session_token);
  HttpRequest request{call.method, {}, signing.headers, call.body};
  request.headers.emplace_back("authorization", authorization(signing, credentials, {access_.region}, timestamp));
  request.url = server() + percent_encoded(signing.path, kPlainInPaths);
  if (!call.query.empty()) request.url += "?" + canonical_query(call.query);

  HttpLimits limits{std::min(access_.connect_timeout, connect),
                    access_.min_bytes_per_second,
                    access_.window,
                    {},
                    std::max(call.max_body, kMaxErrorBytes)};
  if (call.kind == Kind::kUpload) {  // completing one may take a server minutes
    limits.min_bytes_per_second = 0;
    limits.time = access_.retries.time;
  }
  const auto begun = std::chrono::steady_clock::now();
  HttpAnswer answer = transport_.perform(request, limits, stopping, std::move(call.room));
  const auto spent = std::chrono::steady_clock::now() - begun;
  counts_->add(call.kind, outcome_of(answer),
               static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(spent).count()));
  counts_->bytes_sent += answer.sent;
  counts_->bytes_received += answer.body.size();
  return answer;
}

Error ObjectStore::refusal(const Call& call, const HttpAnswer& answer) const {
  if (answer.broken)
    return Error(answer.broken->code(), answer.broken->message()).within(server()).within(where(call.key));
  const StoreError error = parse_error(answer.body);
  std::string text = where(call.key) + ": the object store answered with status " + std::to_string(answer.status);
  if (!error.code.empty()) text += " " + error.code;
  if (!error.message.empty()) text += ": " + error.message;
  const std::string_view region = answer.header("x-amz-bucket-region");
  if (answer.status >= 300 && answer.status < 500 && !region.empty() && region != access_.region)
    text += " (the bucket is in region " + std::string(region.substr(0, 40)) + ")";
  if (answer.status == 404) return Error(Code::kNotFound, text);
  return Error(
      answer.status >= 300 && answer.status < 500 && !may_help(answer, call.kind) ? Code::kInvalid : Code::kUnavailable,
      text);
}

// After the last attempt.
Error ObjectStore::given_up(const Call& call, const HttpAnswer& answer, const Retry& retry) const {
  const bool stopped = retry.stopped();
  Contact none = Contact::kNone;
  if (!stopped) contact_.compare_exchange_strong(none, Contact::kGivenUp);
  if (stopped || has_answered() || !answer.broken)
    return Error(Code::kUnavailable, refusal(call, answer).message() + " (attempt " + std::to_string(retry.attempts()) +
                                         "; " + retry.bound() + ")");
  const auto seconds = std::chrono::round<std::chrono::seconds>(retry.spent()).count();
  const std::string attempts =
      retry.attempts() == 1 ? std::string("one attempt") : std::to_string(retry.attempts()) + " attempts";
  return Error(Code::kUnavailable, server() + " has not answered: " + call.method + " of " + where(call.key) + ", " +
                                       attempts + " in " + std::to_string(seconds) + " s (" + retry.bound() +
                                       "), the last: " + answer.broken->message());
}

Result<HttpAnswer> ObjectStore::perform(Call& call, const Stopping& asked, const Salvage& salvage) const {
  const Stopping stopping = [&] { return access_.stop.stop_requested() || (asked && asked()); };
  RetryLimits limits = access_.retries;
  if (contact_ == Contact::kGivenUp) limits.attempts = 1;
  Retry retry(limits, call.body.size() + call.max_body, stopping, /*first=*/!has_answered());
  for (;;) {
    const Credentials credentials = FROND_TRY(credentials_.get());
    HttpAnswer answer = send(call, credentials, retry.left(), stopping);
    if (answer.status != 0) {
      contact_ = Contact::kAnswered;
      retry.answered();
    }
    if (!may_help(answer, call.kind)) {
      const bool wanted = is_success(answer.status) ||
                          std::find(call.accepted.begin(), call.accepted.end(), answer.status) != call.accepted.end();
      if (wanted && !answer.broken) return answer;
      return refusal(call, answer);
    }
    const std::uint64_t moved = answer.sent + answer.body.size();
    const std::uint64_t kept = salvage ? salvage(answer) : 0;
    if (!retry.again(moved - std::min(moved, kept), asked_pause(answer))) return given_up(call, answer, retry);
    ++counts_->retries;
  }
}

Result<ObjectRange> ObjectStore::get(const std::string& key, std::uint64_t from, std::uint64_t length,
                                     const std::string& etag, const Stopping& stopping, ByteBuffer room) const {
  ObjectRange got{{}, from, 0, etag};
  const auto range_header = [&] {
    return "bytes=" + std::to_string(from + got.bytes.size()) + "-" + std::to_string(from + length - 1);
  };
  Call call{.kind = Kind::kGet,
            .method = "GET",
            .key = key,
            .max_body = length,
            .room = std::move(room),
            .accepted = {412, 416}};
  const auto set_headers = [&] {
    call.headers = {{"range", range_header()}};
    if (!got.etag.empty()) call.headers.emplace_back("if-match", got.etag);
  };
  // Takes what an answer brings. kCorrupt: it does not fit.
  const auto take = [&](HttpAnswer& answer) -> Result<void> {
    const std::uint64_t at = from + got.bytes.size();
    const std::string version = etag_of(answer);
    // The whole object, from a server without ranges; it is small, or it would have been too large.
    std::uint64_t total = answer.body.size(), end = total;
    bool fits = at == 0;
    if (answer.status == 206) {  // "bytes 100-199/200"
      const std::string_view range = answer.header("content-range");
      const auto told = number_in<std::uint64_t>(range.substr(std::min(range.rfind('/') + 1, range.size())));
      if (!told) return Error(Code::kCorrupt, "a part without a range");
      total = *told;
      end = std::min(from + length, total);
      fits = end > at &&
             range == "bytes " + std::to_string(at) + "-" + std::to_string(end - 1) + "/" + std::to_string(total);
    }
    if (!fits) return Error(Code::kCorrupt, "another range than was asked for");
    if (!got.etag.empty() && !version.empty() && version != got.etag)
      return Error(Code::kCorrupt, "another version than before");
    if (got.total != 0 && total != got.total) return Error(Code::kCorrupt, "another size than before");
    if (answer.body.size() > end - at) return Error(Code::kCorrupt, "more bytes than it says");
    if (got.etag.empty()) got.etag = version;
    got.total = total;
    if (got.bytes.empty())
      got.bytes = std::move(answer.body);  // nearly always
    else
      got.bytes.insert(got.bytes.end(), answer.body.begin(), answer.body.end());
    return {};
  };
  set_headers();
  const Salvage salvage = [&](HttpAnswer& answer) -> std::uint64_t {
    const std::size_t before = got.bytes.size();
    if (answer.status != 206 || answer.body.empty() || !take(answer)) return 0;
    set_headers();
    return got.bytes.size() - before;
  };
  // An answer may also end early without libcurl's notice, where it does not say how long it is.
  for (unsigned rounds = 0;; ++rounds) {
    HttpAnswer answer = FROND_TRY(perform(call, stopping, salvage));
    if (answer.status == 412) return Error(Code::kCorrupt, where(key) + ": is another version now");
    if (answer.status == 416) {
      if (from == 0 && got.bytes.empty()) return got;  // an empty object has no range
      return Error(Code::kCorrupt, where(key) + ": ends before byte " + std::to_string(from));
    }
    const std::size_t before = got.bytes.size();
    if (auto fits = take(answer); !fits) return std::move(fits).error().within(where(key));
    if (from + got.bytes.size() >= std::min(from + length, got.total)) return got;
    if (got.bytes.size() == before || rounds >= access_.retries.attempts)
      return Error(Code::kUnavailable, where(key) + ": the answer ends early");
    ++counts_->retries;
    set_headers();
  }
}

Result<ObjectText> ObjectStore::get_text(const std::string& key, std::size_t max_bytes,
                                         const Stopping& stopping) const {
  Call call{.kind = Kind::kGet, .method = "GET", .key = key, .max_body = max_bytes};
  const HttpAnswer answer = FROND_TRY(perform(call, stopping));
  if (answer.body.size() > max_bytes) return Error(Code::kCorrupt, where(key) + ": larger than it may be");
  ObjectText got{std::string(as_text(answer.body)), etag_of(answer)};
  const auto now = parse_time(answer.header("date")), written = parse_time(answer.header("last-modified"));
  if (now && written && *now > *written) got.age = std::chrono::seconds(*now - *written);
  return got;
}

Result<std::uint64_t> ObjectStore::head(const std::string& key, const Stopping& stopping) const {
  Call call{.kind = Kind::kHead, .method = "HEAD", .key = key};
  const HttpAnswer answer = FROND_TRY(perform(call, stopping));
  const auto bytes = number_in<std::uint64_t>(answer.header("content-length"));
  if (!bytes) return Error(Code::kCorrupt, where(key) + ": the answer has no size");
  return *bytes;
}

Result<PutText> ObjectStore::put_text(const std::string& key, std::string_view text, const Condition& condition,
                                      const Stopping& stopping) const {
  Call call{.kind = Kind::kPut, .method = "PUT", .key = key, .body = as_bytes(text)};
  call.payload_sha256 = sha256_hex(call.body);
  call.headers = {{"content-type", "application/octet-stream"}};
  const bool conditional = condition.absent || !condition.etag.empty();
  if (condition.absent) call.headers.emplace_back("if-none-match", "*");
  if (!condition.etag.empty()) call.headers.emplace_back("if-match", condition.etag);
  if (conditional) call.accepted = {412, 501};
  if (!condition.etag.empty()) call.accepted.push_back(404);  // the object that was to be replaced is gone
  const HttpAnswer answer = FROND_TRY(perform(call, stopping));
  if (is_success(answer.status)) return PutText{Put::kDone, etag_of(answer)};
  if (answer.status == 501) return PutText{Put::kNoConditions, {}};
  const auto there = get_text(key, text.size() + 1, stopping);
  if (there && there->text == text) return PutText{Put::kDone, there->etag};
  if (!there && there.error().code() != Code::kNotFound && there.error().code() != Code::kCorrupt) return there.error();
  return PutText{Put::kRefused, {}};
}

Result<ObjectList> ObjectStore::list(const std::string& prefix, bool folders, const Stopping& stopping) const {
  ObjectList all;
  const std::string full = place_.prefix + prefix;
  Call call{.kind = Kind::kList, .method = "GET", .key = prefix, .of_bucket = true, .max_body = kMaxAnswerBytes};
  const auto set_query = [&](const std::string& token) {
    call.query = {{"list-type", "2"}, {"prefix", full}};
    if (folders) call.query.emplace_back("delimiter", "/");
    if (!token.empty()) call.query.emplace_back("continuation-token", token);
  };
  unsigned attempt = 1;
  for (std::string token;;) {
    set_query(token);
    const HttpAnswer answer = FROND_TRY(perform(call, stopping));
    auto page = parse_list(answer.body);
    if (!page && attempt++ < access_.retries.attempts) {  // what was cut off without its length being told
      ++counts_->retries;
      continue;
    }
    if (!page) return std::move(page).error().within(where(prefix));
    if (const auto now = parse_time(answer.header("date"))) all.now = *now;
    for (ListedObject& object : page->objects) {
      if (!object.key.starts_with(full)) return Error(Code::kCorrupt, where(prefix) + ": a key that was not asked for");
      object.key.erase(0, place_.prefix.size());
      all.objects.push_back(std::move(object));
    }
    for (const std::string& folder : page->prefixes) {
      if (!folder.starts_with(full) || !folder.ends_with('/') || folder.size() <= full.size())
        return Error(Code::kCorrupt, where(prefix) + ": a prefix that was not asked for");
      all.folders.push_back(folder.substr(full.size(), folder.size() - full.size() - 1));
    }
    if (page->next.empty()) return all;
    if (page->next == token || all.objects.size() + all.folders.size() > kMaxListed)
      return Error(Code::kCorrupt, where(prefix) + ": a list without an end");
    token = page->next;
  }
}

Result<void> ObjectStore::remove(const std::string& key, const Stopping& stopping) const {
  Call call{.kind = Kind::kDelete, .method = "DELETE", .key = key, .accepted = {404}};
  FROND_TRY(perform(call, stopping));
  return {};
}

}  // namespace frond::objects
