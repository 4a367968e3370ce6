#pragma once
// One request of an ObjectStore, before it is signed. Internal to this folder.
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/objects/counts.h"
#include "common/objects/object_store.h"

namespace frond::objects {

// Of no bytes.
inline constexpr const char* kEmptySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

struct ObjectStore::Call {
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

// Whether the request may be sent again.
bool may_help(const HttpAnswer& answer, Kind kind);

}  // namespace frond::objects
