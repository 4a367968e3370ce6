#pragma once
// What a process that serves asks of the system before it starts.
#include <cstddef>

namespace frond {

// Raises the limit of open files to the most that the system allows, and outlives whoever reads its log: a broken pipe
// is an error of that write, not the end of the process. Returns how many files and sockets may be open. Once, first
// of all in main().
std::size_t prepare_server_process();

}  // namespace frond
