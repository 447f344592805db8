// Geometries of the plan become bodies: boxes, voxels, files, embeddings, boundaries.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/overloaded.h"
#include "runtime/execute/session.h"
#include "runtime/io/read_surface.h"
#include "runtime/io/resolve_path.h"
#include "runtime/mesh/box.h"
#include "runtime/mesh/element.h"
#include "runtime/mesh/embedding.h"
#include "runtime/mesh/surface.h"
#include "runtime/mesh/voxels.h"

namespace asb {

namespace {

/// Places the error of a lower layer at the declaration that it belongs to.
tl::unexpected<Error> at(Error error, Span span) {
  if (!error.span) error.span = span;
  return fail(std::move(error));
}

}  // namespace

Result<Surface> Session::load_surface(const plan::Geometry& geometry, const std::string& path) {
  std::string found, folders;
  for (const std::string& folder : {options_.data_folder, options_.program_folder}) {
    if (folder.empty() || !found.empty()) continue;
    const auto resolved = resolve_path(folder, path);
    if (!resolved) return at(resolved.error(), geometry.span);
    folders += fmt::format("{}`{}`", folders.empty() ? "" : ", nor in ", folder);
    std::error_code ignored;
    if (std::filesystem::exists(*resolved, ignored)) found = *resolved;
  }
  if (found.empty())
    return fail("file-not-found", fmt::format("there is no file `{}` in {}", path, folders),
                "`--data FOLDER` names a folder in which files are looked for first", geometry.span);
  auto surface = read_surface(found, geometry.unit);
  if (!surface) return at(surface.error(), geometry.span);
  return surface;
}

Result<Body> Session::build_body(const plan::Geometry& geometry) {
  Body body;
  body.is_mesh = geometry.is_mesh;
  const auto result = std::visit(
      Overloaded{
          [&](const plan::Box& box) -> Result<void> {
            const Element* kind = nullptr;
            std::string names;
            for (const Element& e : all_elements()) {
              if (box.element == e.name) kind = &e;
              names += fmt::format("{}`{}`", names.empty() ? "" : ", ", e.name);
            }
            if (!kind)
              return fail("element-unknown", fmt::format("`{}` is not an element that `box` makes", box.element),
                          fmt::format("it makes {}", names), geometry.span);
            auto mesh = asb::box(box.size, {box.cells[0], box.cells[1], box.cells[2]}, kind->kind);
            if (!mesh) return at(mesh.error(), geometry.span);
            body.mesh = std::move(*mesh);
            return {};
          },
          [&](const plan::Voxels& voxels) -> Result<void> {
            if (voxels.split) return fail("not-yet", "`split: true` is not executed yet", {}, geometry.span);
            std::vector<Vec3> held;
            for (const plan::GeometryId id : geometry.embedded) {
              const auto& vertices = (*bodies_)[id.index].surface.vertices;
              if (id != voxels.surface) held.insert(held.end(), vertices.begin(), vertices.end());
            }
            VoxelOptions options;
            options.cells = voxels.cells;
            options.rule = voxels.rule == "centre" ? VoxelRule::Centre : VoxelRule::Touch;
            options.held = held;
            options.name = "`" + plan_.geometries[voxels.surface.index].name + "`";
            auto made = asb::voxels((*bodies_)[voxels.surface.index].surface, options);
            if (!made) return at(made.error(), geometry.span);
            body.mesh = voxels.element == "tet4" ? split_into_tets(made->mesh) : std::move(made->mesh);
            for (const auto& warning : made->report.warnings)
              note(true, warning.message + (warning.hint.empty() ? "" : "; " + warning.hint));
            if (made->report.n_components > 1)
              note(false, fmt::format("`{}` has {} components", geometry.name, made->report.n_components));
            return {};
          },
          [&](const plan::File& file) -> Result<void> {
            if (geometry.is_mesh)
              return fail("not-yet", "meshes from files are not read yet", "use `box` or `voxels`", geometry.span);
            auto surface = load_surface(geometry, file.path);
            if (!surface) return fail(surface.error());
            body.surface = std::move(*surface);
            return {};
          },
          [&](const plan::Embed& embed) -> Result<void> {
            body.surface = (*bodies_)[embed.surface.index].surface;
            body.held_by = embed.in;
            auto held = asb::embed(body.surface.vertices, (*bodies_)[embed.in.index].mesh,
                                   fmt::format("`{}`", plan_.geometries[embed.surface.index].name));
            if (!held) return at(held.error(), geometry.span);
            body.embedding = std::move(*held);
            if (body.embedding.n_outside > 0)
              note(false, fmt::format("`{}`: {} of {} vertices lie outside every cell, by at most {:.3g} m; the nearest cell "
                                      "carries them",
                                      geometry.name, body.embedding.n_outside, body.surface.vertices.size(),
                                      body.embedding.largest_distance));
            return {};
          },
          [&](const plan::Boundary& boundary) -> Result<void> {
            MeshBoundary made = asb::boundary((*bodies_)[boundary.mesh.index].mesh);
            body.surface = std::move(made.surface);
            body.held_by = boundary.mesh;
            auto held = asb::embed(body.surface.vertices, (*bodies_)[boundary.mesh.index].mesh, geometry.name);
            if (!held) return at(held.error(), geometry.span);
            body.embedding = std::move(*held);
            return {};
          }},
      geometry.source);
  if (!result) return fail(result.error());
  return body;
}

Result<void> Session::build_bodies() {
  // Surfaces of files first: voxels keep cells for the vertices of what is embedded later.
  bodies_ = std::make_shared<std::vector<Body>>(plan_.geometries.size());
  std::vector<uint8_t> done(plan_.geometries.size(), 0);
  for (const bool files : {true, false})
    for (size_t i = 0; i < plan_.geometries.size(); ++i) {
      const plan::Geometry& geometry = plan_.geometries[i];
      if (done[i] || (files && !std::holds_alternative<plan::File>(geometry.source))) continue;
      const auto start = std::chrono::steady_clock::now();
      auto body = build_body(geometry);
      if (!body) return fail(body.error());
      (*bodies_)[i] = std::move(*body);
      done[i] = 1;
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const Body& b = (*bodies_)[i];
      if (b.is_mesh)
        say(fmt::format("{}: {} {}, {} nodes, {:.2f} s", geometry.name, cell_count(b.mesh), element(b.mesh.kind).name,
                        b.mesh.nodes.size(), seconds));
      else if (std::holds_alternative<plan::File>(geometry.source))
        say(fmt::format("{}: {} triangles, {} vertices", geometry.name, b.surface.facets.size(), b.surface.vertices.size()));
    }
  return {};
}

}  // namespace asb
