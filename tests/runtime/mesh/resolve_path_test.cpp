// The guard on paths: inside the folder or refused, by name.
#include "runtime/io/resolve_path.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace asb {
namespace {

namespace fs = std::filesystem;

class ResolvePath : public ::testing::Test {
 protected:
  void SetUp() override {
    outer_ = fs::canonical(fs::temp_directory_path()) /
             ("asb_resolve_path." + std::to_string(::getpid()));
    root_ = outer_ / "program";
    fs::create_directories(root_ / "poses");
    std::ofstream(root_ / "rest.obj") << "x";
    std::ofstream(outer_ / "secret.obj") << "x";
    fs::create_directories(outer_ / "program-other");
  }
  void TearDown() override { fs::remove_all(outer_); }
  std::string outcome(std::string_view path) const {
    const Result<std::string> r = resolve_path(root_.string(), path);
    return r ? *r : r.error().name;
  }
  fs::path outer_, root_;
};

TEST_F(ResolvePath, FilesInsideAreFoundAlsoWhenTheyDoNotExistYet) {
  EXPECT_EQ(outcome("rest.obj"), (root_ / "rest.obj").string());
  EXPECT_EQ(outcome("poses/../rest.obj"), (root_ / "rest.obj").string());
  EXPECT_EQ(outcome("new/a.vtu"), (root_ / "new/a.vtu").string());
}

TEST_F(ResolvePath, WhatLeavesTheFolderIsRefusedNamingBoth) {
  EXPECT_EQ(outcome("../secret.obj"), "path-leaves-folder");
  EXPECT_EQ(outcome("poses/../../secret.obj"), "path-leaves-folder");
  EXPECT_EQ(outcome("../program-other/a"), "path-leaves-folder");  // begins with the same letters
  EXPECT_EQ(outcome("nowhere/../../secret.obj"), "path-leaves-folder");
  const Result<std::string> r = resolve_path(root_.string(), "../secret.obj");
  EXPECT_NE(r.error().message.find("`../secret.obj`"), std::string::npos);
  EXPECT_NE(r.error().message.find(root_.string()), std::string::npos);
}

TEST_F(ResolvePath, AbsolutePathsAreRefusedAlsoInside) {
  EXPECT_EQ(outcome((root_ / "rest.obj").string()), "path-absolute");
  EXPECT_EQ(outcome("/etc/passwd"), "path-absolute");
}

TEST_F(ResolvePath, LinksThatLeadOutAreRefusedAndLinksWithinAreNot) {
  fs::create_symlink(outer_ / "secret.obj", root_ / "link.obj");
  fs::create_directory_symlink(outer_, root_ / "up");
  fs::create_symlink("rest.obj", root_ / "same.obj");
  fs::create_symlink("loop", root_ / "loop");
  EXPECT_EQ(outcome("link.obj"), "path-leaves-folder");
  EXPECT_EQ(outcome("up/secret.obj"), "path-leaves-folder");
  EXPECT_EQ(outcome("same.obj"), (root_ / "rest.obj").string());
  EXPECT_EQ(outcome("loop"), "path-unresolved");
}

TEST_F(ResolvePath, EmptyPathsZeroBytesAndMissingFoldersAreErrors) {
  EXPECT_EQ(outcome(""), "path-empty");
  EXPECT_EQ(outcome(std::string_view("rest.obj\0x", 10)), "path-empty");
  EXPECT_EQ(resolve_path((outer_ / "none").string(), "a").error().name, "path-root");
}

}  // namespace
}  // namespace asb
