#include "common/objects/answers.h"

#include <expat.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "common/base/text.h"

namespace frond::objects {
namespace {

constexpr std::size_t kMaxDepth = 8, kMaxValueBytes = 4096, kMaxEntries = 10'000;

using Leaf = std::function<bool(std::string_view path, const std::string& text)>;  // false: the text is wrong
using Open = std::function<void(std::string_view path)>;

// Calls `leaf` with the path ("ListBucketResult/Contents/Key") and text of each element that ends, and `open` with the
// path of each that begins.
class Reader {
 public:
  explicit Reader(Leaf leaf, Open open = {}) : leaf_(std::move(leaf)), open_(std::move(open)) {}

  Result<void> read(ByteView xml, std::string_view root) {
    if (xml.size() > kMaxAnswerBytes) return Error(Code::kCorrupt, "an answer larger than it may be");
    root_ = root;
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate("UTF-8"),
                                                                              XML_ParserFree);
    if (!parser) return Error(Code::kUnavailable, "out of memory");
    parser_ = parser.get();
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(parser_, begins, ends);
    XML_SetCharacterDataHandler(parser_, text);
    XML_SetStartDoctypeDeclHandler(parser_, doctype);
    const std::string_view bytes = as_text(xml);
    const bool well = XML_Parse(parser_, bytes.data(), static_cast<int>(bytes.size()), XML_TRUE) == XML_STATUS_OK;
    if (well && wrong_.empty() && seen_root_) return {};
    if (wrong_.empty()) wrong_ = well ? "no element" : XML_ErrorString(XML_GetErrorCode(parser_));
    return Error(Code::kCorrupt, "not the XML of an object store's answer: " + wrong_);
  }

 private:
  void fail(std::string why) {
    if (wrong_.empty()) wrong_ = std::move(why);
    XML_StopParser(parser_, XML_FALSE);
  }
  static void begins(void* user, const XML_Char* name, const XML_Char**) {
    auto& self = *static_cast<Reader*>(user);
    if (self.starts_.size() >= kMaxDepth) return self.fail("nested too deep");
    std::string_view plain(name);
    if (plain.size() > 100) return self.fail("an element's name is too long");
    if (self.starts_.empty() && plain != self.root_) return self.fail("not a " + std::string(self.root_));
    self.seen_root_ = true;
    self.starts_.push_back(self.path_.size());
    if (!self.path_.empty()) self.path_ += '/';
    self.path_ += plain;
    self.text_.clear();
    if (self.open_) self.open_(self.path_);
  }
  static void ends(void* user, const XML_Char*) {
    auto& self = *static_cast<Reader*>(user);
    if (self.starts_.empty()) return;
    if (!self.leaf_(self.path_, self.text_)) return self.fail("the text of " + self.path_ + " is wrong");
    self.path_.resize(self.starts_.back());
    self.starts_.pop_back();
    self.text_.clear();
  }
  static void text(void* user, const XML_Char* bytes, int count) {
    auto& self = *static_cast<Reader*>(user);
    if (self.text_.size() + static_cast<std::size_t>(count) > kMaxValueBytes) return self.fail("a text is too long");
    self.text_.append(bytes, static_cast<std::size_t>(count));
  }
  static void doctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
    static_cast<Reader*>(user)->fail("a document type");
  }

  const Leaf leaf_;
  const Open open_;
  XML_Parser parser_ = nullptr;
  std::string_view root_;
  std::string path_, text_, wrong_;
  std::vector<std::size_t> starts_;  // lengths of path_ outside each open element
  bool seen_root_ = false;
};

std::string for_people(const std::string& text) {
  std::string plain(text.substr(0, 200));
  std::replace_if(
      plain.begin(), plain.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return plain;
}

}  // namespace

Result<ListPage> parse_list(ByteView xml) {
  ListPage page;
  bool truncated = false;
  const auto open = [&](std::string_view path) {
    if (path == "ListBucketResult/Contents") page.objects.emplace_back();
  };
  const auto leaf = [&](std::string_view path, const std::string& text) {
    if (page.objects.size() + page.prefixes.size() > kMaxEntries) return false;
    if (path == "ListBucketResult/IsTruncated") truncated = text == "true";
    if (path == "ListBucketResult/NextContinuationToken") page.next = text;
    if (path == "ListBucketResult/CommonPrefixes/Prefix") page.prefixes.push_back(text);
    if (path == "ListBucketResult/Contents/Key") page.objects.back().key = text;
    if (path == "ListBucketResult/Contents/Size") {
      const auto bytes = number_in<std::uint64_t>(text);
      page.objects.back().bytes = bytes.value_or(0);
      return bytes.has_value();
    }
    if (path == "ListBucketResult/Contents/LastModified") {
      const auto time = parse_time(text);
      if (time) page.objects.back().modified = *time;
      return time.has_value();
    }
    return true;
  };
  FROND_TRY(Reader(leaf, open).read(xml, "ListBucketResult"));
  if (truncated && page.next.empty()) return Error(Code::kCorrupt, "a list that goes on, without a token for the rest");
  if (!truncated) page.next.clear();
  return page;
}

Result<std::string> parse_upload_id(ByteView xml) {
  std::string id;
  Reader reader([&](std::string_view path, const std::string& text) {
    if (path == "InitiateMultipartUploadResult/UploadId") id = text;
    return true;
  });
  FROND_TRY(reader.read(xml, "InitiateMultipartUploadResult"));
  if (id.empty() || id.size() > 1024) return Error(Code::kCorrupt, "an upload without an id");
  return id;
}

StoreError parse_error(ByteView xml) {
  StoreError error;
  Reader reader([&](std::string_view path, const std::string& text) {
    if (path == "Error/Code") error.code = for_people(text);
    if (path == "Error/Message") error.message = for_people(text);
    return true;
  });
  if (!reader.read(xml, "Error")) return {};
  return error;
}

Result<void> parse_completed(ByteView xml) {
  Reader reader([](std::string_view, const std::string&) { return true; });
  return reader.read(xml, "CompleteMultipartUploadResult");
}

Result<std::int64_t> parse_time(std::string_view text) {
  const std::string copy(text.substr(0, 64));
  struct tm utc {};
  const char* end = ::strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &utc);
  if (end == nullptr) {
    utc = {};
    end = ::strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  }
  if (end == nullptr || utc.tm_year < 70 || utc.tm_year > 8000) return Error(Code::kCorrupt, "not a time");
  return static_cast<std::int64_t>(::timegm(&utc));
}

}  // namespace frond::objects
