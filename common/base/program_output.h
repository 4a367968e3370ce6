#pragma once
// Standard output of a program whose results are printed there.
#include <string_view>

namespace frond {

// Call first in main(): a descriptor that the caller has closed is taken, so that no file gets its number and then what
// is meant for standard output.
void hold_standard_descriptors();

// Call last in main(), with the exit code: writes what is buffered. Gives the code, but 1 after a line on stderr if it
// is 0 and some of what was printed could not be written, to a full disk for example.
int finish_output(std::string_view program, int status);

}  // namespace frond
