#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace stage {

/// "1.2 GB", in decimal units as disks and networks are sold.
inline std::string size_text(std::uint64_t bytes) {
    const char* const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double value = static_cast<double>(bytes);
    int unit = 0;
    while (value >= 999.5 && unit < 5) {
        value /= 1000;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

}  // namespace stage
