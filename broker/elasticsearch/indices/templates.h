#pragma once
// Templates: what new indices get whose names match a pattern. Composable ones (_index_template), of which one counts,
// with the components that it names (_component_template); else all older ones (_template). Pure functions.
#include <cstddef>
#include <string>
#include <string_view>

#include "broker/elasticsearch/error.h"
#include "broker/elasticsearch/indices/catalogue.h"

namespace frond::broker::elasticsearch {

inline constexpr std::size_t kMaxTemplates = 256;  // of each kind

enum class TemplateKind : std::uint8_t { kIndex, kComponent, kLegacy };
std::string_view member_of(TemplateKind kind);  // of SharedMetadata: "index"

// A template as it is kept and shown: settings below "index", with texts for numbers. `kept`: those that there are.
// 400: a member is unknown or wrong, or its settings or mappings can't be read; 501: data streams.
Expected<Json> template_of(TemplateKind kind, std::string_view name, const Json& body, const Json& kept);

// The composable one that counts for an index of this name. Null: there is none.
const Json* composable_for(const Json& kept, std::string_view name);
// What an index of this name is made with: {"mappings","settings","aliases"} of `body`, over those of the templates
// that match.
Expected<Json> with_templates(const Json& kept, std::string_view name, const Json& body);

}  // namespace frond::broker::elasticsearch
