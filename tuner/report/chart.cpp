#include "tuner/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>

#include "base/outside_failure.hpp"
#include "base/printable.hpp"
#include "base/process.hpp"
#include "base/text_file.hpp"
#include "base/units.hpp"

namespace bcastgen {

namespace {

constexpr double axis_margin = 1.15;  // of an axis beyond its data, a factor

struct Range {
    double from = std::numeric_limits<double>::infinity();
    double to = 0;
    void take(double value) {
        if (value <= 0 || !std::isfinite(value)) return;
        from = std::min(from, value);
        to = std::max(to, value);
    }
    [[nodiscard]] bool empty() const { return to == 0; }
};

void replace_all(std::string& text, std::string_view what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
    }
}

/// A string of gnuplot's, in which nothing is read as a command.
std::string gnuplot_string(const std::string& text) {
    std::string result = printable(text);
    replace_all(result, "\n", " ");
    replace_all(result, "'", "''");
    return "'" + result + "'";
}

std::string ticks_text(const std::vector<ChartTick>& ticks) {
    std::string text;
    for (const ChartTick& tick : ticks) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", gnuplot_string(tick.label), tick.at);
    }
    return "(" + text + ")";
}

bool has_bars(const ChartCurve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(), [](const ChartPoint& p) { return p.high > 0; });
}

std::string data_block(const ChartCurve& curve, std::size_t number) {
    std::string text = fmt::format("$d{} << EOD\n", number);
    for (const ChartPoint& point : curve.points) {
        const bool bar = point.high > 0;
        text += fmt::format("{} {} {} {}\n", point.x, point.y, bar ? point.low : point.y, bar ? point.high : point.y);
    }
    return text + "EOD\n";
}

std::string curve_command(const ChartCurve& curve, std::size_t number) {
    const ChartStyle& style = curve.style;
    const std::string title = curve.title.empty() ? "notitle" : "title " + gnuplot_string(curve.title);
    const std::string data = fmt::format("$d{}", number);
    if (curve.kind == ChartCurve::Kind::dots) {
        return fmt::format("{} using 1:2 with points lc rgb '{}' pt 7 ps 0.4 {}", data, style.colour, title);
    }
    if (curve.kind == ChartCurve::Kind::marks) {
        return fmt::format("{} using 1:2 with points lc rgb '{}' pt {} ps 0.8 {}", data, style.colour, style.marker,
                           title);
    }
    if (curve.kind == ChartCurve::Kind::rings) {
        return fmt::format("{} using 1:2 with points lc rgb '{}' lw 2 pt 6 ps 1.9 {}", data, style.colour, title);
    }
    std::string text;
    if (has_bars(curve)) {
        // gnuplot's own error bars clear the place around their point.
        text = fmt::format("{} using 1:3:(0):($4-$3) with vectors nohead lc rgb '{}' lw 1.5 notitle, ", data,
                           style.colour);
    }
    if (style.marker == 0) {
        return text + fmt::format("{} using 1:2 with lines lc rgb '{}' lw {} dt {} {}", data, style.colour, style.width,
                                  style.dash, title);
    }
    return text + fmt::format("{} using 1:2 with linespoints lc rgb '{}' lw {} dt {} pt {} ps 0.8 {}", data,
                              style.colour, style.width, style.dash, style.marker, title);
}

void axes_of(const Chart& chart, Range& x, Range& y) {
    for (const ChartCurve& curve : chart.curves) {
        for (const ChartPoint& point : curve.points) {
            x.take(point.x);
            for (const double value : {point.y, point.low, point.high}) y.take(value);
        }
    }
    if (!y.empty()) y.take(chart.level);
}

/// Empty if there is nothing to draw.
std::string chart_script(const Chart& chart, std::size_t number, const std::filesystem::path& directory) {
    Range x;
    Range y;
    axes_of(chart, x, y);
    if (x.empty() || y.empty()) return "";
    std::string text = "reset\nset encoding utf8\n";
    text += fmt::format("set terminal svg noenhanced size {},{} font 'sans-serif,14' background rgb 'white'\n",
                        chart.width, chart.height);
    text += fmt::format("set output {}\n", gnuplot_string((directory / fmt::format("{}.svg", number)).string()));
    text +=
        "set logscale xy\nset border 3 lc rgb '#444444'\nset grid xtics ytics lc rgb '#dddddd' "
        "lw 1 dt 1\n";
    text += "set key outside right top Left reverse samplen 2.5 spacing 1.15\n";
    text += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\n", x.from / axis_margin, x.to * axis_margin,
                        y.from / axis_margin, y.to * axis_margin);
    text += fmt::format("set xtics nomirror {}\nset ytics nomirror {}\n", ticks_text(chart.x_ticks),
                        ticks_text(chart.y_ticks));
    text += fmt::format("set xlabel {}\nset ylabel {}\n", gnuplot_string(chart.x_label), gnuplot_string(chart.y_label));
    std::string plots;
    if (chart.level > 0) plots = fmt::format("{} with lines lc rgb '#444444' lw 1 dt 2 notitle", chart.level);
    for (std::size_t i = 0; i < chart.curves.size(); ++i) {
        if (chart.curves[i].points.empty()) continue;
        text += data_block(chart.curves[i], i);
        plots += (plots.empty() ? "" : ", ") + curve_command(chart.curves[i], i);
    }
    return text + "plot " + plots + "\nset output\n";
}

std::string read_text(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!in || text.empty()) throw OutsideFailure("gnuplot wrote no " + file.string());
    return text;
}

}  // namespace

std::vector<std::string> draw_charts(const std::vector<Chart>& charts, const std::filesystem::path& directory,
                                     const std::string& name) {
    std::string script;
    std::vector<bool> drawn;
    for (std::size_t i = 0; i < charts.size(); ++i) {
        const std::string one = chart_script(charts[i], i, directory);
        drawn.push_back(!one.empty());
        script += one;
    }
    std::vector<std::string> pictures(charts.size());
    if (script.empty()) return pictures;
    if (find_program("gnuplot").empty()) {
        throw OutsideFailure("gnuplot draws the report's charts and is not installed: apt-get install gnuplot-nox");
    }
    write_file(directory / "charts.gp", script);
    Command gnuplot;
    gnuplot.words = {"gnuplot", (directory / "charts.gp").string()};
    must_run(gnuplot, "drawing charts");
    for (std::size_t i = 0; i < charts.size(); ++i) {
        if (!drawn[i]) continue;
        pictures[i] =
            inline_svg(read_text(directory / fmt::format("{}.svg", i)), fmt::format("{}{}-", name, i), charts[i].title);
    }
    return pictures;
}

std::string inline_svg(std::string svg, const std::string& prefix, const std::string& title) {
    const std::size_t start = svg.find("<svg");
    const std::size_t box = svg.find("viewBox=\"", start);
    const std::size_t content = svg.find('>', start);
    if (start == std::string::npos || box == std::string::npos || content == std::string::npos || box > content) {
        throw OutsideFailure("a picture is no SVG file with a viewBox");
    }
    const std::string view_box = svg.substr(box, svg.find('"', box + 9) + 1 - box);
    svg.erase(0, content + 1);
    // The programs' own names of parts are of no use to a reader who points at them.
    for (std::size_t at = svg.find("<title>"); at != std::string::npos; at = svg.find("<title>", at)) {
        svg.erase(at, svg.find("</title>", at) + 8 - at);
    }
    replace_all(svg, "<desc>Produced by GNUPLOT", "<desc>gnuplot");
    replace_all(svg, "id='", "id='" + prefix);
    replace_all(svg, "id=\"", "id=\"" + prefix);
    replace_all(svg, "xlink:href=", "href=");
    replace_all(svg, "href='#", "href='#" + prefix);
    replace_all(svg, "url(#", "url(#" + prefix);
    return fmt::format("<svg {} role=\"img\" aria-label=\"{}\">{}", view_box, escaped(title), svg);
}

std::string natural_width(const std::string& svg) {
    const std::size_t start = svg.find("width=\"", svg.find("<svg"));
    if (start == std::string::npos) return "100%";
    return svg.substr(start + 7, svg.find('"', start + 7) - start - 7);
}

std::vector<ChartTick> size_ticks(double from, double to) {
    constexpr int most_ticks = 12;
    if (!(from > 0) || !std::isfinite(to)) return {};
    const int first = static_cast<int>(std::floor(std::log2(from)));
    const int last = static_cast<int>(std::ceil(std::log2(to)));
    const int step = (last - first) / most_ticks + 1;
    std::vector<ChartTick> ticks;
    for (int power = first; power <= last; ++power) {
        if (power % step != 0) continue;
        ticks.push_back({format_size(std::uint64_t{1} << power), std::ldexp(1.0, power)});
    }
    return ticks;
}

namespace {

/// 1, 2, 5, 10, … or where that would crowd the axis 1, 10, 100; where it would leave it bare more between.
std::vector<double> round_numbers(double from, double to) {
    constexpr double decades_in_detail = 2.2;
    constexpr double decades_in_fine_detail = 0.7;
    constexpr std::array<double, 1> coarse{1};
    constexpr std::array<double, 3> medium{1, 2, 5};
    constexpr std::array<double, 10> fine{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8};
    std::vector<double> numbers;
    if (!(from > 0) || !std::isfinite(to)) return numbers;
    const double decades = std::log10(to / from);
    const std::span<const double> digits = decades > decades_in_detail        ? std::span<const double>(coarse)
                                           : decades > decades_in_fine_detail ? std::span<const double>(medium)
                                                                              : std::span<const double>(fine);
    for (double decade = std::pow(10, std::floor(std::log10(from))); decade <= to * 10; decade *= 10) {
        for (const double digit : digits) numbers.push_back(digit * decade);
    }
    return numbers;
}

}  // namespace

std::vector<ChartTick> time_ticks(double from, double to) {
    std::vector<ChartTick> ticks;
    for (const double us : round_numbers(from, to)) {
        const double in_unit = us < 1e3 ? us : us < 1e6 ? us / 1e3 : us / 1e6;
        ticks.push_back({fmt::format("{:.4g} {}", in_unit, us < 1e3 ? "us" : us < 1e6 ? "ms" : "s"), us});
    }
    return ticks;
}

std::vector<ChartTick> ratio_ticks(double from, double to) {
    std::vector<ChartTick> ticks;
    for (const double ratio : round_numbers(from, to)) ticks.push_back({fmt::format("{:.4g}", ratio), ratio});
    return ticks;
}

void add_ticks(Chart& chart, std::vector<ChartTick> (*y_ticks)(double from, double to)) {
    Range x;
    Range y;
    axes_of(chart, x, y);
    if (x.empty() || y.empty()) return;
    chart.x_ticks = size_ticks(x.from, x.to);
    chart.y_ticks = y_ticks(y.from, y.to);
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : printable(text)) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

}  // namespace bcastgen
