#pragma once
// The flags that say how an object store is reached, for every process that takes s3://bucket/prefix.
#include "common/config/command_line.h"
#include "common/objects/place.h"

namespace frond::config {

// For reading. Keys are never flags: they come from the file that --s3-credentials names, or from the environment.
void add_object_flags(CommandLine& app, objects::Access& access);

}  // namespace frond::config
