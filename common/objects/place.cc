#include "common/objects/place.h"

#include <algorithm>
#include <cctype>
#include <random>
#include <thread>
#include <utility>

#include "common/base/text.h"

namespace frond::objects {
namespace {

bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool is_bucket(std::string_view name) {
  const auto fits = [](char c) {
    return is_alnum(c) ? !std::isupper(static_cast<unsigned char>(c)) : c == '.' || c == '-';
  };
  return name.size() >= 3 && name.size() <= 63 && std::all_of(name.begin(), name.end(), fits) &&
         is_alnum(name.front()) && is_alnum(name.back()) && name.find("..") == name.npos;
}

std::chrono::milliseconds random_below(std::chrono::milliseconds most) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::chrono::milliseconds(std::uniform_int_distribution<std::int64_t>(0, most.count())(random));
}

}  // namespace

bool is_object_place(std::string_view place) { return place.starts_with(kObjectScheme); }

Result<Place> parse_place(std::string_view text, const Access& access) {
  const auto wrong = [&](const std::string& why) {
    return Error(Code::kInvalid, "'" + std::string(text) + "': " + why);
  };
  if (!is_object_place(text)) return wrong("does not begin with s3://");
  std::string_view rest = text.substr(kObjectScheme.size());
  while (rest.ends_with('/')) rest.remove_suffix(1);
  const auto slash = std::min(rest.find('/'), rest.size());
  Place place;
  place.bucket = rest.substr(0, slash);
  const std::string_view prefix = rest.substr(std::min(rest.size(), slash + 1));
  if (!is_bucket(place.bucket)) return wrong("a bucket's name is 3 to 63 lower-case letters, digits, '-' and '.'");
  if (slash < rest.size() && (prefix.size() > 512 || !is_safe_path(prefix)))
    return wrong("what follows the bucket is not names of [A-Za-z0-9._-] joined by '/'");
  if (!prefix.empty()) place.prefix = std::string(prefix) + "/";
  if (access.part_bytes < kMinPartBytes || access.part_bytes > (std::uint64_t{1} << 30))
    return Error(Code::kInvalid, "parts of an object have 5MiB to 1GiB (--s3-part)");
  if (!is_safe_name(access.region)) return Error(Code::kInvalid, "region '" + access.region + "' is no region's name");
  auto server =
      net::parse_url(access.endpoint.empty() ? "https://s3." + access.region + ".amazonaws.com" : access.endpoint);
  if (!server) return std::move(server).error().within("the object store's endpoint");
  if (!server->path.empty()) return Error(Code::kInvalid, "the object store's endpoint has a path: " + access.endpoint);
  place.server = *std::move(server);
  const bool in_path = access.path_style == "on" || (access.path_style == "auto" && !access.endpoint.empty());
  if (!in_path) place.server.host = place.bucket + "." + place.server.host;
  const bool usual_port = place.server.port == (place.server.tls ? "443" : "80");
  place.host = usual_port && !net::is_ipv6(place.server.host) ? place.server.host : place.server.authority();
  place.root = in_path ? "/" + place.bucket + "/" : "/";
  return place;
}

Retry::Retry(const RetryLimits& limits, std::uint64_t bytes, Stopping stopping, bool first)
    : limits_(limits),
      stopping_(std::move(stopping)),
      end_(begun_ + (first
                         ? std::min<std::chrono::milliseconds>(std::chrono::seconds(limits.first_answer_s), limits.time)
                         : limits.time)),
      max_wasted_(std::max(bytes, limits.wasted_bytes)) {}

std::chrono::milliseconds Retry::left() const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now());
  return std::max(left, std::chrono::milliseconds(1));
}

std::chrono::milliseconds Retry::spent() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun_);
}

bool Retry::again(std::uint64_t moved, std::chrono::milliseconds at_least) {
  wasted_ += moved;
  const auto longest = std::min(limits_.longest_pause, limits_.first_pause * (1u << std::min(attempts_ - 1, 16u)));
  const auto pause = std::max(random_below(longest), std::min(at_least, limits_.longest_pause));
  if (attempts_ >= limits_.attempts) bound_ = "the last attempt that is allowed";
  if (wasted_ > max_wasted_) bound_ = "too many bytes were moved in vain";
  if (std::chrono::steady_clock::now() + pause >= end_) bound_ = "no time is left";
  if (stopping_ && stopping_()) bound_ = kStopped;
  if (*bound_ != '\0') return false;
  ++attempts_;
  const auto until = std::chrono::steady_clock::now() + pause;
  constexpr std::chrono::milliseconds kLook{50};
  while (std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_until(std::min(until, std::chrono::steady_clock::now() + kLook));
    if (!stopping_ || !stopping_()) continue;
    bound_ = kStopped;
    return false;
  }
  return true;
}

}  // namespace frond::objects
