// Errors that no program can bring about, because an earlier stage refuses first: asked of the library itself.
#include <cmath>

#include "backends/interpreter/interpreter.h"
#include "backends/llvm/llvm_backend.h"
#include "compiler/ir/builder.h"
#include "compiler/ir/verify.h"
#include "runtime/io/read_surface.h"
#include "runtime/mesh/box.h"
#include "runtime/mesh/embedding.h"
#include "runtime/mesh/quadrature.h"
#include "runtime/mesh/voxels.h"
#include "tests/programs/program_testing.h"

namespace asb::test {
namespace {

template <class T>
std::string name_of(const Result<T>& result) {
  return result ? "" : result.error().name;
}

TEST(LibraryErrors, PointsThatCantBeEmbeddedAreNamed) {
  const auto mesh = box({1, 1, 1}, {2, 2, 2}, ElementKind::Hex8);
  ASSERT_TRUE(mesh);
  const std::vector<Vec3> points = {{0.5, 0.5, 0.5}, {0.5, std::nan(""), 0.5}};
  EXPECT_EQ(name_of(embed(points, *mesh)), "embed-not-finite");
  EXPECT_EQ(name_of(embed(points, Mesh{})), "embed-empty-mesh");
}

TEST(LibraryErrors, AQuadratureRuleThatDoesNotExistIsRefusedWithTheDegreesThatDo) {
  const auto rule = rule_of_degree(ElementKind::Hex8, 99);
  EXPECT_EQ(name_of(rule), "quadrature-degree");
  EXPECT_NE(rule.error().message.find("degree 0 to "), std::string::npos);
}

TEST(LibraryErrors, VoxelsOfNothingAndOfPointsThatAreNotFiniteAreRefused) {
  const std::string cube =
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
      "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  const auto surface = parse_surface(cube, "cube.obj");
  ASSERT_TRUE(surface);
  const std::vector<Vec3> held = {{0, HUGE_VAL, 0}};
  VoxelOptions options;
  options.held = held;
  EXPECT_EQ(name_of(voxels(*surface, options)), "voxels-not-finite");
  EXPECT_EQ(name_of(parse_surface(cube, "cube.obj", -1)), "surface-unit");
}

TEST(LibraryErrors, AFunctionThatIsNotWellFormedIsNamedWithItsInstruction) {
  ir::Function function;
  function.name = "broken";
  ir::Builder b(function);
  const ir::ValueId x = b.add_input("x", ir::Type::scalar(), ir::kAxisMesh);
  b.add_output("value", b.add(x, b.constant(2)));
  ASSERT_TRUE(ir::verify(function));
  ir::Function later = function;
  for (ir::Inst& inst : later.insts)
    if (inst.op == ir::Op::Add) inst.args[0] = ir::ValueId(1000);
  EXPECT_EQ(name_of(ir::verify(later)), "internal-ir");
}

TEST(LibraryErrors, ATensorKernelIsRefusedByLlvm) {
  KernelPlan kernel;
  kernel.scalar.name = "tensor";
  ir::Builder b(kernel.scalar);
  b.add_output("value", b.det(b.add_input("F", ir::Type::matrix(3, 3), ir::kAxisMesh)));
  kernel.tensor = kernel.scalar;
  EXPECT_EQ(name_of(emit_llvm_text(kernel)), "llvm-not-scalar");
}

TEST(LibraryErrors, AWriteThatLeavesABufferIsRefused) {
  const auto interpreter = interpreter::make_interpreter();
  auto buffer = interpreter->allocate(8);
  ASSERT_TRUE(buffer);
  const std::vector<double> numbers(9, 0.0);
  EXPECT_EQ(name_of(interpreter->upload(numbers, **buffer)), "buffer-range");
  EXPECT_EQ(name_of(interpreter->upload(std::span(numbers).first(3), **buffer, 6)), "buffer-range");
}

}  // namespace
}  // namespace asb::test
