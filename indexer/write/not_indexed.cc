#include "indexer/write/not_indexed.h"

#include <fcntl.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "common/files/write.h"

namespace frond::indexer::write {
namespace {

namespace fs = std::filesystem;

// No text in the members before it has it: quotes are escaped there.
constexpr std::string_view kBeforeDocument = ",\"document\":";

std::string line_of(const NotIndexed::Document& document, std::string_view line) {
  std::string text =
      nlohmann::ordered_json({{"id", document.id}, {"sequence", document.sequence}, {"reason", document.reason}})
          .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.pop_back();
  return text.append(kBeforeDocument).append(line).append("}\n");
}

// A line that somebody has changed may have none of the members.
NotIndexed::Document document_of(std::string_view line) {
  const auto head = nlohmann::json::parse(std::string(line.substr(0, line.find(kBeforeDocument))) + "}", nullptr,
                                          /*allow_exceptions=*/false);
  NotIndexed::Document document;
  if (!head.is_object()) return document;
  if (const auto id = head.find("id"); id != head.end() && id->is_string()) document.id = *id;
  if (const auto number = head.find("sequence"); number != head.end() && number->is_number_unsigned())
    document.sequence = *number;
  if (const auto why = head.find("reason"); why != head.end() && why->is_string()) document.reason = *why;
  return document;
}

}  // namespace

Result<std::unique_ptr<NotIndexed>> NotIndexed::open(const fs::path& folder) {
  std::unique_ptr<NotIndexed> opened(new NotIndexed(folder / kNotIndexedFile));
  FROND_TRY(opened->load());
  return opened;
}

Result<void> NotIndexed::load() {
  const MutexLock lock(mutex_);
  std::error_code failed;
  if (!fs::is_regular_file(file_, failed)) return {};
  std::ifstream in(file_, std::ios::binary);
  std::uint64_t whole = 0;  // bytes of lines with an end
  for (std::string line; std::getline(in, line) && !in.eof(); whole += line.size() + 1) note(document_of(line));
  if (in.bad() || !in.eof()) return Error(Code::kUnavailable, file_.string() + " can't be read");
  in.close();
  fs::resize_file(file_, whole, failed);
  if (failed) return Error(Code::kUnavailable, file_.string() + ": " + failed.message());
  return {};
}

void NotIndexed::note(Document document) {
  ++listed_.documents;
  last_ = document.sequence;
  if (listed_.first.size() < kMaxListed) listed_.first.push_back(std::move(document));
}

void NotIndexed::forget_removed() const {
  std::error_code unknown;
  if (listed_.documents == 0 || fs::exists(file_, unknown) || unknown) return;
  listed_ = {};
  last_ = 0;
}

Result<void> NotIndexed::add(const Operation& document, Sequence sequence, std::string_view reason) {
  const MutexLock lock(mutex_);
  forget_removed();
  if (sequence == last_) return {};
  Document added{document.id, sequence, std::string(reason)};
  const auto out = FROND_TRY(files::open(file_, O_WRONLY | O_CREAT | O_APPEND, 0600));
  std::error_code failed;
  const std::uint64_t before = fs::file_size(file_, failed);
  if (failed) return Error(Code::kUnavailable, file_.string() + ": " + failed.message());
  auto written = files::write_all(out, as_bytes(line_of(added, document.line)), file_);
  if (written) written = files::sync(out, file_);
  if (written) written = files::sync_parent(file_);
  if (!written) {
    fs::resize_file(file_, before, failed);
    return written;
  }
  note(std::move(added));
  return {};
}

NotIndexed::Listed NotIndexed::listed() const {
  const MutexLock lock(mutex_);
  forget_removed();
  return listed_;
}

}  // namespace frond::indexer::write
