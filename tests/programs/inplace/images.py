"""Images: blurs, edges, warps, splats, convolutions and pooling in several layouts."""

import numpy as np

from ..case import case


def blur_separable(img, k):
    """Three taps along rows, then along columns, each over a padded scratch array."""
    pad = np.zeros((img.shape[0] + 2, img.shape[1] + 2))
    pad[1:-1, 1:-1] = img
    img[...] = k[0] * pad[1:-1, :-2] + k[1] * pad[1:-1, 1:-1] + k[2] * pad[1:-1, 2:]
    pad[1:-1, 1:-1] = img
    img[...] = k[0] * pad[:-2, 1:-1] + k[1] * pad[1:-1, 1:-1] + k[2] * pad[2:, 1:-1]


def box_blur_loops(src, radius):
    h, w = src.shape
    dst = np.zeros_like(src)
    for y in range(h):
        for x in range(w):
            total, count = 0.0, 0
            for dy in range(-radius, radius + 1):
                for dx in range(-radius, radius + 1):
                    if 0 <= y + dy < h and 0 <= x + dx < w:
                        total += src[y + dy, x + dx]
                        count += 1
            dst[y, x] = total / count
    return dst


def sobel_magnitude(img):
    gx = np.zeros_like(img)
    gy = np.zeros_like(img)
    gx[1:-1, 1:-1] += img[:-2, 2:] + 2 * img[1:-1, 2:] + img[2:, 2:]
    gx[1:-1, 1:-1] -= img[:-2, :-2] + 2 * img[1:-1, :-2] + img[2:, :-2]
    gy[1:-1, 1:-1] += img[2:, :-2] + 2 * img[2:, 1:-1] + img[2:, 2:]
    gy[1:-1, 1:-1] -= img[:-2, :-2] + 2 * img[:-2, 1:-1] + img[:-2, 2:]
    gx *= gx
    gy *= gy
    gx += gy
    gx += 1e-2
    return np.sqrt(gx, out=gx)


def bilinear_warp(img, xs, ys):
    out = np.zeros(len(xs))
    for k in range(len(xs)):
        x0, y0 = int(np.floor(xs[k])), int(np.floor(ys[k]))
        fx, fy = xs[k] - x0, ys[k] - y0
        out[k] = (1 - fy) * ((1 - fx) * img[y0, x0] + fx * img[y0, x0 + 1])
        out[k] += fy * ((1 - fx) * img[y0 + 1, x0] + fx * img[y0 + 1, x0 + 1])
    return out


def resize_bilinear(img, H, W):
    h, w = img.shape
    out = np.empty((H, W))
    for i in range(H):
        y = i * (h - 1) / (H - 1)
        y0 = min(int(y), h - 2)
        for j in range(W):
            x = j * (w - 1) / (W - 1)
            x0 = min(int(x), w - 2)
            dy, dx = y - y0, x - x0
            top = img[y0, x0] * (1 - dx) + img[y0, x0 + 1] * dx
            bottom = img[y0 + 1, x0] * (1 - dx) + img[y0 + 1, x0 + 1] * dx
            out[i, j] = top * (1 - dy) + bottom * dy
    return out


def splat(points, weights, shape):
    """Bilinear scatter: four corners a point, which may fall on top of each other."""
    canvas = np.zeros(shape)
    base = np.floor(points).astype(int)
    frac = points - base
    iy, ix = base[:, 0], base[:, 1]
    fy, fx = frac[:, 0], frac[:, 1]
    np.add.at(canvas, (iy, ix), weights * (1 - fy) * (1 - fx))
    np.add.at(canvas, (iy, ix + 1), weights * (1 - fy) * fx)
    np.add.at(canvas, (iy + 1, ix), weights * fy * (1 - fx))
    np.add.at(canvas, (iy + 1, ix + 1), weights * fy * fx)
    return np.sum(canvas**2)


def integral_image(img):
    for i in range(img.shape[0]):
        for j in range(1, img.shape[1]):
            img[i, j] += img[i, j - 1]
    for i in range(1, img.shape[0]):
        img[i] += img[i - 1]
    return img[3, 3] - img[1, 3] * img[3, 1] + img[1, 1]


def alpha_over(layers, alphas):
    """Back to front, over one frame."""
    frame = np.zeros_like(layers[0])
    for layer, a in zip(layers, alphas):
        frame *= (1.0 - a)[:, :, None]
        frame += a[:, :, None] * layer
    return frame


def unsharp(img, amount, lo, hi):
    soft = img.copy()
    soft[:, 1:] += img[:, :-1]
    soft[:, :-1] += img[:, 1:]
    soft /= 3.0
    img += amount * (img - soft)
    np.clip(img, lo, hi, out=img)


def harris(img, k):
    iy = np.zeros_like(img)
    ix = np.zeros_like(img)
    iy[1:-1] = 0.5 * (img[2:] - img[:-2])
    ix[:, 1:-1] = 0.5 * (img[:, 2:] - img[:, :-2])
    M = np.empty(img.shape + (2, 2))
    M[..., 0, 0] = ix * ix
    M[..., 1, 1] = iy * iy
    M[..., 0, 1] = M[..., 1, 0] = ix * iy
    M[1:-1, 1:-1] += M[:-2, 1:-1] + M[2:, 1:-1]
    det = M[..., 0, 0] * M[..., 1, 1] - M[..., 0, 1] ** 2
    return det - k * (M[..., 0, 0] + M[..., 1, 1]) ** 2


def conv2d_loops(image, kernel):
    kh, kw = kernel.shape
    out = np.zeros((image.shape[0] - kh + 1, image.shape[1] - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for a in range(kh):
                for b in range(kw):
                    out[i, j] += image[i + a, j + b] * kernel[a, b]
    return out


def conv2d_shifted(image, kernel, out):
    # one multiply-add of a shifted window per tap
    out.fill(0.0)
    h, w = out.shape
    for (a, b), tap in np.ndenumerate(kernel):
        out += tap * image[a : a + h, b : b + w]


def conv_nhwc(x, weights):
    """N H W C images, K K C_in C_out weights."""
    K = weights.shape[0]
    N, H_in, W_in, _ = x.shape
    H, W = H_in - K + 1, W_in - K + 1
    out = np.empty((N, H, W, weights.shape[3]))
    for i in range(H):
        for j in range(W):
            out[:, i, j, :] = np.sum(
                x[:, i : i + K, j : j + K, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3)
            )
    return out


def conv_strided_padded(x, w, bias, stride):
    C, H, W = x.shape
    F, _, k, _ = w.shape
    xp = np.zeros((C, H + 2, W + 2))
    xp[:, 1:-1, 1:-1] = x
    oh, ow = (H + 2 - k) // stride + 1, (W + 2 - k) // stride + 1
    y = np.zeros((F, oh, ow))
    y += bias[:, None, None]
    for f in range(F):
        for i in range(oh):
            for j in range(ow):
                patch = xp[:, i * stride : i * stride + k, j * stride : j * stride + k]
                y[f, i, j] += np.sum(patch * w[f])
    return y


def maxpool_2x2(x):
    N, H, W, C = x.shape
    out = np.empty((N, H // 2, W // 2, C))
    for i in range(H // 2):
        for j in range(W // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


def maxpool_scalar(x, size):
    h, w = x.shape[0] // size, x.shape[1] // size
    out = np.full((h, w), -np.inf)
    for i in range(h):
        for j in range(w):
            for a in range(size):
                for b in range(size):
                    value = x[i * size + a, j * size + b]
                    if value > out[i, j]:
                        out[i, j] = value
    return out


def upsample_transposed(x, kernel):
    """Transposed convolution, stride two: overlapping windows accumulate."""
    h, w = x.shape
    k = kernel.shape[0]
    y = np.zeros((2 * (h - 1) + k, 2 * (w - 1) + k))
    for i in range(h):
        for j in range(w):
            y[2 * i : 2 * i + k, 2 * j : 2 * j + k] += x[i, j] * kernel
    return np.tanh(y)


CASES = (
    case(blur_separable, lambda rng: (rng.normal(size=(4, 5)), rng.normal(size=3)), of="img"),
    case(box_blur_loops, lambda rng: (rng.normal(size=(4, 4)), 1)),
    case(sobel_magnitude, lambda rng: (rng.normal(size=(5, 4)),)),
    case(
        bilinear_warp,
        lambda rng: (rng.normal(size=(4, 5)), rng.uniform(0.2, 3.8, 4), rng.uniform(0.2, 2.8, 4)),
    ),
    case(resize_bilinear, lambda rng: (rng.normal(size=(3, 4)), 5, 6)),
    case(
        splat,
        lambda rng: (np.array([[0.3, 0.6], [0.7, 0.2], [1.4, 1.1], [1.2, 1.6]]), rng.normal(size=4), (4, 4)),
    ),
    case(integral_image, lambda rng: (rng.normal(size=(4, 4)),)),
    case(
        alpha_over,
        lambda rng: (
            [rng.normal(size=(2, 3, 3)) for _ in range(3)],
            [rng.uniform(0.2, 0.8, (2, 3)) for _ in range(3)],
        ),
    ),
    case(unsharp, lambda rng: (rng.normal(size=(4, 5)), 0.8, -1.1, 1.05), of="img"),
    case(harris, lambda rng: (rng.normal(size=(5, 4)), 0.05)),
    case(conv2d_loops, lambda rng: (rng.normal(size=(5, 4)), rng.normal(size=(2, 2)))),
    case(
        conv2d_shifted,
        lambda rng: (rng.normal(size=(5, 4)), rng.normal(size=(2, 3)), np.zeros((4, 2))),
        of="out",
    ),
    case(conv_nhwc, lambda rng: (rng.normal(size=(2, 4, 4, 2)), rng.normal(size=(2, 2, 2, 3)))),
    case(
        conv_strided_padded,
        lambda rng: (rng.normal(size=(2, 5, 5)), rng.normal(size=(2, 2, 3, 3)), rng.normal(size=2), 2),
    ),
    case(maxpool_2x2, lambda rng: (rng.normal(size=(2, 4, 4, 2)),)),
    case(maxpool_scalar, lambda rng: (rng.normal(size=(4, 6)), 2)),
    case(upsample_transposed, lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(3, 3)))),
)
