"""``scipy.signal``: filters with a state, forward and backward, in sections; smoothing, trends, resampling, power spectra.

Filters are those of Oppenheim & Schafer, "Discrete-Time Signal Processing" (2010); the state of one that has run for some
time is what its equation still owes to later outputs.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import ndimage, signal

__all__ = [
    "decimate",
    "detrend",
    "filtfilt",
    "hilbert",
    "lfilter",
    "lfilter_zi",
    "periodogram",
    "resample",
    "savgol_filter",
    "sosfilt",
    "sosfiltfilt",
    "welch",
]

# --- recursive filters with a state


def running(b: Any, a: Any, x: Any, zi: Any) -> Any:
    """The filtered signal, along the first axis."""
    state = np.concatenate((zi * a[0], np.zeros_like(x)))[: len(x)]
    return signal.lfilter(b, a, x, 0) + signal.lfilter(np.ones(1), a, state, 0)


def owed(c: Any, x: Any, count: Any) -> Any:
    """The share of a signal's last items that a filter still owes to ``count`` outputs behind its end."""
    last = np.concatenate((np.zeros((max(0, count - len(x)), *x.shape[1:])), x))[::-1][:count]
    shorter = np.concatenate((c, np.zeros(count + 1 - len(c))))
    return np.stack([np.tensordot(shorter[k + 1 :], last[: count - k], 1) for k in range(count)])


def lfilter(b: Any, a: Any, x: Any, axis: Any = -1, *, zi: Any) -> Any:
    """The filtered signal, and the state at its end."""
    numerator, denominator = np.asarray(b), np.asarray(a)
    samples, state = np.moveaxis(np.asarray(x), axis, 0), np.moveaxis(np.asarray(zi), axis, 0)
    y = running(numerator, denominator, samples, state)
    count = len(state)
    rest = np.concatenate((state, np.zeros_like(samples)))[len(samples) :][:count]
    final = rest + (owed(numerator, samples, count) - owed(denominator, y, count)) / denominator[0]
    return np.moveaxis(y, 0, axis), np.moveaxis(final, 0, axis)


def lfilter_zi(b: Any, a: Any) -> Any:
    """The state of a filter that has been given ones for ever; both polynomials have the same length here."""
    numerator, denominator = np.asarray(b) / a[0], np.asarray(a) / a[0]
    count = max(len(numerator), len(denominator))
    numerator = np.concatenate((numerator, np.zeros(count - len(numerator))))
    denominator = np.concatenate((denominator, np.zeros(count - len(denominator))))
    settled = np.sum(numerator) / np.sum(denominator)
    return np.cumsum((numerator - denominator * settled)[:0:-1])[::-1]


def extended(x: Any, count: Any, padtype: Any) -> Any:
    """A signal with ``count`` items before and after it: turned over at the ends, mirrored, or repeating the ends."""
    if padtype is None or count == 0:
        return x
    before, after = x[count:0:-1], x[-2 : -(count + 2) : -1]
    if padtype == "odd":
        return np.concatenate((2 * x[0] - before, x, 2 * x[-1] - after))
    if padtype == "even":
        return np.concatenate((before, x, after))
    return np.concatenate((np.repeat(x[:1], count, 0), x, np.repeat(x[-1:], count, 0)))


def settled(b: Any, a: Any, first: Any) -> Any:
    """The state of a filter that has been given the first items of signals for ever."""
    zi = lfilter_zi(b, a)
    return np.reshape(zi, (len(zi),) + (1,) * (first.ndim - 1)) * first


def filtfilt(
    b: Any,
    a: Any,
    x: Any,
    axis: Any = -1,
    padtype: Literal["odd", "even", "constant", None] = "odd",
    padlen: Any = None,
    method: Literal["pad"] = "pad",
) -> Any:
    """Signals, filtered forward and backward."""
    numerator, denominator, samples = np.asarray(b), np.asarray(a), np.moveaxis(np.asarray(x), axis, 0)
    edge = 3 * max(len(numerator), len(denominator)) if padlen is None else padlen
    if padtype is None:
        edge = 0
    whole = extended(samples, edge, padtype)
    turned = running(numerator, denominator, whole, settled(numerator, denominator, whole[:1]))[::-1]
    backward = running(numerator, denominator, turned, settled(numerator, denominator, turned[:1]))
    return np.moveaxis(backward[::-1][edge : edge + len(samples)], 0, axis)


def sosfilt(sos: Any, x: Any, axis: Any = -1, zi: Literal[None] = None) -> Any:
    """The signal, filtered by one section after another."""
    sections = np.asarray(sos)
    found = np.asarray(x)
    for k in range(sections.shape[0]):
        found = signal.lfilter(sections[k, :3], sections[k, 3:], found, axis)
    return found


def sosfiltfilt(
    sos: Any,
    x: Any,
    axis: Any = -1,
    padtype: Literal["odd", "even", "constant", None] = "odd",
    padlen: Any = None,
) -> Any:
    """Signals, filtered forward and backward by sections."""
    sections, samples = np.asarray(sos), np.moveaxis(np.asarray(x), axis, 0)
    if padtype is None:
        edge = 0
    elif padlen is None:
        absent = min(int(np.sum(sections[:, 2] == 0)), int(np.sum(sections[:, 5] == 0)))
        edge = 3 * (2 * sections.shape[0] + 1 - absent)
    else:
        edge = padlen
    found = extended(samples, edge, padtype)
    for _ in range(2):
        scale = found[:1]
        for k in range(sections.shape[0]):
            numerator, denominator = sections[k, :3], sections[k, 3:]
            found = running(numerator, denominator, found, settled(numerator, denominator, scale))
            scale = scale * np.sum(numerator) / np.sum(denominator)
        found = found[::-1]
    return np.moveaxis(found[edge : edge + len(samples)], 0, axis)


# --- smoothing and trends


def savgol_filter(
    x: Any,
    window_length: Any,
    polyorder: Any,
    deriv: Any = 0,
    delta: Any = 1.0,
    axis: Any = -1,
    mode: Literal["interp", "mirror", "constant", "nearest", "wrap"] = "interp",
    cval: Any = 0.0,
) -> Any:
    """Polynomials fitted to windows, or their derivatives, in the middle of each (Savitzky & Golay, 1964)."""
    weights = signal.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta)
    if mode != "interp":
        return ndimage.convolve1d(x, weights, axis, mode=mode, cval=cval)
    lanes = np.moveaxis(np.asarray(x), axis, -1)
    middle = ndimage.convolve1d(lanes, weights, mode="constant")
    half = window_length // 2
    places = np.arange(window_length)
    fit = np.linalg.pinv(np.vander(places, polyorder + 1, increasing=True))
    values = np.zeros((window_length, polyorder + 1))
    for power in range(deriv, polyorder + 1):
        factor = 1.0
        for step in range(deriv):
            factor = factor * (power - step)
        values[:, power] = factor * places ** float(power - deriv)
    ends = values @ fit / delta**deriv
    first = lanes[..., :window_length] @ ends[:half].T
    last = lanes[..., -window_length:] @ ends[window_length - half :].T
    inner = middle[..., half : lanes.shape[-1] - half]
    return np.moveaxis(np.concatenate((first, inner, last), axis=-1), -1, axis)


def detrend(
    data: Any, axis: Any = -1, type: Literal["linear", "constant"] = "linear", bp: Literal[0] = 0
) -> Any:
    """The rest of a signal beside its mean, or its line of least squares."""
    lanes = np.moveaxis(np.asarray(data), axis, -1)
    rest = lanes - np.mean(lanes, axis=-1, keepdims=True)
    if type == "linear":
        places = np.arange(lanes.shape[-1]) - 0.5 * (lanes.shape[-1] - 1)
        rest = rest - np.expand_dims(rest @ places, -1) * (places / np.sum(places**2))
    return np.moveaxis(rest, -1, axis)


# --- by Fourier transforms


def hilbert(x: Any, N: Literal[None] = None, axis: Any = -1) -> Any:
    """The analytic signal: without the negative frequencies."""
    lanes = np.moveaxis(np.asarray(x), axis, -1)
    frequencies = np.fft.fftfreq(lanes.shape[-1])
    share = np.where((frequencies == 0) | (frequencies == -0.5), 1.0, np.where(frequencies > 0, 2.0, 0.0))
    return np.moveaxis(np.fft.ifft(np.fft.fft(lanes) * share), -1, axis)


def resample(x: Any, num: Any, t: Literal[None] = None, axis: Any = 0, window: Literal[None] = None) -> Any:
    """A periodic signal at another number of places."""
    if np.iscomplexobj(x):
        return resample(np.real(x), num, t, axis, window) + 1j * resample(np.imag(x), num, t, axis, window)
    lanes = np.moveaxis(np.asarray(x), axis, -1)
    size = lanes.shape[-1]
    least = min(num, size)
    spectrum = np.fft.rfft(lanes)[..., : least // 2 + 1]
    edge = np.ones(least // 2 + 1)
    if least % 2 == 0 and num != size:
        edge[-1] = 2.0 if num < size else 0.5
    return np.moveaxis(np.fft.irfft(spectrum * edge, num) * (num / size), -1, axis)


def decimate(
    x: Any,
    q: Any,
    n: Any = None,
    ftype: Literal["iir"] = "iir",
    axis: Any = -1,
    zero_phase: Literal[True] = True,
) -> Any:
    """Every ``q``-th item along an axis, after a filter of Chebyshev's that leaves out what would be aliased."""
    sections = signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
    lanes = np.moveaxis(sosfiltfilt(sections, x, axis), axis, -1)
    return np.moveaxis(lanes[..., ::q], -1, axis)


# --- power spectra of real signals


def density(frames: Any, fs: Any, weights: Any, detrend: Any, scaling: Any) -> Any:
    """The one-sided power of frames, in the last axis."""
    size = frames.shape[-1]
    if detrend == "constant":
        frames = frames - np.mean(frames, axis=-1, keepdims=True)
    unit = fs * np.sum(weights**2) if scaling == "density" else np.sum(weights) ** 2
    spectrum = np.fft.rfft(frames * weights)
    twice = np.full(size // 2 + 1, 2.0, weights.dtype)
    twice[0] = 1.0
    if size % 2 == 0:
        twice[-1] = 1.0
    return twice * (np.real(spectrum) ** 2 + np.imag(spectrum) ** 2) / unit


def periodogram(
    x: Any,
    fs: Any = 1.0,
    window: Any = "boxcar",
    nfft: Literal[None] = None,
    detrend: Literal["constant", False] = "constant",
    return_onesided: Literal[True] = True,
    scaling: Literal["density", "spectrum"] = "density",
    axis: Literal[-1] = -1,
) -> Any:
    """The frequencies, and the power at each."""
    samples = np.asarray(x)
    size = samples.shape[-1]
    weights = signal.get_window(window, size).astype(samples.dtype)
    return np.fft.rfftfreq(size, 1 / fs), density(samples, fs, weights, detrend, scaling)


def welch(
    x: Any,
    fs: Any = 1.0,
    window: Any = "hann_periodic",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Literal[None] = None,
    detrend: Literal["constant", False] = "constant",
    return_onesided: Literal[True] = True,
    scaling: Literal["density", "spectrum"] = "density",
    axis: Literal[-1] = -1,
    average: Literal["mean"] = "mean",
) -> Any:
    """The frequencies, and the mean power of pieces of a vector that overlap (Welch, 1967)."""
    samples = np.asarray(x)
    size = min(256, len(samples)) if nperseg is None else nperseg
    step = size - (size // 2 if noverlap is None else noverlap)
    starts = np.arange(0, len(samples) - size + 1, step)
    frames = samples[starts[:, None] + np.arange(size)]
    weights = signal.get_window(window, size).astype(samples.dtype)
    return np.fft.rfftfreq(size, 1 / fs), np.mean(density(frames, fs, weights, detrend, scaling), axis=0)
