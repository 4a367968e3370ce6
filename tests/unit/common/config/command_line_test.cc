// One line says what is wrong with a command line, by the name that the user wrote.
#include "common/config/command_line.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace frond::config {
namespace {

// With commands "build" (which requires --input) and "check".
std::string refusal(std::vector<const char*> arguments) {
  CommandLine app("A test's program.", "program");
  std::string input;
  app.add_command("build", "Builds").add_option("--input", input, "What").required();
  app.add_command("check", "Checks");
  app.require_command();
  arguments.insert(arguments.begin(), "program");
  testing::internal::CaptureStderr();
  const auto code = app.parse(static_cast<int>(arguments.size()), arguments.data());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code.value_or(0), 2) << said;
  return said;
}

TEST(ACommandLine, NamesTheCommandsWhereNoneIsGiven) {
  EXPECT_EQ(refusal({}), "program: a command is needed: use one of build, check\n");
  EXPECT_EQ(refusal({"bild", "--input", "x"}), "program: 'bild' is no command: use one of build, check\n");
}
TEST(ACommandLine, NamesAFlagThatItDoesNotKnowBeforeOneThatIsMissing) {
  EXPECT_EQ(refusal({"build"}), "program: --input is required\n");
  EXPECT_EQ(refusal({"build", "--inptu", "x"}), "program: --inptu is no flag of build: see program build --help\n");
  EXPECT_EQ(refusal({"build", "--input", "x", "--fast=1"}),
            "program: --fast is no flag of build: see program build --help\n");
  EXPECT_EQ(refusal({"--input", "x", "build"}),
            "program: --input is no flag of program: flags of a command follow it\n");
  EXPECT_EQ(refusal({"--inptu", "x"}), "program: --inptu is no flag of program: see program --help\n");
  EXPECT_EQ(refusal({"build", "--input", "x", "y"}), "program: the argument 'y' was not expected\n");
}
TEST(ACommandLine, TakesNumbersOfARangeOnly) {
  const auto code = [](const char* text) {
    CommandLine app("A test's program.", "program");
    double share = 0;
    app.add_option("--share", share, "A share").check(range(0.0, 1.0));
    const std::vector<const char*> arguments = {"program", "--share", text};
    testing::internal::CaptureStderr();
    const auto refused = app.parse(static_cast<int>(arguments.size()), arguments.data());
    EXPECT_EQ(testing::internal::GetCapturedStderr().find("--share") != std::string::npos, refused.has_value());
    return refused.value_or(0);
  };
  for (const char* text : {"0", "1", "0.5", "1e-300"}) EXPECT_EQ(code(text), 0) << text;
  for (const char* text : {"nan", "NaN", "-nan", "inf", "-inf", "-0.1", "1.01", "1e300", "x", ""})
    EXPECT_EQ(code(text), 2) << text;
}
TEST(ACommandLine, NamesTheFileThatCannotBeUsed) {
  const support::ScratchFolder folder;
  const std::string file = folder / "conf";
  EXPECT_NE(refusal({"--config", file.c_str(), "check"}).find("--config: " + file), std::string::npos);
  support::write_file(file, "colour = red\n");
  EXPECT_EQ(refusal({"--config", file.c_str(), "check"}),
            "program: --config: " + file + ": 'colour' is no flag, or no line `flag = value`\n");
}

// What a program prints of itself.
std::string generated(const char* what) {
  CommandLine app("A test's program.", "a-program");
  std::string value;
  CommandLine& build = app.add_command("build", "Builds");
  build.add_option("--input", value, "What").required();
  build.add_option("--order", value, ".dots - and \\ too").check(one_of({"near", "far"})).show_default("near");
  app.require_command();
  const std::vector<const char*> arguments = {"a-program", "--generate", what};
  testing::internal::CaptureStdout();
  EXPECT_EQ(app.parse(3, arguments.data()), 0);
  return testing::internal::GetCapturedStdout();
}
// What a program prints for its flag --help, or another one.
std::string helped(const char* flag, bool marked) {
  CommandLine app("A test's program.", "a-program");
  std::string value;
  app.add_option("--place", value, "Where").required();
  Flag& colour = app.add_option("--colour", value, "Which colour").show_default("red");
  if (marked) colour.group("Looks");
  app.add_option("--depth", value, "How deep");
  const std::vector<const char*> arguments = {"a-program", flag};
  testing::internal::CaptureStdout();
  EXPECT_EQ(app.parse(2, arguments.data()), 0);
  return testing::internal::GetCapturedStdout();
}
TEST(ACommandLine, HelpsWithWhatUsersSetAndTellsOfTheRest) {
  const std::string some = helped("--help", true), all = helped("--help-all", true);
  for (const std::string& text : {some, all}) {
    EXPECT_LT(text.find("Needed:\n  --place"), text.find("Looks:\n  --colour")) << text;
    EXPECT_NE(text.find("--help-all"), text.npos);
  }
  EXPECT_EQ(some.find("--depth"), some.npos) << some;
  EXPECT_NE(some.find("These are 2 of 3 flags: --help-all lists all."), some.npos) << some;
  EXPECT_NE(all.find("More:\n  --depth"), all.npos) << all;
  EXPECT_EQ(all.find("These are"), all.npos) << all;
}
TEST(ACommandLine, HelpsWithAllFlagsWhereNoneIsMarked) {
  const std::string text = helped("--help", false);
  for (const char* part : {"Needed:\n  --place", "Flags:\n  --colour", "--depth"})
    EXPECT_NE(text.find(part), text.npos) << part << text;
  EXPECT_EQ(text.find("These are"), text.npos) << text;
}
TEST(ACommandLine, MakesALineForEachFlag) {
  EXPECT_EQ(generated("flags"),
            "a-program build\t--input\tneeded\tTEXT\t\tWhat\n"
            "a-program build\t--order\tshown\tTEXT:{near,far}\tnear\t.dots - and \\ too\n");
}
TEST(ACommandLine, MakesItsManualPage) {
  const std::string page = generated("man");
  EXPECT_TRUE(page.starts_with(".TH A-PROGRAM 1")) << page;
  for (const char* part : {".SS build\nBuilds.\n", ".TP\n\\fB\\-\\-input\\fR",
                           "(required). Environment: FROND_INPUT.\n", "\\&.dots \\- and \\e too (default: near)"})
    EXPECT_NE(page.find(part), std::string::npos) << part << page;
}
TEST(ACommandLine, MakesItsCompletion) {
  const support::ScratchFolder folder;
  std::ofstream(folder / "completion") << generated("bash");
  const auto completed = [&](const std::string& words) {
    const std::string script = "source " + (folder / "completion").string() + "; COMP_WORDS=(" + words +
                               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _a_program; echo ${COMPREPLY[@]}";
    FILE* const pipe = ::popen(("bash -c '" + script + "'").c_str(), "r");
    std::string said(200, '\0');
    said.resize(std::fread(said.data(), 1, said.size(), pipe));
    ::pclose(pipe);
    return said;
  };
  EXPECT_EQ(completed("a-program b"), "build\n");
  EXPECT_EQ(completed("a-program build --o"), "--order\n");
  EXPECT_EQ(completed("a-program build --order f"), "far\n");
  EXPECT_EQ(completed("a-program build --order \"\""), "near far\n");
}

}  // namespace
}  // namespace frond::config
