#include "tuner/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
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
constexpr int chart_width = 560;      // the same size of letters on a phone and in half of a page

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
    const std::string data = fmt::format("$d{}", number);
    if (curve.kind == ChartCurve::Kind::dots) {
        return fmt::format("{} using 1:2 with points lc rgb '{}' pt 7 ps 0.4 notitle", data, style.colour);
    }
    if (curve.kind == ChartCurve::Kind::marks) {
        return fmt::format("{} using 1:2 with points lc rgb '{}' pt {} ps 0.8 notitle", data, style.colour,
                           style.marker);
    }
    if (curve.kind == ChartCurve::Kind::rings) {
        return fmt::format("{} using 1:2 with points lc rgb '{}' lw 2 pt 6 ps 1.9 notitle", data, style.colour);
    }
    if (curve.kind == ChartCurve::Kind::crosses) {
        return fmt::format("{} using 1:2 with points lc rgb '{}' lw 2.5 pt 2 ps 1.6 notitle", data, style.colour);
    }
    std::string text;
    if (has_bars(curve)) {
        // gnuplot's own error bars clear the place around their point.
        text = fmt::format("{} using 1:3:(0):($4-$3) with vectors nohead lc rgb '{}' lw 1.5 notitle, ", data,
                           style.colour);
    }
    if (style.marker == 0) {
        return text + fmt::format("{} using 1:2 with lines lc rgb '{}' lw {} dt {} notitle", data, style.colour,
                                  style.width, style.dash);
    }
    return text + fmt::format("{} using 1:2 with linespoints lc rgb '{}' lw {} dt {} pt {} ps 0.8 notitle", data,
                              style.colour, style.width, style.dash, style.marker);
}

/// Everything that is said of points, in the sequence of the curves and their points.
std::vector<std::string> hovers_of(const Chart& chart) {
    std::vector<std::string> hovers;
    for (const ChartCurve& curve : chart.curves) {
        for (const ChartPoint& point : curve.points) {
            if (!point.hover.empty()) hovers.push_back(point.hover);
        }
    }
    return hovers;
}

/// A data block of the points that something is said of, with its number in hovers_of: gnuplot's own escapes would not
/// hold for every text.
std::string hover_block(const Chart& chart) {
    std::string text = "$hover << EOD\n";
    std::size_t number = 0;
    for (const ChartCurve& curve : chart.curves) {
        for (const ChartPoint& point : curve.points) {
            if (!point.hover.empty()) text += fmt::format("{} {} hover{}\n", point.x, point.y, number++);
        }
    }
    return number == 0 ? "" : text + "EOD\n";
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
    text += fmt::format("set terminal svg noenhanced size {},{} font 'sans-serif,14'\n", chart_width, chart.height);
    text += fmt::format("set output {}\n", gnuplot_string((directory / fmt::format("{}.svg", number)).string()));
    text +=
        "set logscale xy\nset border 3 lc rgb '#444444'\nset grid xtics ytics lc rgb '#dddddd' "
        "lw 1 dt 1\n";
    text += "unset key\n";
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
    const std::string hover = hover_block(chart);
    if (!hover.empty()) plots += ", $hover using 1:2:3 with labels hypertext point pt 7 ps 1.6 notitle";
    return text + hover + "plot " + plots + "\nset output\n";
}

/// gnuplot's hypertexts as titles, which browsers show without a script.
void say_on_hover(std::string& svg, const std::vector<std::string>& hovers) {
    const std::string before = "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'hover";
    const std::string after = "<title> </title>";
    for (std::size_t from = svg.find(before); from != std::string::npos; from = svg.find(before, from)) {
        const std::size_t number = std::strtoull(svg.c_str() + from + before.size(), nullptr, 10);
        const std::size_t end = svg.find(after, from) + after.size();
        svg.replace(from, end - from, fmt::format("<g class=\"hover\"><title>{}</title>", escaped(hovers.at(number))));
    }
}

/// A line as its curve has it, with gnuplot's marker from the chart's own definitions.
std::string key_svg(const ChartCurve& curve, const std::string& prefix) {
    static constexpr std::array<const char*, 6> dashes{"", "", "6 3", "2 3", "6 3 2 3", "6 3 2 3 2 3"};
    const ChartStyle& style = curve.style;
    std::string text = "<svg class=\"key\" viewBox=\"0 0 36 14\" aria-hidden=\"true\">";
    if (curve.kind == ChartCurve::Kind::line) {
        const std::string dash = dashes.at(static_cast<std::size_t>(std::clamp(style.dash, 0, 5)));
        text += fmt::format("<path d=\"M1 7H35\" stroke=\"{}\" stroke-width=\"{}\"{}/>", style.colour, style.width,
                            dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
    }
    int marker = style.marker;
    double scale = 4;
    if (curve.kind == ChartCurve::Kind::rings) marker = 6, scale = 6;
    if (curve.kind == ChartCurve::Kind::crosses) marker = 2, scale = 6;
    if (marker > 0) {
        text += fmt::format(
            "<g fill=\"none\" color=\"{0}\" stroke=\"{0}\" stroke-width=\"2\"><use href=\"#{1}gpPt{2}\" "
            "transform=\"translate(18,7) scale({3})\"/></g>",
            style.colour, prefix, marker - 1, scale);
    }
    return text + "</svg>";
}

std::string legend_list(const Chart& chart, const std::string& prefix) {
    std::string text;
    for (const ChartCurve& curve : chart.curves) {
        if (curve.title.empty() || curve.points.empty()) continue;
        text += fmt::format("<li>{}{}</li>", key_svg(curve, prefix), escaped(curve.title));
    }
    return text.empty() ? "" : "<ul class=\"legend\">" + text + "</ul>";
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
        const std::string prefix = fmt::format("{}{}-", name, i);
        std::string svg = inline_svg(read_text(directory / fmt::format("{}.svg", i)), prefix, charts[i].title);
        say_on_hover(svg, hovers_of(charts[i]));
        pictures[i] = svg + legend_list(charts[i], prefix);
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
    // The programs' own names of parts are of no use to a reader who points at them, but for those of nodes.
    for (std::size_t at = svg.find("<title>"); at != std::string::npos; at = svg.find("<title>", at)) {
        const std::size_t tag = at == 0 ? std::string::npos : svg.rfind('<', at - 1);
        const bool of_node =
            tag != std::string::npos && svg.substr(tag, at - tag).find("class=\"node") != std::string::npos;
        const bool kept = of_node || svg.compare(at, 16, "<title> </title>") == 0;
        if (kept) {
            ++at;
        } else {
            svg.erase(at, svg.find("</title>", at) + 8 - at);
        }
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
    constexpr int most_ticks = 9;
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
