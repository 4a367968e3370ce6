#pragma once
// What templates leave of their arguments, for those that do little more than show one.
#include <optional>
#include <string>
#include <string_view>

namespace frond::indexer::ingest {

// `inside`: what stands between "{{" and "}}", as text: a name and arguments, separated by '|'. No value: a template
// that is not of the table, which holds those of inline text: {{lang|fr|mot}}, {{nowrap|…}}, {{convert|5|km|mi}}.
std::optional<std::string> text_of_template(std::string_view inside);

}  // namespace frond::indexer::ingest
