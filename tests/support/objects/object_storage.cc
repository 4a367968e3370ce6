// What is stored: objects whole, and in parts.
#include "tests/support/objects/object_reply.h"

namespace frond::support {

ObjectServer::Object ObjectServer::make(std::string bytes, std::int64_t modified) {
  const std::string etag = "\"" + objects::sha256_hex(as_bytes(bytes)).substr(0, 32) + "\"";
  return {std::move(bytes), etag, modified};
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

}  // namespace frond::support
