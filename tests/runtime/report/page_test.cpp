// report.html as a text: what is inside, and that a program can't put markup or script there.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/report/report.h"
#include "tests/runtime/report/sample.h"

namespace asb {
namespace {

constexpr const char* kHostile =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>{\"DATA\":0}/*SCRIPT*/";

std::string data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const size_t begin = page.find(open) + open.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

size_t count(const std::string& text, const std::string& word) {
  size_t n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

std::string hostile_page() {
  test::Sample sample = test::bent_beam({2, 1, 1});
  RunResult& result = sample.result;
  for (std::string* name :
       {&result.program, &result.summary, &result.backend, &result.device, &result.meshes[0].name,
        &result.shows[0].name, &result.shows[0].on, &result.shows[0].unit, &result.outputs[0].name,
        &result.outputs[0].unit, &result.solves[0].name, &result.solves[0].method,
        &result.solves[0].status, &result.solves[0].sentence})
    *name = kHostile;
  result.shows[1].on = kHostile;
  result.notes = {{true, kHostile}};
  return html_bytes(result);
}

TEST(Page, TextsOfAProgramCannotLeaveTheDataBlock) {
  const std::string plain = html_bytes(test::bent_beam({2, 1, 1}).result), hostile = hostile_page();
  EXPECT_EQ(count(hostile, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(hostile, "</script"), count(plain, "</script"));
  EXPECT_EQ(count(hostile, "<img"), 0u);
  const auto json = nlohmann::json::parse(data_of(hostile));
  EXPECT_EQ(json["program"], kHostile);
  EXPECT_EQ(json["notes"][0]["text"], kHostile);
  EXPECT_EQ(json["bodies"][0]["shows"][0]["unit"], kHostile);
}

TEST(Page, TheScriptNeverTurnsTextIntoMarkup) {
  const std::string page = html_bytes(test::bent_beam({2, 1, 1}).result);
  for (const char* way :
       {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"})
    EXPECT_EQ(page.find(way), std::string::npos) << way;
}

TEST(Page, AsksForNothingFromANetwork) {
  const std::string page = html_bytes(test::bent_beam({2, 1, 1}).result);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(count(page, "http"),
            count(page, "http://www.w3.org/2000/svg") + count(page, "http-equiv"));
  EXPECT_EQ(count(page, "<link"), 0u);
  EXPECT_EQ(count(page, " src="), 0u);
}

TEST(Page, HasTheNumbersOfTheOuterFacesOnly) {
  const test::Sample sample = test::bent_beam({4, 4, 4});
  const auto json = nlohmann::json::parse(data_of(html_bytes(sample.result)));
  const auto& body = json["bodies"][0];
  const size_t points = 125 - 27, triangles = 6 * 16 * 2;
  const auto base64_size = [](size_t bytes) { return (bytes + 2) / 3 * 4; };
  EXPECT_EQ(body["rest"]["f32"].get<std::string>().size(), base64_size(points * 12));
  EXPECT_EQ(body["corners"]["u32"].get<std::string>().size(), base64_size(triangles * 12));
  EXPECT_EQ(body["shows"][0]["values"]["f32"].get<std::string>().size(),
            base64_size(triangles / 2 * 4));
}

TEST(Page, NumbersAreBase64OfLittleEndianFloats) {
  Surface surface{{{1, 0, 0}, {0, 1, 0}, {0, 0, -2}}, {{0, 1, 2}}};
  RunResult result;
  result.program = "one";
  result.surfaces = {{"s", &surface, {}}};
  const auto json = nlohmann::json::parse(data_of(html_bytes(result)));
  EXPECT_EQ(json["bodies"][0]["rest"]["f32"], "AACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAADA");
  EXPECT_EQ(json["bodies"][0]["face_of"]["u32"], "AAAAAA==");
}

TEST(Page, IsMadeWithoutAnyBody) {
  RunResult result;
  result.program = "numbers";
  result.outputs = {{"n", "", {}, {1}}};
  EXPECT_EQ(nlohmann::json::parse(data_of(html_bytes(result)))["bodies"].size(), 0u);
}

}  // namespace
}  // namespace asb
