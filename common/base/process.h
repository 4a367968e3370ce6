#pragma once
// What a process sets up with the system when it starts.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace frond {

// Raises the limit of open files to the system's maximum, ignores SIGPIPE (so that a closed pipe is an error of one
// write, not the end of the process), and calls report_uncaught_exceptions() and Logger::follow_signals(). Returns how
// many files and sockets may be open. Called once, first in main().
std::size_t prepare_server_process();

// The name of a process that was given none: "<host name>:<port>". In a pod the host name is the pod's.
std::string default_node_name(std::uint16_t port);

// Makes an uncaught exception write its text to stderr and abort. The C++ library's handler would block for ever if
// stderr is a pipe that is not read. Called once, first in main().
void report_uncaught_exceptions();

// Standard output of a program whose results are printed there.

// Call first in main(): a descriptor that the caller has closed is taken, so that no file gets its number and then what
// is meant for standard output.
void hold_standard_descriptors();

// Call last in main(), with the exit code: writes what is buffered. Gives the code, but 1 after a line on stderr if it
// is 0 and some of what was printed could not be written, to a full disk for example.
int finish_output(std::string_view program, int status);

}  // namespace frond
