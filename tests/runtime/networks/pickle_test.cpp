// The machine that reads pickles: what PyTorch writes is understood, everything else is refused, nothing is run.
#include "runtime/io/pickle.h"

#include <gtest/gtest.h>

#include "runtime/io/weights.h"
#include "runtime/io/zip_archive.h"
#include "tests/support/random.h"

namespace asb::test {
namespace {

/// Pickles are written here opcode by opcode.
std::string unicode(const std::string& t) { return "X" + std::string(1, static_cast<char>(t.size())) + std::string(3, '\0') + t; }
std::string k(int x) { return {'K', static_cast<char>(x)}; }
const std::string kHead = "\x80\x02";
const std::string kOrdered = "ccollections\nOrderedDict\n)R";

std::string storage(const std::string& key, int count, const std::string& type = "FloatStorage") {
  return "(" + unicode("storage") + "ctorch\n" + type + "\n" + unicode(key) + unicode("cpu") + k(count) + "tQ";
}
std::string tensor(const std::string& storage, int offset, const std::string& shape, const std::string& strides) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + k(offset) + shape + strides + "\x89" + kOrdered + "tR";
}

/// The arrays of a .pt file with this pickle and the floats 0, 1, 2, 3, 4, 5 as storage 0.
Result<std::vector<NamedArray>> load(const std::string& pickle) {
  const float numbers[] = {0, 1, 2, 3, 4, 5};
  const auto bytes = zip_bytes({{"m/data.pkl", pickle}, {"m/data/0", std::string(reinterpret_cast<const char*>(numbers), sizeof numbers)}, {"m/version", "3\n"}});
  return parse_weights(*bytes, "m.pt");
}

std::string message(const std::string& pickle) {
  const auto read = load(pickle);
  return read ? "was read" : read.error().message;
}

TEST(Pickles, GiveTensorsOfAnyStride) {
  const std::string transposed = tensor(storage("0", 6), 0, k(3) + k(2) + "\x86", k(1) + k(3) + "\x86");
  const std::string part = tensor(storage("0", 6), 1, k(2) + "\x85", k(2) + "\x85");
  const std::string scalar = tensor(storage("0", 6), 5, ")", ")");
  const auto read = load(kHead + kOrdered + "(" + unicode("a") + transposed + unicode("b") + part + unicode("c") + scalar + "u.");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)[0].values, (std::vector<double>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ((*read)[0].shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ((*read)[1].values, (std::vector<double>{1, 3}));
  EXPECT_EQ((*read)[2].values, (std::vector<double>{5}));
}

TEST(Pickles, GiveNestedDictionariesAsPathsAndPassOverTheRest) {
  const std::string t = tensor(storage("0", 6), 0, k(6) + "\x85", k(1) + "\x85");
  // {"model": OrderedDict(w = parameter) with attributes, "epoch": 3, "rate": 1.0, "list": [tensor]}
  const std::string parameter = "ctorch._utils\n_rebuild_parameter\n(" + t + "\x88" + kOrdered + "tR";
  const std::string model = kOrdered + "q\x01" + unicode("w") + parameter + "s" + "}" + unicode("_metadata") + kOrdered + "sb";
  const auto read = load(kHead + "}(" + unicode("model") + model + unicode("epoch") + k(3) + unicode("rate") + std::string("G\x3f\xf0\0\0\0\0\0\0", 9) +
                         unicode("list") + "]" + t + "a" + "u.");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ((*read)[0].name, "model.w");
}

TEST(Pickles, ThatNameOtherFunctionsAreRefusedByName) {
  for (const auto& [global, shown] : std::vector<std::pair<std::string, std::string>>{{"os\nsystem", "os.system"},
                                                                                      {"posix\nsystem", "posix.system"},
                                                                                      {"builtins\neval", "builtins.eval"},
                                                                                      {"builtins\ngetattr", "builtins.getattr"},
                                                                                      {"torch\nload", "torch.load"},
                                                                                      {"collections\nOrderedDict.fromkeys", "collections.OrderedDict.fromkeys"},
                                                                                      {"torch.jit\n_pickle.build_intlist", "torch.jit._pickle.build_intlist"}}) {
    const auto read = load(kHead + "c" + global + "\n" + unicode("touch /tmp/asb_was_here") + "\x85R.");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().name, "weights-untrusted");
    EXPECT_EQ(read.error().message, "`m.pt` asks for `" + shown + "`, which no state dictionary needs; nothing of it was run");
  }
  EXPECT_NE(message(kHead + unicode("os") + unicode("system") + "\x93" + unicode("ls") + "\x85R.").find("os.system"), std::string::npos);
}

TEST(Pickles, WithOtherOpcodesAreRefused) {
  for (const std::string code : {"i", "o", "\x81", "\x92", "\x82\x01", "I3\n", "S'x'\n", "P0\n", "g0\n", "U\x01x", "\x97", "\xff"})
    EXPECT_NE(message(kHead + code + "." + std::string(8, '\0')).find("which no state dictionary needs"), std::string::npos) << code;
}

TEST(Pickles, ThatDoNotFitTheirNumbersAreRefused) {
  const auto one = [](const std::string& t) { return message(kHead + "}" + unicode("w") + t + "s."); };
  const std::string six = k(6) + "\x85", unit = k(1) + "\x85";
  EXPECT_EQ(one(tensor(storage("0", 6), 0, six, unit)), "was read");
  EXPECT_NE(one(tensor(storage("0", 6), 1, six, unit)).find("reaches beyond its 6 numbers"), std::string::npos);
  EXPECT_NE(one(tensor(storage("0", 6), 0, k(3) + "\x85", k(3) + "\x85")).find("reaches beyond"), std::string::npos);
  EXPECT_NE(one(tensor(storage("0", 7), 0, six, unit)).find("has 24 bytes for 7 numbers"), std::string::npos);
  EXPECT_NE(one(tensor(storage("0", 6, "DoubleStorage"), 0, six, unit)).find("has 24 bytes for 6 numbers of 8"), std::string::npos);
  EXPECT_NE(one(tensor(storage("1", 6), 0, six, unit)).find("`m/data/1` in `m.pt` is missing"), std::string::npos);
  EXPECT_NE(one(tensor(storage("../0", 6), 0, six, unit)).find("is missing"), std::string::npos);
  const std::string huge = std::string("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
  EXPECT_NE(one(tensor(storage("0", 6), 0, huge + huge + "\x86", k(0) + k(0) + "\x86")).find("doesn't fit"), std::string::npos);
  EXPECT_NE(one(tensor(storage("0", 6), 0, k(2) + "\x85", huge + "\x85")).find("reaches beyond"), std::string::npos);
  EXPECT_NE(one(tensor(storage("0", 6), 0, k(7) + "\x85", k(0) + "\x85")).find("doesn't fit"), std::string::npos);
  const std::string minus = std::string("J\xff\xff\xff\xff", 5);
  EXPECT_NE(one(tensor(storage("0", 6), 5, k(2) + "\x85", minus + "\x85")).find("negative stride"), std::string::npos);
  EXPECT_NE(one(tensor(storage("0", 6), 0, minus + "\x85", unit)).find("doesn't fit"), std::string::npos);
  EXPECT_NE(one(tensor(k(1), 0, six, unit)).find("isn't described as one"), std::string::npos);
}

TEST(Pickles, ThatGoInCirclesOrGrowWithoutEndAreRefused) {
  EXPECT_NE(message(kHead + "}q\x01" + unicode("again") + "h\x01s.").find("nest too deep"), std::string::npos);
  // Each dictionary holds the one before it many times: 100^8 entries from a small file.
  std::string pickle = kHead + "}q" + std::string(1, '\0');
  for (int level = 1; level < 9; ++level) {
    pickle += "}q" + std::string(1, static_cast<char>(level)) + "(";
    for (int i = 0; i < 100; ++i) pickle += k(i) + "h" + std::string(1, static_cast<char>(level - 1));
    pickle += "u";
  }
  EXPECT_NE(message(pickle + ".").find("too many entries"), std::string::npos);
  // A thousand numbers under 255 names are many times what the file holds.
  const std::string thousand = "M\xe8\x03", storage_0 = "(" + unicode("storage") + "ctorch\nByteStorage\n" + unicode("0") + unicode("cpu") + thousand + "tQ";
  std::string names;
  for (int i = 0; i < 255; ++i) names += k(i) + "h\x02";
  pickle = kHead + tensor(storage_0, 0, thousand + "\x85", k(1) + "\x85") + "q\x02" + "0}(" + names + "u.";
  const auto bytes = zip_bytes({{"m/data.pkl", pickle}, {"m/data/0", std::string(1000, 'x')}});
  EXPECT_NE(parse_weights(*bytes, "m.pt").error().message.find("doesn't fit"), std::string::npos);
}

TEST(Pickles, OfRandomBytesDoNoHarm) {
  Random random(99);
  const std::string codes = "(.0GJKMNQRXabcehjqrstu}])\x80\x85\x86\x87\x88\x89\x8a\x8c\x93\x94\x95";
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string bytes;
    for (int n = random.integer(0, 60); n > 0; --n)
      bytes += random.integer(0, 3) ? codes[static_cast<size_t>(random.integer(0, static_cast<int>(codes.size()) - 1))] : static_cast<char>(random.integer(0, 3));
    refused += !read_pickle(bytes, "random");
  }
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace asb::test
