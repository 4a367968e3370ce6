// Any bytes as the body that creates an index: a mapping whose schema is good and whose shown form is read back, and
// settings that keep their values; or an error. The same bytes as a template, and as what is to be analyzed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "broker/elasticsearch/indices/analyze.h"
#include "broker/elasticsearch/indices/catalogue_follower.h"
#include "broker/elasticsearch/indices/index_settings.h"
#include "broker/elasticsearch/indices/templates.h"
#include "common/base/check.h"
#include "common/elasticsearch/json_body.h"
#include "common/elasticsearch/mapping.h"
#include "common/schema/schema.h"
#include "common/schema/schema_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace es = frond::broker::elasticsearch;
  const auto body = es::parse_object(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!body) return 0;
  (void)es::analyzed(*body, nullptr);
  for (const auto kind : {es::TemplateKind::kIndex, es::TemplateKind::kComponent, es::TemplateKind::kLegacy})
    if (const auto made = es::template_of(kind, "t", *body, es::Json::object())) {
      const es::Json kept = {{std::string(es::member_of(kind)), {{"t", *made}}}};
      FROND_CHECK(es::with_templates(kept, "name", es::Json::object()));
    }
  const auto settings = es::read_settings(body->value("settings", es::Json()));
  if (!settings) return 0;
  const es::Json shown = es::nested(*settings);
  FROND_CHECK(es::nested(es::flattened(shown)) == shown);
  const auto mapping = es::read_mapping(shown, body->value("mappings", es::Json()), es::Origin::kRequest);
  if (!mapping) {
    FROND_CHECK(mapping.error().status >= 400 && !mapping.error().type.empty());
    return 0;
  }
  const auto schema = es::schema_of(*mapping);
  FROND_CHECK(frond::schema::check(schema).has_value());
  const auto again = es::read_mapping(shown, mapping->shown);
  FROND_CHECK(again && es::schema_of(*again) == schema && again->shown == mapping->shown);
  (void)es::derived_index("name", frond::schema::schema_text(schema));
  return 0;
}
