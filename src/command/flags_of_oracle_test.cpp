// What every flag of `posproof oracle` does.
#include "command/testing/flags.h"
#include "command/testing/threads.h"

namespace posproof::testing::flags_of_oracle_test {
namespace {

using Json = nlohmann::json;

// What stands behind the header of a file of f32 or f64 values.
template <class Number>
std::vector<Number> values(const std::string& file, std::size_t count) {
  const std::string bytes = report::file_bytes(file).value();
  std::vector<Number> out(count);
  std::memcpy(out.data(), bytes.data() + bytes.size() - count * sizeof(Number), count * sizeof(Number));
  return out;
}

}  // namespace

std::vector<FlagRow> rows(const std::string& folder) {
  const std::string oracle = "oracle sinusoidal --dim 8 --json", to = " -o " + folder,
                    spec = folder + "/oracle.json", some = oracle + " --positions 0:9";
  report::replace_file(spec, R"({"dim": 8, "offset": 1})");
  const std::string config = config_of_8(folder);
  return {
      {"oracle", "-o,--output", some + to + "/a.npy", some + " --output " + folder + "/b.safetensors",
       [=](const Ran& npy, const Ran& safetensors) {
         EXPECT_EQ(parsed(npy)["file"], folder + "/a.npy");
         EXPECT_EQ(report::file_bytes(folder + "/a.npy").value().substr(1, 5), "NUMPY");
         EXPECT_EQ(parsed(safetensors)["file"], folder + "/b.safetensors");
         EXPECT_EQ(values<float>(folder + "/a.npy", 80), values<float>(folder + "/b.safetensors", 80));
       }},
      {"oracle", "--positions", some + to + "/c.npy", oracle + " --positions -3:6" + to + "/d.npy",
       [=](const Ran& from_0, const Ran& from_3) {
         EXPECT_EQ(parsed(from_0)["positions"], Json({0, 9}));
         EXPECT_EQ(parsed(from_3)["positions"], Json({-3, 6}));
         EXPECT_EQ(parsed(from_3)["shape"], Json({10, 8}));
         const auto zero = values<float>(folder + "/c.npy", 80), three = values<float>(folder + "/d.npy", 80);
         EXPECT_TRUE(std::equal(three.begin() + 24, three.end(), zero.begin()));
         EXPECT_EQ(three[0], -zero[24]) << "the sine of -3 and of 3";
       }},
      {"oracle", "--dtype", some + " --dtype f64" + to + "/e.npy", some + " --dtype f16" + to + "/f.npy",
       [=](const Ran& wide, const Ran& narrow) {
         EXPECT_EQ(parsed(wide)["format"], "f64");
         EXPECT_EQ(parsed(narrow)["format"], "f16");
         EXPECT_EQ(parsed(wide)["bytes"], 128 + 80 * 8);
         EXPECT_EQ(parsed(narrow)["bytes"], 128 + 80 * 2);
         EXPECT_EQ(values<double>(folder + "/e.npy", 80)[8], 0.8414709848078965);
       }},
      {"oracle", "--part", "oracle rope --dim 4 --positions 0:1 --part cos --json" + to + "/g.npy",
       "oracle rope --dim 4 --positions 0:1 --part sin --json" + to + "/h.npy",
       [=](const Ran& cos, const Ran& sin) {
         EXPECT_EQ(parsed(cos)["array"], "cos_cache");
         EXPECT_EQ(parsed(sin)["array"], "sin_cache");
         EXPECT_EQ(values<float>(folder + "/g.npy", 4)[2], 0.5403023F);
         EXPECT_EQ(values<float>(folder + "/h.npy", 4)[2], 0.84147098F);
         const Ran both = posproof("oracle rope --dim 4 --positions 0:1 --part both --json" + to + "/i.npy");
         EXPECT_EQ(parsed(both)["array"], "cos_sin");
         EXPECT_EQ(parsed(both)["shape"], Json({2, 4}));
       }},
      {"oracle", "--threads", some + " --threads 1" + to + "/j.npy", some + " --threads 5" + to + "/k.npy",
       [=](const Ran& one, const Ran& five) {
         EXPECT_EQ(one.code + five.code, 0);
         EXPECT_EQ(report::file_bytes(folder + "/j.npy"), report::file_bytes(folder + "/k.npy"));
         std::filesystem::create_symlink("/dev/null", folder + "/null.npy");
         const std::string long_one =
             "oracle sinusoidal --dtype f64 --positions 0:4000000" + to + "/null.npy --threads ";
         EXPECT_EQ(threads_of(long_one + "1", 1), 1);
         EXPECT_EQ(threads_of(long_one + "5", 5), 5);
       }},
      {"oracle", "--json", "oracle sinusoidal --dim 8 --positions 3:9" + to + "/m.npy",
       oracle + " --positions 3:9" + to + "/m.npy",
       [=](const Ran& text, const Ran& json) {
         const Json said = parsed(json);
         EXPECT_EQ(text.said, fmt::format("{}: {} [7, 8] in {}, positions {}:{}, {}, {} bytes\n",
                                          said["file"].get<std::string>(), said["array"].get<std::string>(),
                                          said["format"].get<std::string>(), said["positions"][0].get<int>(),
                                          said["positions"][1].get<int>(),
                                          said["rounding"].get<std::string>(), said["bytes"].get<int>()));
         EXPECT_EQ(said["shape"], Json({7, 8}));
         EXPECT_EQ(said["encoding"], "sinusoidal");
         EXPECT_EQ(said["parameters"]["dim"], 8);
         EXPECT_EQ(said["parameters"]["layout"], "interleaved");
       }},
      {"oracle", "--spec", "oracle sinusoidal --positions 0:9 --spec " + spec + to + "/n.npy",
       "oracle sinusoidal --positions 0:9 --dim 8 --offset 1" + to + "/o.npy",
       [=](const Ran& file, const Ran& flags) {
         EXPECT_EQ(file.code + flags.code, 0);
         EXPECT_EQ(report::file_bytes(folder + "/n.npy"), report::file_bytes(folder + "/o.npy"));
         EXPECT_NE(report::file_bytes(folder + "/n.npy"), report::file_bytes(folder + "/c.npy"));
       }},
      {"oracle", "--config", "oracle sinusoidal --positions 0:9 --json --config " + config + to + "/p.npy",
       "oracle sinusoidal --positions 0:9 --json --dim 8" + to + "/q.npy",
       [=](const Ran& file, const Ran& flags) {
         EXPECT_EQ(file.code + flags.code, 0);
         EXPECT_EQ(report::file_bytes(folder + "/p.npy"), report::file_bytes(folder + "/q.npy"));
         const auto json = parsed(file);
         EXPECT_EQ(json["config"],
                   (Json{config + ": dim 8: dim=8", config + ": model distilbert: layout=interleaved"}));
         EXPECT_FALSE(parsed(flags).contains("config"));
       }},
  };
}

TEST(FlagsOfOracle, do_what_they_say) {
  const Tables tables;
  run_rows(rows(tables.folder()));
}

}  // namespace posproof::testing::flags_of_oracle_test
