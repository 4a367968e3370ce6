#include "common/partition/documents/id_sorter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <queue>
#include <utility>

#include "common/base/bytes.h"
#include "common/files/read.h"
#include "common/files/write.h"
#include "common/partition/files/rocks.h"
#include "common/partition/partition.h"

namespace frond::partition {
namespace {

constexpr std::size_t kWriteBytes = 1 << 20;
constexpr std::size_t kMinReadBytes = 16 << 10;

Error twice(std::string_view id, DocId first, DocId second) {
  return Error(Code::kInvalid, "external id " + printable(id) + " of documents " +
                                   std::to_string(std::min(first, second)) + " and " +
                                   std::to_string(std::max(first, second)));
}

}  // namespace

// Reads one run from its front. Records: varint length, the id, varint docID.
class IdSorter::RunReader {
 public:
  RunReader(const IdSorter& sorter, Run run, std::size_t buffer_bytes)
      : sorter_(sorter), run_(run), buffer_bytes_(buffer_bytes) {}

  // False at the run's end.
  Result<bool> next() {
    for (;;) {
      ByteReader reader(ByteView(buffer_).subspan(at_));
      const auto id = reader.get_text();
      const auto docid = reader.get_varint();
      if (reader.ok()) {
        id_ = id;
        docid_ = static_cast<DocId>(docid);
        at_ = buffer_.size() - reader.left();
        return true;
      }
      if (run_.begin == run_.end) return false;
      FROND_TRY(refill());
    }
  }
  std::string_view id() const { return id_; }
  DocId docid() const { return docid_; }

 private:
  // Keeps the unread rest. The buffer grows while a record does not fit.
  Result<void> refill() {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    const std::size_t kept = buffer_.size();
    const std::size_t want = std::min<std::uint64_t>(buffer_bytes_, run_.end - run_.begin);
    buffer_.resize(kept + want);
    const std::size_t got =
        FROND_TRY(files::read_at(sorter_.file_, run_.begin, std::span(buffer_).subspan(kept), sorter_.scratch_));
    if (got < want) return Error(Code::kUnavailable, sorter_.scratch_.string() + ": the scratch file ends too early");
    run_.begin += got;
    return {};
  }

  const IdSorter& sorter_;
  Run run_;
  std::size_t buffer_bytes_;
  ByteBuffer buffer_;
  std::size_t at_ = 0;
  std::string_view id_;
  DocId docid_ = 0;
};

IdSorter::IdSorter(std::filesystem::path scratch, std::size_t memory_bytes)
    : scratch_(std::move(scratch)), memory_bytes_(memory_bytes) {}
IdSorter::~IdSorter() = default;

Result<void> IdSorter::add(std::string_view id, DocId docid) {
  // Reserves half of the budget for each once; growing by doubling would exceed it.
  if (entries_.capacity() == 0) {
    text_.reserve(memory_bytes_ / 2);
    entries_.reserve(memory_bytes_ / 2 / sizeof(Entry));
  }
  const bool text_full = text_.size() + id.size() > text_.capacity();
  if (!entries_.empty() && (text_full || entries_.size() == entries_.capacity())) FROND_TRY(spill());
  entries_.push_back({0, text_.size(), static_cast<std::uint32_t>(id.size()), docid});
  text_.append(id);
  return {};
}

// How many bytes all ids begin with.
std::size_t IdSorter::common_bytes() const {
  if (entries_.empty()) return 0;
  std::string_view common = id_of(entries_.front());
  for (const Entry& entry : entries_) {
    const std::string_view id = id_of(entry).substr(0, common.size());
    if (common.starts_with(id) && id.size() == common.size()) continue;
    common = common.substr(0, std::mismatch(id.begin(), id.end(), common.begin()).first - id.begin());
  }
  return common.size();
}

// Most comparisons need no look at the ids, which lie all over memory.
void IdSorter::sort() {
  const std::size_t common = common_bytes();
  for (Entry& entry : entries_) {
    const std::string_view rest = id_of(entry).substr(common);
    entry.head = 0;
    std::memcpy(&entry.head, rest.data(), std::min(rest.size(), sizeof entry.head));
    entry.head = __builtin_bswap64(entry.head);
  }
  std::sort(entries_.begin(), entries_.end(), [this](const Entry& a, const Entry& b) {
    return a.head != b.head ? a.head < b.head : id_of(a) < id_of(b);
  });
}

Result<void> IdSorter::spill() {
  if (!file_.valid()) {
    file_ = FROND_TRY(files::open(scratch_, O_RDWR | O_CREAT | O_TRUNC, 0600));
    ::unlink(scratch_.c_str());
  }
  sort();
  const std::uint64_t begin = file_bytes_;
  ByteBuffer out;
  ByteWriter writer(out);
  for (const auto& entry : entries_) {
    writer.put_text(id_of(entry));
    writer.put_varint(entry.docid);
    if (out.size() >= kWriteBytes) {
      FROND_TRY(write_out(out));
      out.clear();
    }
  }
  FROND_TRY(write_out(out));
  runs_.push_back({begin, file_bytes_});
  entries_.clear();
  text_.clear();
  return {};
}

Result<void> IdSorter::write_out(ByteView bytes) {
  FROND_TRY(files::write_all(file_, bytes, scratch_));
  file_bytes_ += bytes.size();
  return {};
}

Result<void> IdSorter::finish(const std::function<Result<void>(std::string_view, DocId)>& visit) {
  if (!runs_.empty()) {
    FROND_TRY(spill());
    return merge(visit);
  }
  sort();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i > 0 && id_of(entries_[i]) == id_of(entries_[i - 1]))
      return twice(id_of(entries_[i]), entries_[i - 1].docid, entries_[i].docid);
    FROND_TRY(visit(id_of(entries_[i]), entries_[i].docid));
  }
  return {};
}

Result<void> IdSorter::merge(const std::function<Result<void>(std::string_view, DocId)>& visit) {
  std::string().swap(text_);
  std::vector<Entry>().swap(entries_);
  std::vector<std::unique_ptr<RunReader>> readers;
  const auto later = [](const RunReader* a, const RunReader* b) { return a->id() > b->id(); };
  std::priority_queue<RunReader*, std::vector<RunReader*>, decltype(later)> front(later);
  const std::size_t buffer_bytes = std::max(kMinReadBytes, memory_bytes_ / runs_.size());
  for (const auto& run : runs_) {
    readers.push_back(std::make_unique<RunReader>(*this, run, buffer_bytes));
    if (FROND_TRY(readers.back()->next())) front.push(readers.back().get());
  }
  std::string last;
  DocId last_docid = kNoDoc;
  while (!front.empty()) {
    RunReader* const least = front.top();
    front.pop();
    if (last_docid != kNoDoc && least->id() == last) return twice(last, last_docid, least->docid());
    last.assign(least->id());
    last_docid = least->docid();
    FROND_TRY(visit(last, last_docid));
    if (FROND_TRY(least->next())) front.push(least);
  }
  return {};
}

}  // namespace frond::partition
