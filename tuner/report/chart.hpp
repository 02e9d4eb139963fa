// Charts with logarithmic axes, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.hpp"

namespace bcastgen {

/// How a curve looks: colours that colour-blind readers tell apart, and dashes and markers for those who see none.
struct ChartStyle {
    std::string colour;  ///< #rrggbb
    int dash = 1;        ///< of gnuplot: 1 solid, 2 to 5 broken
    int marker = 7;      ///< of gnuplot's SVG terminal; 0: none
    double width = 2;
};

struct ChartPoint {
    double x = 0;
    double y = 0;
    double low = 0;  ///< of the bar through the point; both 0: no bar
    double high = 0;
    std::string hover{};  ///< what is said of the point where somebody points at it; empty: nothing
};

struct ChartCurve {
    /// A line with markers; markers, small dots, large circles or large crosses alone.
    enum class Kind { line, marks, dots, rings, crosses };
    std::string title;  ///< empty: not in the legend
    ChartStyle style;
    std::vector<ChartPoint> points;  ///< by x; both above 0
    Kind kind = Kind::line;
};

struct ChartTick {
    std::string label;
    double at = 0;
};

struct Chart {
    std::string title;  ///< for those who hear the page instead of seeing it
    std::string x_label;
    std::string y_label;
    std::vector<ChartTick> x_ticks;
    std::vector<ChartTick> y_ticks;
    std::vector<ChartCurve> curves;  ///< in the sequence of the legend; later ones stand in front
    double level = 0;                ///< a thin line across at this y; 0: none
    int height = 380;                ///< of 560 for the width, at a letter size of 14
};

/// An SVG element for each chart and a list as its legend, which breaks where the page is narrow. To be put into one
/// page: no identifier occurs twice in them, nor in those of another `name`. Charts without points give an empty text.
/// Throws OutsideFailure if gnuplot is missing or fails. Scratch files go below `directory`.
[[nodiscard]] std::vector<std::string> draw_charts(const std::vector<Chart>& charts,
                                                   const std::filesystem::path& directory,
                                                   const std::string& name = "chart");

/// An SVG file's picture as an element of a page: without prologue, identifiers prefixed, sized by the page, `title`
/// its spoken name. Of the names of its parts Graphviz's nodes keep theirs.
[[nodiscard]] std::string inline_svg(std::string svg, const std::string& prefix, const std::string& title);

/// The width that an SVG file gives itself, for CSS: "631pt".
[[nodiscard]] std::string natural_width(const std::string& svg);

[[nodiscard]] std::vector<ChartTick> size_ticks(double from, double to);   ///< powers of two of bytes
[[nodiscard]] std::vector<ChartTick> time_ticks(double from, double to);   ///< of microseconds
[[nodiscard]] std::vector<ChartTick> ratio_ticks(double from, double to);  ///< 1, 2, 5, 10, …

/// Gives the axes ticks where the points and their bars are: sizes along x, `y_ticks` along y.
void add_ticks(Chart& chart, std::vector<ChartTick> (*y_ticks)(double from, double to));

[[nodiscard]] std::string escaped(const std::string& text);  ///< printable, for XML text and attributes

}  // namespace bcastgen
