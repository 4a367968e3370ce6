// The records of leases in a bucket: objects "<collection>/holders/<epoch>".
#include <utility>
#include <vector>

#include "common/repository/files.h"
#include "common/repository/storage.h"
#include "common/repository/writer_lease.h"

namespace frond::repository {
namespace {

class ObjectLeasePlace final : public LeasePlace {
 public:
  ObjectLeasePlace(std::shared_ptr<const objects::ObjectStore> store, std::string collection,
                   std::filesystem::path local)
      : store_(std::move(store)), collection_(std::move(collection)), local_(std::move(local)) {}

  Result<std::optional<Found>> newest() const override {
    const std::string prefix = collection_ + "/" + kHoldersFolder + "/";
    // It may be replaced by the next one between the two requests.
    for (bool again = true;; again = false) {
      const auto all = FROND_TRY(epochs(prefix));
      const std::uint64_t newest = FROND_TRY(newest_of(all, [this] { return current_epoch(); }));
      if (newest == 0) return std::optional<Found>();
      auto text = store_->get_text(prefix + std::to_string(newest), kMaxRecordBytes);
      if (text) return std::optional<Found>({newest, std::move(text->text)});
      if (text.error().code() != Code::kNotFound || !again) return text.error();
    }
  }
  Result<std::uint64_t> current_epoch() const override {
    constexpr std::size_t kMax = 64;
    const auto text = store_->get_text(collection_ + "/CURRENT", kMax);
    if (!text && text.error().code() == Code::kNotFound) return 0;
    if (!text) return text.error();
    const auto line = parse_current_line(text->text);
    return line ? line->epoch : 0;
  }
  Result<bool> take(const LeaseRecord& record, const std::optional<Found>& last) override {
    const auto lock = FROND_TRY(lock_local_folder(local_));
    const auto still_free = [&]() -> Result<bool> {
      if (!leave_free(FROND_TRY(epochs(collection_ + "/" + kHoldersFolder + "/")), record.epoch)) return false;
      if (!last) return true;
      const auto now = store_->get_text(collection_ + "/" + holder_path(last->epoch), kMaxRecordBytes);
      if (!now && now.error().code() != Code::kNotFound) return now.error();
      return now && now->text == last->text;
    };
    return take_epoch(store_, collection_, local_, record.epoch, to_json(record), still_free);
  }
  Result<void> rewrite(const LeaseRecord& record) override {
    FROND_TRY(store_->put(collection_ + "/" + holder_path(record.epoch), to_json(record), {}));
    return {};
  }
  Result<void> remove(std::uint64_t epoch) override { return store_->remove(collection_ + "/" + holder_path(epoch)); }

 private:
  Result<std::vector<std::uint64_t>> epochs(const std::string& prefix) const {
    std::vector<std::uint64_t> all;
    for (const auto& object : FROND_TRY(store_->list(prefix, /*folders=*/true)).objects)
      if (const auto epoch = number_of(std::string_view(object.key).substr(prefix.size())); epoch != 0)
        all.push_back(epoch);
    return all;
  }

  const std::shared_ptr<const objects::ObjectStore> store_;
  const std::string collection_;
  const std::filesystem::path local_;
};

}  // namespace

std::unique_ptr<LeasePlace> make_object_lease_place(std::shared_ptr<const objects::ObjectStore> store,
                                                    const std::string& collection, std::filesystem::path local) {
  return std::make_unique<ObjectLeasePlace>(std::move(store), collection, std::move(local));
}

}  // namespace frond::repository
