// .vtu, .obj, .npz and result.json, read back.
#include <gtest/gtest.h>
#include <zip.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/report/report.h"
#include "tests/runtime/report/sample.h"

namespace asb {
namespace {

/// The numbers of a named array of a .vtu, found by its offset.
template <class T>
std::vector<T> vtu_array(const std::string& bytes, const std::string& name) {
  const size_t tag = bytes.find("Name=\"" + name + "\"");
  if (tag == std::string::npos) return {};
  const size_t offset = std::stoul(bytes.substr(bytes.find("offset=\"", tag) + 8));
  const char* data = bytes.data() + bytes.find("encoding=\"raw\">\n_") + 17 + offset;
  uint64_t size = 0;
  std::memcpy(&size, data, sizeof size);
  std::vector<T> out(size / sizeof(T));
  std::memcpy(out.data(), data + sizeof size, size);
  return out;
}

TEST(Vtu, RestPositionsPlusDisplacementAreTheDeformedPositions) {
  const test::Sample sample = test::bent_beam({6, 2, 2});
  const std::string bytes = vtu_bytes(sample.result.meshes[0], sample.result.shows);
  const auto points = vtu_array<double>(bytes, "Points"),
             moved = vtu_array<double>(bytes, "displacement");
  ASSERT_EQ(points.size(), sample.mesh->nodes.size() * 3);
  ASSERT_EQ(moved.size(), points.size());
  for (size_t i = 0; i < points.size(); ++i)
    EXPECT_NEAR(points[i] + moved[i], sample.result.meshes[0].deformed[i / 3][i % 3], 1e-15);
  EXPECT_EQ(vtu_array<int32_t>(bytes, "connectivity"), sample.mesh->cells);
  EXPECT_EQ(vtu_array<double>(bytes, "stress"), sample.result.shows[0].values);
  EXPECT_EQ(vtu_array<uint8_t>(bytes, "types"), std::vector<uint8_t>(24, 12));
}

TEST(Vtu, ASymmetricTensorIsInTheOrderOfVtk) {
  const test::Sample sample = test::bent_beam({2, 1, 1});
  const auto values =
      vtu_array<double>(vtu_bytes(sample.result.meshes[0], sample.result.shows), "strain");
  const std::vector<double>& ours = sample.result.shows[1].values;
  ASSERT_EQ(values.size(), ours.size());
  // xx yy zz xy yz xz from xx xy xz yy yz zz
  for (size_t i = 0; i < values.size(); i += 6)
    EXPECT_EQ(std::vector<double>(values.begin() + static_cast<long>(i),
                                  values.begin() + static_cast<long>(i) + 6),
              (std::vector<double>{ours[i], ours[i + 3], ours[i + 5], ours[i + 1], ours[i + 4],
                                   ours[i + 2]}));
}

TEST(Vtu, NamesCannotBreakTheXml) {
  test::Sample sample = test::bent_beam({2, 1, 1});
  sample.result.shows[0].name = "a\"><b&";
  const std::string bytes = vtu_bytes(sample.result.meshes[0], sample.result.shows);
  EXPECT_NE(bytes.find("Name=\"a&quot;&gt;&lt;b&amp;\""), std::string::npos);
}

TEST(Obj, HoldsTheDeformedVerticesExactly) {
  const test::Sample sample = test::bent_beam({3, 1, 1});
  std::istringstream in(obj_bytes(sample.result.surfaces[0]));
  std::string line;
  size_t vertices = 0, facets = 0;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string key, a, b, c;
    words >> key >> a >> b >> c;
    if (key == "v") {
      const Vec3 read = {std::stod(a), std::stod(b), std::stod(c)};
      EXPECT_EQ(read, sample.result.surfaces[0].deformed[vertices++]);
    } else if (key == "f") {
      EXPECT_EQ(std::stoi(c) - 1, sample.surface->facets[facets++][2]);
    }
  }
  EXPECT_EQ(vertices, sample.surface->vertices.size());
  EXPECT_EQ(facets, sample.surface->facets.size());
}

/// One member of an archive, by libzip.
std::string member_of(const std::string& archive, const char* name) {
  zip_source_t* source = zip_source_buffer_create(archive.data(), archive.size(), 0, nullptr);
  zip_t* zip = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, nullptr);
  zip_stat_t stat;
  std::string out;
  if (zip && zip_stat(zip, name, 0, &stat) == 0) {
    EXPECT_EQ(stat.comp_method, ZIP_CM_STORE);
    out.resize(stat.size);
    zip_file_t* file = zip_fopen(zip, name, 0);
    EXPECT_EQ(zip_fread(file, out.data(), stat.size), static_cast<zip_int64_t>(stat.size));
    zip_fclose(file);
  }
  if (zip) zip_discard(zip);
  return out;
}

TEST(Npz, MembersHaveTheHeaderThatNumpyReadsAndTheNumbersAfterIt) {
  const test::Sample sample = test::bent_beam({3, 2, 2});
  const Result<std::string> archive = npz_bytes(sample.result);
  ASSERT_TRUE(archive) << archive.error().message;
  const std::string nodes = member_of(*archive, "mesh.beam.nodes.npy");
  ASSERT_EQ(nodes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const size_t length =
      static_cast<unsigned char>(nodes[8]) + 256u * static_cast<unsigned char>(nodes[9]);
  EXPECT_EQ((10 + length) % 64, 0u);
  EXPECT_EQ(nodes.find("{'descr': '<f8', 'fortran_order': False, 'shape': (36, 3), }"), 10u);
  EXPECT_EQ(nodes.size(), 10 + length + 36 * 3 * 8);
  EXPECT_EQ(std::memcmp(nodes.data() + 10 + length, sample.mesh->nodes.data(), 36 * 3 * 8), 0);
  EXPECT_NE(member_of(*archive, "output.tip_drop.npy").find("'shape': ()"), std::string::npos);
  EXPECT_NE(member_of(*archive, "output.pull.npy").find("'shape': (3, )"), std::string::npos);
  EXPECT_FALSE(member_of(*archive, "solve.x.gradient_norm.npy").empty());
}

TEST(Npz, EqualResultsAreEqualFiles) {
  const test::Sample sample = test::bent_beam({2, 1, 1});
  EXPECT_EQ(*npz_bytes(sample.result), *npz_bytes(sample.result));
}

TEST(Json, OutputsCarryTheirUnitsAndNumbersSurviveExactly) {
  const test::Sample sample = test::bent_beam({2, 1, 1});
  const auto json = nlohmann::json::parse(json_bytes(sample.result));
  EXPECT_EQ(json["outputs"][0]["unit"], "m");
  EXPECT_EQ(json["outputs"][0]["values"][0].get<double>(), 0.734512345678901);
  EXPECT_EQ(json["outputs"][1]["shape"], nlohmann::json::array({3}));
  EXPECT_EQ(json["solves"][0]["history"].size(), 10u);
  EXPECT_EQ(json["solves"][0]["counts"]["factorisations"], 9);
}

TEST(Json, NumbersThatJsonLacksAreTextsAndBytesThatAreNotUtf8AreReplaced) {
  test::Sample sample = test::bent_beam({2, 1, 1});
  sample.result.outputs[1].values = {NAN, -INFINITY, INFINITY};
  sample.result.notes = {{true, "bad \xff byte"}};
  const auto json = nlohmann::json::parse(json_bytes(sample.result));
  EXPECT_EQ(json["outputs"][1]["values"], nlohmann::json::array({"nan", "-inf", "inf"}));
  EXPECT_EQ(json["notes"][0]["text"], "bad \xef\xbf\xbd byte");
}

TEST(Files, AreAllThereAndNothingElse) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "asb_report_files.out";
  std::filesystem::remove_all(folder);
  const test::Sample sample = test::bent_beam({4, 2, 2});
  const auto written = write_results(sample.result, {.folder = folder.string()});
  ASSERT_TRUE(written) << written.error().message;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"beam.npz", "beam.png", "beam.vtu", "report.html",
                                             "result.json", "skin.obj", "skin.vtu"}));
  EXPECT_EQ(written->size(), names.size());
  std::filesystem::remove_all(folder);
}

TEST(Files, AFolderThatCannotBeMadeIsAnErrorThatNamesIt) {
  const test::Sample sample = test::bent_beam({2, 1, 1});
  const auto written = write_results(sample.result, {.folder = "/dev/null/beam.out"});
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("/dev/null/beam.out"), std::string::npos);
}

TEST(Files, NamesStayInTheirFolder) {
  EXPECT_EQ(file_name("../../etc/passwd"), "_._.._etc_passwd");
  EXPECT_EQ(file_name("beam_2.b"), "beam_2.b");
  EXPECT_EQ(file_name(""), "unnamed");
}

}  // namespace
}  // namespace asb
