// Weight files: there and back, other writers' layouts, and damage of every kind.
#include "runtime/io/weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "base/atomic_file.h"
#include "runtime/io/zip_archive.h"
#include "tests/support/random.h"

namespace asb::test {
namespace {

std::vector<NamedArray> weights() {
  Random random(11);
  std::vector<double> single = random.uniforms(12);
  for (double& x : single) x = static_cast<float>(x);
  return {{"act.h[2].linear.weight", {4, 3}, single, true},
          {"z", {2, 1, 3}, {0.1, -0.0, 1e300, std::numeric_limits<double>::denorm_min(), HUGE_VAL, 3}},
          {"mu", {}, {random.uniform(0, 1)}},
          {"none", {0, 5}, {}, true},
          {"quote \" and \\ and ü", {1}, {2}}};
}

void expect_same(const std::vector<NamedArray>& a, const std::vector<NamedArray>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const NamedArray& x : a) {
    const auto y = std::find_if(b.begin(), b.end(), [&](const NamedArray& other) { return other.name == x.name; });
    ASSERT_NE(y, b.end()) << x.name;
    EXPECT_EQ(x.shape, y->shape) << x.name;
    EXPECT_EQ(x.is_f32, y->is_f32) << x.name;
    ASSERT_EQ(x.values.size(), y->values.size()) << x.name;
    EXPECT_TRUE(x.values.empty() || std::memcmp(x.values.data(), y->values.data(), x.values.size() * sizeof(double)) == 0) << x.name;
  }
}

std::string bytes_of(const std::string& name) {
  const auto bytes = weight_bytes(name, weights());
  EXPECT_TRUE(bytes) << bytes.error().message;
  return bytes.value_or("");
}

class WeightFiles : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, WeightFiles, testing::Values("w.safetensors", "w.pt", "w.pth"),
                         [](const auto& info) { return std::string(info.param).substr(2); });

TEST_P(WeightFiles, AreReadAsTheyWereWritten) {
  const std::string path = (std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + GetParam())).string();
  const auto written = write_weights(path, weights());
  ASSERT_TRUE(written) << written.error().message;
  const auto read = read_weights(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(read) << read.error().message;
  expect_same(weights(), *read);
}

TEST_P(WeightFiles, OfEqualWeightsAreEqualBytes) { EXPECT_EQ(bytes_of(GetParam()), bytes_of(GetParam())); }

TEST_P(WeightFiles, CutOffAnywhereAreRefused) {
  const std::string bytes = bytes_of(GetParam());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto read = parse_weights(std::string_view(bytes).substr(0, size), GetParam());
    ASSERT_FALSE(read) << size << " of " << bytes.size() << " bytes";
    ASSERT_NE(read.error().message.find(GetParam()), std::string::npos);
  }
}

TEST_P(WeightFiles, WithAnyByteChangedAreRefusedOrReadWithoutHarm) {
  const std::string bytes = bytes_of(GetParam());
  Random random(5);
  int refused = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::string changed = bytes;
    for (int k = random.integer(1, 3); k > 0; --k)
      changed[static_cast<size_t>(random.integer(0, static_cast<int>(bytes.size()) - 1))] = static_cast<char>(random.bits());
    const auto read = parse_weights(changed, GetParam());
    refused += !read;
    if (read)
      for (const NamedArray& a : *read) {
        int64_t count = 1;
        for (const int64_t n : a.shape) count *= n;
        ASSERT_EQ(static_cast<size_t>(count), a.values.size());
      }
  }
  EXPECT_GT(refused, 500);
}

TEST(WeightFiles, OfAnUnknownEndingAreRefused) {
  EXPECT_EQ(read_weights("weights.bin").error().name, "weights-format");
  EXPECT_EQ(write_weights("weights", weights()).error().hint, "use `.safetensors` or `.pt`");
}

// ------------------------------------------------------------------------------------------------ .safetensors

std::string safetensors(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

Result<std::vector<NamedArray>> parse(const std::string& header, const std::string& data) {
  return parse_weights(safetensors(header, data), "w.safetensors");
}

TEST(Safetensors, OfOtherNumberTypesAreExact) {
  const auto read = parse(R"({"__metadata__":{"format":"pt"},"h":{"dtype":"F16","shape":[6],"data_offsets":[0,12]},)"
                          R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[12,16]},"i":{"dtype":"I64","shape":[1,1],"data_offsets":[16,24]}})",
                          std::string("\x00\x3c\x00\xc0\x01\x00\xff\x7b\x00\x7c\x55\x35", 12) + std::string("\x80\x3f\x49\xc0", 4) + std::string("\xfe\xff\xff\xff\xff\xff\xff\xff", 8));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)[0].values, (std::vector<double>{1, -2, 0x1p-24, 65504, HUGE_VAL, 0x1.554p-2}));
  EXPECT_EQ((*read)[1].values, (std::vector<double>{1, -3.140625}));
  EXPECT_EQ((*read)[2].values, (std::vector<double>{-2}));
}

TEST(Safetensors, WhoseHeaderIsNotTrueAreRefused) {
  const std::string data(16, '\0');
  const auto one = [](const std::string& shape, const std::string& offsets, const std::string& type = "F32") {
    return R"({"w":{"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  ASSERT_TRUE(parse(one("[2,2]", "[0,16]"), data));
  const std::vector<std::pair<std::string, std::string>> damaged = {
      {one("[2,3]", "[0,16]"), "which isn't what its shape [2, 3] needs"},
      {one("[4]", "[0,15]"), "needs"},
      {one("[4]", "[4,20]"), "lies at bytes 4 to 20 of 16"},
      {one("[4]", "[16,0]"), "lies at bytes 16 to 0"},
      {one("[2]", "[8,16]"), "begins at byte 8 of the data"},
      {one("[2]", "[0,8]"), "the arrays take 8 bytes, the file has 16"},
      {one("[4294967296,4294967296]", "[0,16]"), "needs"},
      {one("[0,9223372036854775807]", "[0,16]"), "needs"},
      {one("[-4]", "[0,16]"), "no sound shape"},
      {one("[4.0]", "[0,16]"), "no sound shape"},
      {one("[4]", "[0,18446744073709551615]"), "no sound shape"},
      {one("[4]", "[0]"), "no sound shape"},
      {one("[4]", "[0,16]", "F31"), "numbers of type `F31`"},
      {one("[4]", "[0,16]").substr(1), "no JSON object"},
      {R"({"w":3})", "isn't described by an object"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"v":{"dtype":"F32","shape":[3],"data_offsets":[4,16]}})", "the one before it ends at 8"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})", "a name twice"},
      {std::string(100000, '['), "nests too deep"},
  };
  for (const auto& [header, what] : damaged) {
    const auto read = parse(header, data);
    ASSERT_FALSE(read) << header.substr(0, 100);
    EXPECT_NE(read.error().message.find(what), std::string::npos) << read.error().message;
  }
  std::string huge = safetensors("{}", "");
  huge[7] = '\x7f';
  EXPECT_NE(parse_weights(huge, "w.safetensors").error().message.find("the header says it has"), std::string::npos);
}

// ------------------------------------------------------------------------------------------------ .pt

TEST(StateDictionaries, InAnArchiveThatIsNotPyTorchsAreRefused) {
  const auto of = [](const std::vector<std::pair<std::string, std::string>>& members) {
    return parse_weights(*zip_bytes(members), "w.pt").error().message;
  };
  EXPECT_NE(of({{"archive/data", "x"}}).find("has no data.pkl"), std::string::npos);
  EXPECT_NE(of({{"archive/data.pkl", "\x80\x02}."}}).find("holds no tensors"), std::string::npos);
  EXPECT_NE(of({{"archive/data.pkl", "\x80\x02]."}}).find("holds no dictionary"), std::string::npos);
  EXPECT_NE(of({{"archive/data.pkl", "\x80\x02}."}, {"archive/byteorder", "big"}}).find("`big`-endian"), std::string::npos);
  EXPECT_NE(parse_weights(std::string("\x80\x02\x8a\x0a\x6c\xfc", 6), "old.pt").error().hint.find("before 1.6"), std::string::npos);
}

}  // namespace
}  // namespace asb::test
