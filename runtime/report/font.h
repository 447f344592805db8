// Text in the still picture: FreeType and the font that is built in.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace asb {

class Font {
 public:
  Font();
  ~Font();
  /// Calls paint(x, y, coverage in 0..1) for each touched pixel. (left, baseline) and size in
  /// pixels.
  void draw(const std::string& utf8, double left, double baseline, double size,
            const std::function<void(int, int, float)>& paint) const;
  [[nodiscard]] double width(const std::string& utf8, double size) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace asb
