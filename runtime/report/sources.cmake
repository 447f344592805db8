# runtime/report: results as files. The page's sources and the font of the still picture are embedded.
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(Freetype REQUIRED)
find_package(nlohmann_json REQUIRED)
find_path(ASB_ZIP_INCLUDE zip.h REQUIRED)  # Debian's own CMake file for libzip asks for tools we don't need
find_library(ASB_ZIP_LIBRARY zip REQUIRED)
find_file(ASB_FONT DejaVuSans.ttf PATHS /usr/share/fonts/truetype/dejavu REQUIRED)

set(ASB_VIEWER ${CMAKE_SOURCE_DIR}/tools/viewer)
set(ASB_EMBEDDED_CPP ${CMAKE_CURRENT_BINARY_DIR}/embedded.cpp)
configure_file(${CMAKE_CURRENT_LIST_DIR}/embedded.cpp.in ${ASB_EMBEDDED_CPP} @ONLY)
set_source_files_properties(${ASB_EMBEDDED_CPP} PROPERTIES OBJECT_DEPENDS
  "${ASB_VIEWER}/page.html;${ASB_VIEWER}/page.css;${ASB_VIEWER}/view.js;${ASB_VIEWER}/render.js;${ASB_VIEWER}/charts.js;${ASB_VIEWER}/page.js;${ASB_FONT}")

set(here ${CMAKE_CURRENT_LIST_DIR})
target_sources(asb_runtime PRIVATE
  ${here}/colour.cpp ${here}/font.cpp ${here}/npz.cpp ${here}/obj.cpp ${here}/page.cpp ${here}/picture.cpp
  ${here}/raster.cpp ${here}/result_json.cpp ${here}/scene.cpp ${here}/vtu.cpp ${here}/write.cpp
  ${ASB_EMBEDDED_CPP})
target_include_directories(asb_runtime PRIVATE ${ASB_ZIP_INCLUDE})
target_link_libraries(asb_runtime PRIVATE ${ASB_ZIP_LIBRARY} PNG::PNG Freetype::Freetype
                      nlohmann_json::nlohmann_json)
