#include "common/objects/place.h"

#include <algorithm>
#include <cctype>
#include <utility>

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

bool is_name(std::string_view name) {
  const auto fits = [](char c) { return is_alnum(c) || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= 128 && name[0] != '.' && std::all_of(name.begin(), name.end(), fits);
}

bool is_prefix(std::string_view prefix) {
  if (prefix.size() > 512) return false;
  for (;;) {
    const auto slash = prefix.find('/');
    if (!is_name(prefix.substr(0, slash))) return false;
    if (slash == prefix.npos) return true;
    prefix.remove_prefix(slash + 1);
  }
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
  if (slash < rest.size() && !is_prefix(prefix))
    return wrong("what follows the bucket is not names of [A-Za-z0-9._-] joined by '/'");
  if (!prefix.empty()) place.prefix = std::string(prefix) + "/";
  if (access.part_bytes < kMinPartBytes || access.part_bytes > (std::uint64_t{1} << 30))
    return Error(Code::kInvalid, "parts of an object have 5MiB to 1GiB (--s3-part)");
  if (!is_name(access.region)) return Error(Code::kInvalid, "region '" + access.region + "' is no region's name");
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

}  // namespace frond::objects
