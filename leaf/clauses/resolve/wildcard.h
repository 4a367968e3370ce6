#pragma once
// Patterns of wildcards: `*` stands for any characters, `?` for one, `\` makes the next character text.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace frond::leaf::clauses {

// Immutable; any thread.
class WildcardPattern {
 public:
  // `normal` is applied to each stretch of text between signs.
  using Normal = std::function<std::string(std::string_view)>;
  explicit WildcardPattern(std::string_view pattern, const Normal& normal = nullptr);
  // What matches begins with this.
  const std::string& fixed() const { return fixed_; }
  bool matches(std::string_view text) const;

 private:
  static constexpr char32_t kAny = 0xffff'ffff, kOne = 0xffff'fffe;
  std::vector<char32_t> signs_;  // code points of text, kAny, kOne
  std::string fixed_;
};

}  // namespace frond::leaf::clauses
