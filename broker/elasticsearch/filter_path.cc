#include "broker/elasticsearch/filter_path.h"

#include <algorithm>
#include <vector>

#include "broker/elasticsearch/indices/catalogue.h"
#include "common/schema/json.h"

namespace frond::broker::elasticsearch {
namespace {

using Path = std::vector<std::string_view>;  // names that are still to be matched

std::vector<Path> split_paths(std::string_view paths, bool excluding) {
  std::vector<Path> all;
  for (std::string_view path : split_list(paths)) {
    if (path.starts_with('-') != excluding) continue;
    if (excluding) path.remove_prefix(1);
    Path names;
    while (!path.empty()) {
      names.push_back(path.substr(0, path.find('.')));
      path.remove_prefix(std::min(names.back().size() + 1, path.size()));
    }
    all.push_back(std::move(names));
  }
  return all;
}

// What of the paths concerns the member `name`; whole: one of them ends there.
std::vector<Path> below(const std::vector<Path>& paths, std::string_view name, bool& whole) {
  std::vector<Path> rest;
  for (const Path& path : paths) {
    if (path.empty()) continue;
    const bool any_depth = path[0] == "**";
    if (any_depth) {
      rest.push_back(path);
      if (path.size() == 1) whole = true;
      if (path.size() > 1 && matches_pattern(path[1], name)) {
        if (path.size() == 2) whole = true;
        rest.emplace_back(path.begin() + 2, path.end());
      }
    } else if (matches_pattern(path[0], name)) {
      if (path.size() == 1) whole = true;
      rest.emplace_back(path.begin() + 1, path.end());
    }
  }
  // Each once: of several "**" a path has many ways to a member.
  std::ranges::sort(rest);
  rest.erase(std::unique(rest.begin(), rest.end()), rest.end());
  return rest;
}

// Writes what it is told of an answer, without the members that are not wanted.
class Former : public nlohmann::json_sax<Json> {
 public:
  Former(const std::vector<Path>& paths, bool excluding, bool pretty)
      : paths_(paths), excluding_(excluding), pretty_(pretty) {}
  std::string take() { return std::move(out_); }

  bool null() override { return scalar("null"); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return scalar(text); }
  bool string(string_t& value) override { return scalar(schema::json_string(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return start('{'); }
  bool start_array(std::size_t) override { return start('['); }
  bool end_object() override { return end('}'); }
  bool end_array() override { return end(']'); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    level.whole = false;
    if (level.how == How::kSelect) level.rest = below(level.paths, name, level.whole);
    return true;
  }

 private:
  enum class How { kSelect, kKeep, kLeaveOut };
  struct Level {
    std::size_t begin;  // in the text, also of its name
    How how;
    bool list;
    std::vector<Path> paths = {};
    bool any = false, lost = false;  // something in it was written; was left out
    // Of the member that comes.
    std::string key = {};
    std::vector<Path> rest = {};
    bool whole = false;
  };

  How how_next(bool structured) const {
    if (levels_.empty()) return How::kSelect;
    const Level& level = levels_.back();
    if (level.how != How::kSelect) return level.how;
    if (level.whole && !level.list) return excluding_ ? How::kLeaveOut : How::kKeep;
    if (!structured) return excluding_ ? How::kKeep : How::kLeaveOut;
    return excluding_ || level.list || !level.rest.empty() ? How::kSelect : How::kLeaveOut;
  }
  void new_line() {
    if (pretty_) out_.append("\n").append(2 * levels_.size(), ' ');
  }
  void write_name() {
    if (levels_.empty()) return;
    if (levels_.back().any) out_ += ',';
    new_line();
    if (!levels_.back().list) out_.append(schema::json_string(levels_.back().key)).append(pretty_ ? ": " : ":");
  }
  bool scalar(std::string_view text) {
    const bool kept = how_next(false) != How::kLeaveOut;
    if (kept) {
      write_name();
      out_ += text;
    }
    if (!levels_.empty()) (kept ? levels_.back().any : levels_.back().lost) = true;
    return true;
  }
  bool start(char sign) {
    Level level{.begin = out_.size(), .how = how_next(true), .list = sign == '['};
    if (level.how == How::kSelect)
      level.paths = levels_.empty() ? paths_ : levels_.back().list ? levels_.back().paths : levels_.back().rest;
    if (level.how != How::kLeaveOut) {
      write_name();
      out_ += sign;
    }
    levels_.push_back(std::move(level));
    return true;
  }
  // What is left empty goes, unless it was empty.
  bool end(char sign) {
    const Level level = std::move(levels_.back());
    levels_.pop_back();
    const bool emptied = level.how == How::kSelect && !level.any && (level.lost || !excluding_);
    const bool kept = level.how != How::kLeaveOut && (!emptied || levels_.empty());
    if (!kept) {
      out_.resize(level.begin);
    } else {
      if (level.any) new_line();
      out_ += sign;
    }
    if (!levels_.empty()) (kept ? levels_.back().any : levels_.back().lost) = true;
    return true;
  }

  const std::vector<Path>& paths_;
  const bool excluding_, pretty_;
  std::string out_;
  std::vector<Level> levels_;
};

std::string form_with(const std::string& answer, const std::vector<Path>& paths, bool excluding, bool pretty) {
  Former former(paths, excluding, pretty);
  return Json::sax_parse(answer, &former) ? former.take() : answer;
}

}  // namespace

Expected<void> check_paths(std::string_view paths) {
  std::size_t names = 0;
  for (const bool excluding : {false, true})
    for (const Path& path : split_paths(paths, excluding)) names += path.size();
  if (names > kMaxPathNames)
    return illegal_argument("[filter_path] has more than " + std::to_string(kMaxPathNames) + " names");
  return {};
}

std::string formed(const std::string& answer, std::string_view paths, bool pretty) {
  const auto wanted = split_paths(paths, false), unwanted = split_paths(paths, true);
  if (wanted.empty()) return form_with(answer, unwanted, true, pretty);
  return form_with(form_with(answer, wanted, false, false), unwanted, true, pretty);
}

}  // namespace frond::broker::elasticsearch
