#pragma once
// What a process that serves asks of the system before it starts.
#include <cstddef>
#include <cstdint>
#include <string>

namespace frond {

// Raises the limit of open files to the most that the system allows, and outlives whoever reads its log: a broken pipe
// is an error of that write, not the end of the process. Returns how many files and sockets may be open. Once, first
// of all in main().
std::size_t prepare_server_process();

// What people call the process, where nothing was said: this machine's name (in a pod, the pod's) and `port`.
std::string default_node_name(std::uint16_t port);

}  // namespace frond
