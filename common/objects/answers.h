#pragma once
// What an object store says in XML: lists, multipart uploads, errors. Parsed with expat. Any bytes are safe: documents
// are bounded in size, depth and entries, and a document type (and with it every entity of the document's own) is
// refused. Any thread.
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace frond::objects {

inline constexpr std::size_t kMaxAnswerBytes = 4u << 20;  // 1,000 keys of 1,024 bytes, with what is around them

struct ListedObject {
  std::string key;
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  // seconds since 1970
};
struct ListPage {
  std::vector<ListedObject> objects;
  std::vector<std::string> prefixes;  // of a list with a delimiter
  std::string next;                   // continuation token; empty: this is the last page
};
// ListBucketResult of ListObjectsV2. kCorrupt: anything else.
Result<ListPage> parse_list(ByteView xml);

// UploadId of InitiateMultipartUploadResult. kCorrupt: anything else.
Result<std::string> parse_upload_id(ByteView xml);

struct StoreError {
  std::string code, message;  // printable ASCII, cut to 200 bytes; both empty: the document is no error
};
// Error, also where an answer has the status 200 (CompleteMultipartUpload does that).
StoreError parse_error(ByteView xml);
// CompleteMultipartUploadResult. kCorrupt: anything else, an error included.
Result<void> parse_completed(ByteView xml);

// "2009-10-12T17:50:30.000Z" to seconds since 1970; "Mon, 12 Oct 2009 17:50:30 GMT" as well. kCorrupt: neither.
Result<std::int64_t> parse_time(std::string_view text);

}  // namespace frond::objects
