#include "indexer/write/mapped_records.h"

#include <utility>

#include "indexer/ingest/records/document.h"

namespace frond::indexer::write {
namespace {
// A record that is not parsed before it is logged has as many bytes at most. To parse it takes less than any memory
// limit has for a record.
constexpr std::size_t kSureBytes = 64 << 10;
static_assert(ingest::kMaxColumnBytes / elasticsearch::kValueBytes <= partition::kMaxValuesOfField);
}  // namespace

bool needs_no_check(const elasticsearch::PreparedDocument& made, std::string_view id) {
  return made.plain && made.record.size() <= kSureBytes && made.column_bytes <= ingest::kMaxColumnBytes &&
         ingest::check_id(id);
}

Result<MappedRecords> MappedRecords::open(CollectionWriter& writer, std::size_t room) {
  return MappedRecords(writer, FROND_TRY(writer.mapping()), room);
}

elasticsearch::Expected<std::string> MappedRecords::record_of(const std::string& id, std::string_view source) {
  if (waits_ && !brought_) return std::string();
  auto made = elasticsearch::document_of(*kept_.mapping, id, source, writer_.most_record_bytes());
  if (!made) return waits_ ? elasticsearch::Expected(std::string()) : std::move(made).error();
  if (made->mapping) {
    kept_.mapping = std::make_shared<const elasticsearch::Mapping>(*std::move(made->mapping));
    brought_ = waits_ = true;
  }
  waits_ = waits_ || (used_ > 0 && used_ + made->record.size() > room_);
  if (waits_) return std::string();
  if (!kept_.in_schema || !needs_no_check(*made, id))
    if (const auto checked = writer_.checked_id(made->record); !checked)
      return elasticsearch::ApiError{.type = "mapper_parsing_exception", .reason = checked.error().message()};
  used_ += made->record.size();
  return std::move(made->record);
}

elasticsearch::Json MappedRecords::brought() const {
  return brought_ ? elasticsearch::Json{{"properties", kept_.mapping->shown["properties"]}} : elasticsearch::Json();
}

}  // namespace frond::indexer::write
