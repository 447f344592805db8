// See zip_archive.h; by libzip.
#include "runtime/io/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>

namespace asb {

Result<ZipReader> ZipReader::open(std::string_view bytes, std::string name) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* zip = source ? zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) : nullptr;
  if (!zip) {
    if (source) zip_source_free(source);
    auto result = fail("weights-damaged", fmt::format("`{}` is no sound zip archive: {}", name, zip_error_strerror(&error)),
                       "PyTorch before 1.6 wrote another format: load the file there and save it again");
    zip_error_fini(&error);
    return result;
  }
  zip_error_fini(&error);
  return ZipReader(Handle(zip, [](zip_t* z) { zip_discard(z); }), bytes.size(), std::move(name));
}

std::vector<std::string> ZipReader::members() const {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(zip_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i)
    if (const char* name = zip_get_name(zip_.get(), static_cast<zip_uint64_t>(i), 0)) names.emplace_back(name);
  return names;
}

bool ZipReader::has(const std::string& member) const { return zip_name_locate(zip_.get(), member.c_str(), 0) >= 0; }

Result<std::string> ZipReader::read(const std::string& member) const {
  const auto damaged = [&](const std::string& what) {
    return fail("weights-damaged", fmt::format("`{}` in `{}` {}", member, name_, what), "the file may be cut off; fetch it again");
  };
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat(zip_.get(), member.c_str(), 0, &stat) != 0) return damaged("is missing");
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
  if ((stat.valid & kNeeded) != kNeeded) return damaged("has no size");
  if (stat.comp_method != ZIP_CM_STORE) return damaged("is compressed, which PyTorch's files are not");
  if (stat.size > size_) return damaged(fmt::format("says it has {} bytes, the whole file has {}", stat.size, size_));
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(zip_.get(), member.c_str(), 0), zip_fclose);
  if (!file) return damaged(fmt::format("can't be opened: {}", zip_strerror(zip_.get())));
  std::string content(stat.size, '\0');
  char beyond = 0;  // the checksum is compared at the end
  const bool is_whole = zip_fread(file.get(), content.data(), content.size()) == static_cast<zip_int64_t>(content.size());
  if (!is_whole || zip_fread(file.get(), &beyond, 1) != 0) return damaged("is cut off or doesn't have its checksum");
  return content;
}

Result<std::string> zip_bytes(const std::vector<std::pair<std::string, std::string>>& members) {
  zip_error_t error;
  zip_error_init(&error);
  const auto broken = [&](const char* what) {
    auto result = fail("file-write", fmt::format("can't make a zip archive: {}: {}", what, zip_error_strerror(&error)));
    zip_error_fini(&error);
    return result;
  };
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (!target) return broken("no memory");
  zip_source_keep(target);
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> kept(target, zip_source_free);
  zip_t* zip = zip_open_from_source(target, ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (!zip) {
    zip_source_free(target);
    return broken("open");
  }
  for (const auto& [name, content] : members) {
    zip_source_t* source = zip_source_buffer(zip, content.data(), content.size(), 0);
    const zip_int64_t index = source ? zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE) : -1;
    if (index < 0) {
      zip_source_free(source);
      zip_error_set(&error, ZIP_ER_INTERNAL, 0);
      zip_discard(zip);
      return broken(name.c_str());
    }
    (void)zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
    (void)zip_file_set_dostime(zip, static_cast<zip_uint64_t>(index), 0, (1 << 5) | 1, 0);  // 1980-01-01
  }
  if (zip_close(zip) != 0) {
    zip_error_set(&error, zip_error_code_zip(zip_get_error(zip)), 0);
    zip_discard(zip);
    return broken("close");
  }
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_source_stat(target, &stat) != 0 || zip_source_open(target) != 0) return broken("read back");
  std::string bytes(stat.size, '\0');
  const bool is_whole = zip_source_read(target, bytes.data(), stat.size) == static_cast<zip_int64_t>(stat.size);
  (void)zip_source_close(target);
  if (!is_whole) return broken("read back");
  zip_error_fini(&error);
  return bytes;
}

}  // namespace asb
