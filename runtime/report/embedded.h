// The files that are built into the executable: the page of tools/viewer/ and the font of the
// picture.
#pragma once

#include <array>
#include <string_view>

namespace asb {

std::string_view embedded_page();                    ///< page.html with its three marks
std::string_view embedded_style();                   ///< page.css
std::array<std::string_view, 4> embedded_scripts();  ///< in the order in which they must run
std::string_view embedded_font();                    ///< DejaVuSans.ttf

}  // namespace asb
