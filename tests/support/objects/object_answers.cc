// Whose requests are carried out, and what is read.
#include <algorithm>
#include <set>

#include "tests/support/objects/object_reply.h"

namespace frond::support {
namespace {

constexpr std::string_view kBucket = "/bucket/";

}  // namespace

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
