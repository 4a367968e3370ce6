#include "common/query/sort_order.h"

#include <algorithm>
#include <utility>

#include "common/base/text.h"
#include "common/query/column_key.h"

namespace frond::query {
namespace {

// Before what a document has of a column: one without a value has this alone.
constexpr unsigned char kMissingFirst = 0, kPresent = 1, kMissingLast = 2;
unsigned char missing_byte(const SortKey& key) { return key.missing_first ? kMissingFirst : kMissingLast; }

// Of keywords: a zero byte is 0 and kEscaped, and 0 and kEnd follow the last byte, so that no word's bytes begin
// another's.
constexpr unsigned char kEnd = 0, kEscaped = 0xff;

// Bytes whose order is that of the key: descending ones are inverted.
class Appender {
 public:
  Appender(const SortKey& key, std::string& to) : to_(to), mask_(key.descending ? 0xff : 0) {}
  void byte(unsigned char value) { to_ += static_cast<char>(value ^ mask_); }
  void number(std::uint64_t value, unsigned bytes) {
    while (bytes-- > 0) byte(static_cast<unsigned char>(value >> 8 * bytes));
  }

 private:
  std::string& to_;
  const unsigned char mask_;
};

class SortBytesReader {
 public:
  explicit SortBytesReader(std::string_view bytes) : bytes_(bytes) {}

  // Empty: there is no further byte.
  std::optional<unsigned char> plain() {
    if (bytes_.empty()) return {};
    const auto value = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return value;
  }
  std::optional<unsigned char> byte(const SortKey& key) {
    const auto value = plain();
    if (!value) return {};
    return static_cast<unsigned char>(*value ^ (key.descending ? 0xff : 0));
  }
  std::optional<std::uint64_t> number(const SortKey& key, unsigned bytes) {
    std::uint64_t value = 0;
    while (bytes-- > 0) {
      const auto next = byte(key);
      if (!next) return {};
      value = value << 8 | *next;
    }
    return value;
  }
  std::optional<std::string> word(const SortKey& key) {
    std::string word;
    while (word.size() <= schema::kMaxKeywordBytes) {
      const auto next = byte(key);
      if (!next) return {};
      if (*next == 0) {
        const auto sign = byte(key);
        if (sign && *sign == kEnd) return word;
        if (!sign || *sign != kEscaped) return {};
      }
      word += static_cast<char>(*next);
    }
    return {};
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

Error invalid(std::string_view name, const std::string& what) {
  return {Code::kInvalid, "key " + schema::quote(std::string(name)) + " " + what};
}

Result<SortKey> parse_key(std::string_view text) {
  const std::string_view whole = text;
  SortKey key;
  const std::string_view name = text.substr(0, text.find(':'));
  text.remove_prefix(name.size());
  if (name == kByScore) {
    key.by = SortKey::By::kScore;
    key.descending = true;
  } else if (name == kByOrder) {
    key.by = SortKey::By::kOrder;
  } else if (schema::is_field_name(name)) {
    key.field = std::string(name);
  } else {
    return invalid(whole, "begins with no name of a field, _score or _order");
  }
  bool has_way = false, has_missing = false;
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view option = text.substr(0, text.find(':'));
    text.remove_prefix(option.size());
    if ((option == "asc" || option == "desc") && !has_way && !has_missing) {
      has_way = true;
      key.descending = option == "desc";
    } else if ((option == "first" || option == "last") && !has_missing) {
      if (key.by != SortKey::By::kColumn)
        return invalid(whole, "has " + std::string(option) + ", and all documents have a score and a place");
      has_missing = true;
      key.missing_first = option == "first";
    } else {
      return invalid(whole,
                     "has " + schema::quote(std::string(option)) + ", where asc or desc and then first or last can be");
    }
  }
  return key;
}

bool same_source(const SortKey& a, const SortKey& b) { return a.by == b.by && a.field == b.field; }

std::string_view name_of(const SortKey& key) {
  if (key.by == SortKey::By::kScore) return kByScore;
  return key.by == SortKey::By::kOrder ? kByOrder : std::string_view(key.field);
}

std::optional<SortValue> column_value(SortBytesReader& reader, const SortKey& key, schema::FieldType type) {
  SortValue value;
  const auto presence = reader.plain();
  if (presence == missing_byte(key)) return value;
  if (presence != kPresent) return {};
  if (type == schema::FieldType::kKeyword) {
    auto word = reader.word(key);
    if (!word) return {};
    value.value = *std::move(word);
  } else {
    const auto number = reader.number(key, 8);
    if (!number || !is_column_key(type, *number)) return {};
    value.value = schema::value_of_key(type, *number);
  }
  return value;
}

}  // namespace

Result<SortOrder> parse_sort(std::string_view text) {
  SortOrder order;
  for (bool more = true; more;) {
    const std::string_view item = text.substr(0, text.find(','));
    more = item.size() < text.size();
    text.remove_prefix(item.size() + (more ? 1 : 0));
    if (order.size() == kMaxSortKeys)
      return invalid(trimmed(item), "is one more than " + std::to_string(kMaxSortKeys) + " keys");
    SortKey key = FROND_TRY(parse_key(trimmed(item)));
    if (std::ranges::any_of(order, [&](const SortKey& one) { return same_source(one, key); }))
      return invalid(trimmed(item), "is there twice");
    order.push_back(std::move(key));
  }
  const auto place = std::ranges::find(order, SortKey::By::kOrder, &SortKey::by);
  if (place != order.end()) order.erase(place + 1, order.end());  // no two documents have one place
  return order;
}

std::string sort_text(const SortOrder& order) {
  std::string text;
  for (const SortKey& key : order) {
    if (!text.empty()) text += ',';
    text += name_of(key);
    text += key.descending ? ":desc" : ":asc";
    if (key.by == SortKey::By::kColumn) text += key.missing_first ? ":first" : ":last";
    if (key.by == SortKey::By::kOrder) break;
  }
  return text;
}

Result<void> check_sort(const SortOrder& order, const schema::Schema& schema) {
  for (const SortKey& key : order) {
    if (key.by != SortKey::By::kColumn) continue;
    const schema::Field* const field = schema.find(key.field);
    if (field == nullptr) return schema::unknown_field(schema, key.field);
    if (!schema::is_column(field->type))
      return Error(Code::kInvalid, "field '" + key.field + "' is " + std::string(schema::name_of(field->type)) +
                                       ", and only columns can order hits");
  }
  return {};
}

bool needs_scores(const SortOrder& order) {
  return std::ranges::any_of(order, [](const SortKey& key) { return key.by == SortKey::By::kScore; });
}

void SortBytes::add_number(const SortKey& key, std::optional<std::uint64_t> ordering_key, std::string& to) {
  to += static_cast<char>(ordering_key ? kPresent : missing_byte(key));
  if (ordering_key) Appender(key, to).number(*ordering_key, 8);
}

void SortBytes::add_keyword(const SortKey& key, std::optional<std::string_view> word, std::string& to) {
  to += static_cast<char>(word ? kPresent : missing_byte(key));
  if (!word) return;
  Appender append(key, to);
  for (const char c : *word) {
    append.byte(static_cast<unsigned char>(c));
    if (c == 0) append.byte(kEscaped);
  }
  append.byte(0);
  append.byte(kEnd);
}

void SortBytes::add_score(const SortKey& key, scoring::Score score, std::string& to) {
  Appender(key, to).number(score, sizeof score);
}

void SortBytes::add_order(const SortKey& key, Ordinal ordinal, std::string& to) {
  Appender(key, to).number(ordinal, sizeof ordinal);
}

Result<std::vector<SortValue>> read_sort_bytes(std::string_view bytes, const SortOrder& order,
                                               const schema::Schema& schema) {
  SortBytesReader reader(bytes);
  std::vector<SortValue> values;
  const auto corrupt = [](const SortKey& key) {
    return Error(Code::kCorrupt, "sort bytes: key '" + std::string(name_of(key)) + "' has no such value");
  };
  for (const SortKey& key : order) {
    std::optional<SortValue> value;
    if (key.by == SortKey::By::kColumn) {
      const schema::Field* const field = schema.find(key.field);
      if (field == nullptr || !schema::is_column(field->type)) return corrupt(key);
      value = column_value(reader, key, field->type);
    } else if (const auto number = reader.number(key, key.by == SortKey::By::kScore ? 4 : 8)) {
      value.emplace();
      value->score = key.by == SortKey::By::kScore ? static_cast<scoring::Score>(*number) : 0;
      value->ordinal = key.by == SortKey::By::kOrder ? *number : 0;
    }
    if (!value) return corrupt(key);
    values.push_back(*std::move(value));
    if (key.by == SortKey::By::kOrder) break;
  }
  if (!reader.at_end()) return Error(Code::kCorrupt, "sort bytes: something follows the last key");
  return values;
}

}  // namespace frond::query
