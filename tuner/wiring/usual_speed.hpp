// Speeds that links have.
#pragma once

namespace bcastgen {

/// 1, 2.5, 4, 5, 8, 10, 20, 25, 40, 50 … bit/s times a power of ten, where that is within a twentieth of what was
/// measured; else that, with two digits. Bytes per second.
[[nodiscard]] double usual_speed_Bps(double measured_Bps);

/// The speed of the link over which streams go so fast at most: a usual one that is not below that, and of which it is
/// what protocols leave; else by what TCP usually leaves. Bytes per second.
[[nodiscard]] double line_speed_Bps(double rate_Bps);

}  // namespace bcastgen
