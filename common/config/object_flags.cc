#include "common/config/object_flags.h"

namespace frond::config {

void add_object_flags(CommandLine& app, objects::Access& access) {
  app.add_option("--s3-endpoint", access.endpoint,
                 "Server of an s3:// repository, http[s]://HOST[:PORT]; default: Amazon's for the region")
      .group("Object storage");
  app.add_option("--s3-region", access.region, "Region that requests are signed for")
      .show_default()
      .group("Object storage");
  app.add_option("--s3-path-style", access.path_style,
                 "on: the bucket is in the path; off: in the host's name; auto: on if there is an --s3-endpoint")
      .check(one_of({"auto", "on", "off"}))
      .show_default();
  app.add_option("--s3-credentials", access.credentials_file,
                 "File with aws_access_key_id and aws_secret_access_key, read again when it changes; default: the "
                 "environment's AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN")
      .type_name("FILE")
      .group("Object storage");
  app.add_option("--s3-part", access.part_bytes,
                 "Size of the ranges and parts that objects are read and written in, at least 5MiB")
      .transform(byte_size())
      .show_default("8MiB");
  app.add_option("--s3-connections", access.connections,
                 "Ranges or parts of one file that are moved at a time; each takes --s3-part of memory")
      .check(range(1, 64))
      .show_default();
  app.add_option("--s3-attempts", access.retries.attempts,
                 "How often a request that failed is sent, within two minutes, before the operation fails")
      .check(range(1, 100))
      .show_default();
  app.add_option("--s3-first-answer-seconds", access.retries.first_answer_s,
                 "How long a server that has never answered is asked, before the operation fails")
      .check(range(1, 600))
      .show_default();
}

}  // namespace frond::config
