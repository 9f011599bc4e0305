// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A second-order section of a digital filter, two poles and two zeros, in the transposed direct form II.
struct FilterSection: Sendable {
    private let (b0, b1, b2): (Double, Double, Double)
    private let (a1, a2): (Double, Double)
    private var (first, second) = (0.0, 0.0)

    init(zeros: (b0: Double, b1: Double, b2: Double), poles: (a1: Double, a2: Double)) {
        (b0, b1, b2) = zeros
        (a1, a2) = poles
    }

    @inline(__always)
    mutating func step(_ input: Double) -> Double {
        let output = b0 * input + first
        first = b1 * input - a1 * output + second
        second = b2 * input - a2 * output
        return output
    }

    /// Sets a decayed state to zero, since the processor is slow with denormal numbers.
    mutating func flushDenormals() {
        if abs(first) < 1e-30 { first = 0 }
        if abs(second) < 1e-30 { second = 0 }
    }

    /// Returns the square of the gain at an angular frequency in radians per sample.
    func power(at omega: Double) -> Double {
        func square(_ c0: Double, _ c1: Double, _ c2: Double) -> Double {
            let real = c0 + c1 * cos(omega) + c2 * cos(2 * omega)
            let imaginary = c1 * sin(omega) + c2 * sin(2 * omega)
            return real * real + imaginary * imaginary
        }
        return square(b0, b1, b2) / square(1, a1, a2)
    }
}

/// The frequency weighting A of IEC 61672-1, which follows the sensitivity of the human ear.
///
/// The analogue filter has four zeros at 0 Hz, two poles each at 20.6 and 12,194 Hz, and one each at 107.7 and 737.9
/// Hz. The low poles use the bilinear transform, which is accurate there. It would warp the high poles towards half the
/// rate, by −6 dB at 6.3 kHz for a rate of 16 kHz. So these are fitted to the right gain at 0 Hz and at half the rate
/// instead. From a rate of 16 kHz on the filter keeps the limits of class 1 from 31.5 Hz to 8 kHz. A test checks the
/// exact frequencies of the bands. The last one, 7,943 Hz, is below half of 16 kHz.
struct AWeighting: Sendable {
    private static let low = 20.598_997
    private static let (middle, upper) = (107.652_65, 737.862_23)
    private static let high = 12_194.217

    private var (lowest, mid, highest): (FilterSection, FilterSection, FilterSection)
    private let scale: Double

    /// Creates a filter at rest. `rate` is in samples per second.
    init(rate: Double) {
        lowest = Self.highPass(Self.low, Self.low, rate)
        mid = Self.highPass(Self.middle, Self.upper, rate)
        highest = Self.lowPass(Self.high, rate)
        let omega = 2 * Double.pi * 1_000 / rate
        scale = 1 / (lowest.power(at: omega) * mid.power(at: omega) * highest.power(at: omega)).squareRoot()
    }

    @inline(__always)
    mutating func step(_ input: Double) -> Double { highest.step(mid.step(lowest.step(input * scale))) }

    mutating func flushDenormals() {
        lowest.flushDenormals()
        mid.flushDenormals()
        highest.flushDenormals()
    }

    private static func highPass(_ one: Double, _ other: Double, _ rate: Double) -> FilterSection {
        func pole(_ hertz: Double) -> (gain: Double, place: Double) {
            let turn = Double.pi * hertz / rate
            return (1 / (1 + turn), (1 - turn) / (1 + turn))
        }
        let (one, other) = (pole(one), pole(other))
        let gain = one.gain * other.gain
        return FilterSection(
            zeros: (gain, -2 * gain, gain), poles: (-(one.place + other.place), one.place * other.place))
    }

    /// Returns a double pole with a double zero: the square of a section with one of each.
    private static func lowPass(_ hertz: Double, _ rate: Double) -> FilterSection {
        let place = exp(-2 * Double.pi * hertz / rate)
        let half = rate / 2 / hertz
        let (sum, difference) = (1 - place, (1 + place) / (1 + half * half).squareRoot())
        let (b0, b1) = ((sum + difference) / 2, (sum - difference) / 2)
        return FilterSection(zeros: (b0 * b0, 2 * b0 * b1, b1 * b1), poles: (-2 * place, place * place))
    }
}
