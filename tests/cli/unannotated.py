"""Functions without annotations, as a user's file has them: of x alone, of complex constants too, and of x and n."""
import numpy as np

COEFF = np.array([0.5, 1.5, 2.5])
MIXED = np.array([0.5, 1.5j, 2.5])


def helper_zeros(x):
    return np.zeros_like(x)


def helper_store(b, v):
    b[0] = v
    return b


def helper_copy(x):
    return x.copy()


# like-buffers
def f01(x):
    b = np.zeros_like(x)
    b[0] = 2.5 * x[0]
    b[1] = x[1] / 2
    return np.sum(b * b)

def f02(x):
    b = np.empty_like(x)
    for i in range(len(x)):
        b[i] = 0.5 * x[i]
    return np.sum(b * x)

def f03(x):
    b = np.full_like(x, 2.5 * x[0])
    return np.sum(b * x)

def f04(x):
    b = x.copy()
    b[0] = 0.5 * x[1]
    return np.sum(b * x)

def f05(x):
    b = np.copy(x)
    b[:2] = 0.3 * x[1:]
    return np.sum(b * b)

def f06(x):
    b = np.ones_like(x)
    b[1:] = x[:-1] * 0.5
    return np.sum(b * x)

def f07(x):
    b = np.array(x)
    b[0] = 0.5 * x[1]
    return np.sum(b * x)

def f08(x):
    x[0] = 0.5 * x[1]
    return np.sum(x * x)

def f09(x):
    b = np.zeros(x.shape, dtype=x.dtype)
    b[0] = x[0] / 2
    return np.sum(b * x)

def f10(x):
    b = np.zeros(3, x.dtype)
    b[:] = x / 2
    return np.sum(b * x)

def f11(x):
    y = 0.5 * x
    return np.sum(y.astype(x.dtype) * x)

def f12(x):
    b = np.array([0.5 * x[0], x[1]], dtype=x.dtype)
    return np.sum(b * b)


def f14(x):
    b = np.zeros_like(x)
    np.put(b, [0, 1], 0.5 * x[:2])
    return np.sum(b * x)


def f16(x):
    b = np.insert(x, 1, 0.5 * x[0])
    return np.sum(b * b)

def f17(x):
    b = np.pad(x, 1, constant_values=0.5)
    return np.sum(b * b)


def f19(x):
    b = np.zeros_like(x)
    c = b[1:]
    c[0] = x[0] / 3
    return np.sum(b * x)

def f20(x):
    b = helper_zeros(x)
    b = helper_store(b, 0.5 * x[1])
    return np.sum(b * x)

def f21(x):
    b = helper_copy(x)
    helper_store(b, 0.5 * x[1])
    return np.sum(b * x)

def f22(x):
    b = x + 0
    b[0] = x[1] / 3
    return np.sum(b * x)

def f23(x):
    b = 2 * x
    b[0] = x[1] / 3
    return np.sum(b * x)

def f24(x):
    b = -x
    b[0] += x[1] / 3
    return np.sum(b * x)

def f25(x):
    b = x[::-1].copy()
    b[-1] *= 0.5
    return np.sum(b * x)

def f26(x):
    b = np.zeros_like(x)
    np.copyto(b, x)
    b[0] = 0.25 * x[1]
    return np.sum(b * x)

def f27(x):
    b = np.sort(x)
    b[0] = 0.5 * x[1]
    return np.sum(b * x)

def f28(x):
    b = np.concatenate([x, x])
    b[0] = 0.5 * x[1]
    return np.sum(b * b)

def f29(x):
    b = np.stack([x, x])
    b[0] = 0.5 * x
    return np.sum(b * x)

def f30(x):
    b = np.where(x > 1, x, 0)
    b[0] = 0.5 * x[1]
    return np.sum(b * x)

def f31(x):
    b = np.tile(x, 2)
    b[0] = 0.5 * x[1]
    return np.sum(b * b)

def f32(x):
    b = np.outer(x, x)
    b[0, 0] = 0.5 * x[1]
    return np.sum(b)

def f33(x):
    b = np.cumsum(x)
    b[0] = 0.5 * x[1]
    return np.sum(b * x)

def f34(x):
    b = np.diag(x)
    b = b.copy()
    b[0, 1] = 0.5 * x[1]
    return np.sum(b * b)

def f35(x):
    s = 0
    for v in x:
        s += v * v * 0.5
    return s

def f36(x):
    b = [0.0] * len(x)
    for i in range(len(x)):
        b[i] = 0.5 * x[i]
    return sum(b)

def f37(x):
    return np.sum(np.concatenate([x, COEFF * 1j]).real) + np.sum(np.sin(x))

def f38(x):
    return np.sum(np.abs(np.stack([x, x * 0 + 1j])))

def f39(x):
    return np.sum(np.abs(np.where(x > 1, x, 1j)))


def f42(x, *, p=2.0):
    return np.sum(x ** p) * p

def f43(x, n=2):
    return np.sum(x ** n)



def f46(x):
    x += x * 2
    return np.sum(x * x)

def f47(x):
    x *= 2
    return np.sum(x * x)

def f48(x):
    b = x.ravel()
    b[0] = 0.5 * x[1]
    return np.sum(x * x)

def f49(x):
    b = x.reshape(-1)
    b = b * 0.5
    b[0] = x[0]
    return np.sum(b * x)


def f51(x):
    b = np.zeros_like(x)
    np.add.at(b, [0, 0, 1], x)
    return np.sum(b * x)

def f52(x):
    b = np.zeros_like(x)
    b[x > 1] = x[x > 1] * 0.5
    return np.sum(b * x)

def f53(x):
    a, b = x.copy(), np.zeros_like(x)
    for k in range(3):
        b[:] = 0.5 * a
        a, b = b, a
    return np.sum(a * x)

def f54(x):
    b = np.atleast_1d(x).copy()
    b[0] = 0.5 * b[-1]
    return np.sum(b * b)

def f55(x):
    b = np.full(3, x[0])
    b[1] = 0.5 * x[1]
    return np.sum(b * x)

def f56(x):
    b = np.asarray(x)
    return np.mean(b) + np.var(b) + np.max(b)

def f57(x):
    b = np.array([x[0], x[1]])
    b[0] = 0.5 * x[1]
    return np.sum(b * b)

def f58(x):
    b = np.linspace(x[0], x[1], 4, dtype=x.dtype)
    return np.sum(b * b)

def f59(x):
    b = np.fmax(x, 1)
    b[1] = x[0] / 2
    return np.sum(b * x)

def f60(x):
    b = np.resize(x, 5)
    b[-1] = x[0] / 2
    return np.sum(b * b)

def f61(x):
    b = np.roll(x, 1)
    np.fill_diagonal(b.reshape(1, -1), 0.5 * x[1])
    return np.sum(b * x)

def f62(x):
    b = np.zeros_like(x)
    np.put_along_axis(b, np.argmax(x, keepdims=True), 0.5 * x[0], 0)
    return np.sum(b * x)

def f63(x):
    b = np.zeros_like(x)
    np.putmask(b, x > 1, x)
    b[0] = b[0] / 2
    return np.sum(b * x)

def f64(x):
    b = {"a": x.copy()}
    b["a"][0] = 0.5 * x[1]
    return np.sum(b["a"] * x)

def f65(x):
    rows = [x.copy(), x.copy()]
    rows[0][1] = x[0] / 4
    return np.sum(rows[0] * rows[1])

def f66(x):
    return np.sum(np.mean(x, dtype=x.dtype) * x)

def f67(x):
    return np.sum(np.sum(x * 0.5, dtype=x.dtype) * x)

def f68(x):
    b = np.asarray(x * 0.5, dtype=x.dtype)
    return np.sum(b * x)

def f69(x):
    out = np.empty((2, len(x)), x.dtype)
    out[0] = x
    out[1] = x * 0.5
    return np.sum(out[0] * out[1])

def f70(x):
    y = np.array(x, copy=True)
    n = len(y)
    while n > 1:
        n -= 1
        y[n - 1] = y[n - 1] + 0.25 * y[n]
    return y[0] * y[0]

def f71(x):
    b = np.ones_like(x) * 2
    b[0] = x[0] * 0.5
    return np.dot(b, x)

def f72(x):
    b = np.append(x, 1)
    b[-1] = x[0] * 0.5
    return np.dot(b, b)

def f73(x):
    b = abs(x)
    b[-1] = x[0] * 0.5
    return np.dot(b, x)

def f74(x):
    b = np.clip(x, 1, 2)
    b[-1] = x[0] * 0.5
    return np.dot(b, x)

def f75(x):
    b = x ** 2
    b[-1] = x[0] * 0.5
    return np.dot(b, x)

def f76(x):
    b = x @ np.ones((3, 3), int)
    b[-1] = x[0] * 0.5
    return np.dot(b, x)

def f77(x):
    b = np.broadcast_to(x, (2, 3)).copy()
    b[-1] = x[0] * 0.5
    return np.sum(b * x)
def complex01(x):
    y = np.concatenate([x, MIXED])
    return np.sum(np.abs(y)) + x[0]

def complex02(x):
    y = np.stack([x, x * 1j])
    return np.sum(np.abs(y)**2) * x[1]

def complex03(x):
    y = np.where(x > 1, x, MIXED)
    return np.sum(y.real * x) + x[0]**2

def complex04(x):
    b = x * 1.0
    b[0] = x[1]
    y = np.concatenate([b, MIXED])
    return np.sum(np.abs(y)**2)

def complex05(x):
    s = 0.0
    for k in range(2):
        y = np.stack([x[k:k+2], MIXED[:2]])
        s = s + np.sum(np.abs(y)**2)
    return s

def complex06(x):
    y = np.hstack([x[:2], MIXED])
    return np.sum((y * np.conj(y)).real) + np.sum(x[1:])

def complex07(x):
    y = np.vstack([x[::-1], MIXED])
    return np.sum((y * np.conj(y)).real) + np.sum(x[1:])

def complex08(x):
    y = np.concatenate([x[:1], MIXED[1:2], x[1:]])
    return np.abs(np.sum(y))**2

def complex09(x):
    y = np.empty(3, complex)
    y[:] = x
    y[0] = 1j * x[0]
    return np.sum(np.abs(y)**2)

def complex10(x):
    y = np.array([x[0], 1j * x[1], 2.0])
    return np.sum(np.abs(y)**2) * x[2]

def complex11(x):
    y = np.append(x[1:], 2j)
    return np.sum(np.abs(y * x[0])**2)

def complex12(x):
    y = np.where(x[::-1] > 1, x[::-1], 2j)
    return np.sum(np.abs(y * x[0])**2)

def complex13(x):
    z = x.astype(complex)
    z[1:] *= 1j
    z += x
    return np.sum(np.abs(z)**2)



def complex16(x):
    y = np.full(3, x[0] * 1j)
    y[1] = x[1]
    return np.sum(np.abs(y)**2)

def complex17(x):
    y = np.outer(x, MIXED)
    return np.sum(np.abs(y)**2) + np.sum(x[:2])

def complex18(x):
    y = x[:2] @ np.ones((2, 2)) * 1j
    return np.sum(np.abs(y)**2) + np.sum(x[:2])

def complex19(x):
    return np.sum(np.abs(np.fft.fft(x[:2]))**2)

def complex20(x):
    w = x + 0.0
    w[:2] = (x[:2] * 1j * -1j).real
    return np.sum(w**2)



def n01(x, n):
    b = np.zeros_like(n)
    b[0] = x[0] / 2
    return np.sum(b) * x[1]

def n02(x, n):
    b = np.empty(3, dtype=n.dtype)
    for k in range(3):
        b[k] = x[k] * 1.5
    return np.sum(b * x)

def n03(x, n):
    return np.sum(np.full_like(n, 1.5 * x[0]) * x)

def n04(x, n):
    return np.sum((x * 1.5).astype(n.dtype) * x)

def n05(x, n):
    b = np.insert(n, 1, 0.5 * x[0])
    return np.sum(b * b)

def n06(x, n):
    b = np.array([0.5 * x[0], x[1]], dtype=n.dtype)
    return np.sum(b * b)

def n07(x, n):
    b = n.copy()
    np.put(b, [0, 1], x[:2] / 2)
    return np.sum(b) * x[1]

def n08(x, n):
    b = n * 2
    helper_store(b, x[0] / 2)
    return np.sum(b) * x[1]

def n09(x, n):
    b = [n.copy(), x * 2]
    b[0][1] = x[0] / 3
    return np.sum(b[0] * b[1])

def n10(x, n):
    b = np.sum(x * 1.5, dtype=n.dtype)
    return b * x[0]

def n11(x, n):
    return np.sum(n * x) + np.sum(np.sin(x)[n])

def n12(x, n):
    b = n.copy()
    while b[0] > 2:
        b[0] = b[0] - 1
    return np.sum(x * b)

def n13(x, n):
    b = np.zeros_like(n)
    b.flat[:2] = x[:2] / 2
    return np.sum(b) * x[1]

def n14(x, n):
    b = np.zeros((3, 3), n.dtype)
    np.fill_diagonal(b, x / 2)
    return np.sum(b) * x[1]

def n15(x, n):
    b = np.linspace(x[0], x[1], 4, dtype=n.dtype)
    return np.sum(b * b)

def n16(x, n):
    b = np.zeros_like(n)
    if x[0] > 0:
        for k in range(2):
            b[k] = x[k] / 2
    return np.sum(b) * x[1]

def n17(x, n):
    b = np.asarray(x[:3] * 0.5, n.dtype)
    return np.sum(b) * x[1]

def n18(x, n):
    b = np.zeros_like(n)
    c = b[1:]
    c[:] = x[1:] / 2
    return np.sum(b) * x[1]

def n19(x, n):
    b = np.zeros_like(n)
    np.copyto(b, x / 2, casting="unsafe")
    return np.sum(b) * x[1]

def n20(x, n):
    b = np.zeros_like(n)
    np.multiply(x, 0.5, out=b, casting="unsafe")
    return np.sum(b) * x[1]


def n22(x, n):
    b = np.ones_like(n)
    np.put_along_axis(b, np.array([0, 1]), x[:2] / 2, 0)
    return np.sum(b) * x[1]

def n23(x, n):
    b = np.full(3, x[0], n.dtype)
    return np.sum(b) * x[1]

def n24(x, n):
    b = np.multiply(x, 1.5, dtype=n.dtype, casting="unsafe")
    return np.sum(b) * x[1]

def n25(x, n):
    b = np.cumsum(x * 1.5, dtype=n.dtype)
    return np.sum(b) * x[1]

def n26(x, n):
    b = {"a": n.copy()}
    b["a"][0] = x[0] / 2
    return np.sum(b["a"]) * x[1]


def n28(x, n):
    b = np.full_like(x, x[0] / 2, dtype=n.dtype)
    return np.sum(b) * x[1]

# real and complex items side by side
def joined01(x):
    y = np.array([x[0], 2j * x[2]])
    return np.sum(np.abs(y)**2)

def joined03(x):
    y = np.stack([x, x * 2j])
    return np.sum(y.real * x + y.imag)

def joined04(x):
    y = np.full(3, 1j * x[0])
    return np.sum((y * np.conj(y)).real) + x[1]

def joined05(x):
    y = np.zeros(3, complex)
    y[0] = x[0]
    y[1:] = 2j * x[1:]
    return np.sum(np.abs(y)**2)

def joined06(x):
    z = x + 0j
    z[0] = x[1]
    return np.sum(np.abs(z)**2)

def joined07(x):
    y = np.array([1j * v for v in x])
    return np.sum(np.abs(y)**2) + x[0]

def joined08(x):
    y = [x[0], 1j * x[1]]
    return np.abs(y[0] + y[1])**2

def joined09(x):
    y = np.array([[x[0], 1j], [x[1], 2.0]])
    return np.abs(np.linalg.det(y))**2

def joined10(x):
    z = np.array([x[0], 1j * x[1]])
    s = 0.0
    for k in range(2):
        s = s + z[k] * np.conj(z[k])
    return s.real

def joined11(x):
    z = np.exp(1j * x)
    z *= x
    return np.sum(z.real * z.imag)

def joined12(x):
    z = 1j * x
    for k in range(3):
        z[k] = x[k] * z[k]
    return np.sum(np.abs(z)**2)

def joined13(x):
    return np.sum(np.abs(np.where(x > 1, x, 1j * x))**2)

def joined14(x):
    z = np.outer(x, 1j * x) @ x
    return np.sum(np.abs(z)**2)

def joined15(x):
    z = np.insert(1j * x, 1, x[0])
    return np.sum(np.abs(z)**2)

def joined16(x):
    z = np.convolve(x, np.array([1j, 2.0]))
    return np.sum(np.abs(z)**2)

def joined17(x):
    z = np.zeros((2, 3), complex)
    z[0] = x
    z[1] += 1j * x
    return np.sum(np.abs(z[0] * z[1])**2)

def joined18(x):
    z = np.linspace(x[0], 1j * x[1], 5)
    return np.sum(np.abs(z)**2)

def joined19(x):
    d = {"a": x, "b": 1j * x}
    return np.sum(np.abs(d["a"] + d["b"])**2)

def joined20(x):
    s = 0
    for v in x:
        s = s + 1j * v
        s = s * v
    return np.abs(s)**2

def joined21(x):
    z = np.zeros_like(x, dtype=complex)
    np.add.at(z, [0, 1, 2], x)
    return np.sum(np.abs(z + 1j * x)**2)

def joined22(x):
    z = np.pad(1j * x, 1, constant_values=0)
    z[0] = x[0]
    return np.sum(np.abs(z)**2)

def joined31(x):
    y = [x[0], 1j * x[1]]
    return np.abs(y[0] + y[1])**2

def joined32(x):
    y = (x, 1j * x)
    a, b = y
    return np.sum(np.abs(a * b)**2)

def joined33(x):
    y = x[0]+1j*x[1]
    return np.abs(y)**2

def joined34(x):
    d = {}
    d['a'] = x[0]
    d['b'] = 1j * x[1]
    return np.abs(d['a'] + d['b'])**2

def joined35(x):
    y = [x[k]*(1j**k) for k in range(2)]
    y.append(x[2])
    s = 0
    for v in y:
        s = s + v
    return np.abs(s)**2

def joined36(x):
    y = []
    y.append(x[2])
    y.append(1j * x[1])
    s = 0j
    for v in y:
        s = s + v
    return np.abs(s)**2

def joined37(x):
    y = [x[0], x[1]]
    y[1] = 1j * y[0]
    s = 0j
    for v in y:
        s = s + v
    return np.abs(s)**2

def joined38(x):
    y = [x[0], 1j * x[1]] * 2
    return np.abs(sum(y))**2

# complex numbers put into copies of x: those of a real one raise
def turned01(x):
    a, b = x.copy(), np.zeros_like(x)
    for k in range(3):
        b[:] = 0.5j * a
        a, b = b, a
    return np.sum(np.abs(a + x)**2)

def turned02(x):
    x[0] = 2j * x[1]
    return np.sum(np.abs(x + x[2])**2)

def turned03(x):
    b = x * 1.0
    b[0] = 2j * x[1]
    return np.sum(np.abs(b + x)**2)

def turned04(x):
    b = x.copy()
    helper_store(b, 2j * x[1])
    return np.sum(np.abs(b + x)**2)

def turned05(x):
    b = np.array(x)
    b[1:] *= 2j
    return np.sum(np.abs(b + x)**2)

def turned06(x):
    b = np.full(3, x[0])
    b[1] = 2j * x[1]
    return np.sum(np.abs(b + x)**2)

def turned07(x):
    b = np.sort(x)
    np.multiply(x, 1j, out=b)
    return np.sum(np.abs(b + x)**2)

def turned08(x):
    b = [x.copy(), x * 2]
    b[0][1] = 1j * x[0]
    return np.sum(np.abs(b[0] + b[1])**2)

def turned09(x):
    b = np.concatenate([x, x])
    b[1] = 1j * x[0]
    return np.sum(np.abs(b[:3] + b[3:])**2)

def turned10(x):
    b = np.where(np.abs(x) > 1, x, 0)
    b[1] = 1j * x[0]
    return np.sum(np.abs(b + x)**2)

def turned11(x):
    b = np.real(x) * 1.0
    b[1] = x[0].real + b[2]
    return np.sum(np.abs(b + x)**2)

def turned12(x):
    b = np.asarray(x)
    b = b / 2
    b += 1j * b
    return np.sum(np.abs(b + x)**2)

def turned13(x):
    b = np.linspace(x[0], x[1], 3)
    b[1] = 1j * x[0]
    return np.sum(np.abs(b + x)**2)

def turned14(x):
    b = np.stack([x, x])
    b[0] = 1j * x
    b[1, 1:] = b[0, :-1]
    return np.sum(np.abs(b + x)**2)

def turned15(x):
    b = np.exp(x)
    b[0] = 1j * b[1]
    b[1:] = b[:-1].copy()
    return np.sum(np.abs(b + x)**2)

def turned16(x):
    b = np.array([x[0], x[1], 2.0])
    b[2] = 1j * x[2]
    return np.sum(np.abs(b + x)**2)

def turned17(x):
    b = np.array([x[0], x[1], 2.0j])
    b[1] = 1j * x[2]
    return np.sum(np.abs(b + x)**2)

def turned18(x):
    b = np.abs(x)
    b[0] = x[1].imag
    return np.sum(np.abs(b * x)**2)

# arrays made of what may be a single integer
def single01(x):
    return np.mean(np.asarray(x))

def single02(x):
    return np.sum(np.asarray(x) * 0.5)

def single03(x):
    a = np.asarray(x)
    return np.mean(a) + np.max(a) * np.sum(a)

def single04(x):
    a = np.atleast_1d(x)
    return np.mean(a) + a[0] * 0.5

def single05(x):
    a = np.array([x, 2 * x])
    return np.mean(a * a)

def single06(x):
    a = np.ravel(x)
    return np.mean(a)

def single07(x):
    return np.mean(x)

def single08(x):
    a = np.full(3, x)
    return np.mean(a) * x

def single09(x):
    a = np.array([x])
    a[0] = a[0] / 2
    return np.sum(a)

def single10(x):
    return np.var(np.asarray([x, x * x])) + np.std([x, 3 * x])

def single11(x):
    return np.sum(np.broadcast_to(x, (3,)) / 2)

def single12(x):
    a = np.asarray(x)
    b = np.zeros_like(a)
    b[...] = a / 2
    return np.sum(b)

def single13(x):
    b = np.zeros_like(x)
    b[...] = x / 2
    return np.sum(b)

def single14(x):
    return np.max(np.array([x, 2*x])) + np.median(np.array([x, 2 * x, 3*x]))

def single15(x):
    return np.mean(np.full_like(x, x / 2))

def single16(x):
    return np.prod([x, x, 3]) + np.linalg.norm([x, 1])

def single17(x):
    a = np.array([x, 2])
    return np.dot(a, a) / 2

def single18(x):
    a = np.expand_dims(x, 0)
    return np.mean(a)*np.mean(a)

def single19(x):
    return np.mean(np.stack([x, 2*x]))

def single20(x):
    return np.mean(np.tile(x, 3))

def single21(x):
    return np.mean(np.concatenate([[x], [2*x]]))

def single22(x):
    return np.ptp(np.append(x, 2)) * 0.5

def shape01(x):
    z = np.zeros((2,) + x.shape)
    z[0] = x
    z[1] = x**2
    return np.sum(z)

def shape02(x):
    return np.sum(np.ones(x.shape + (3,)) * x[..., None])

def shape03(x):
    return np.sum(np.broadcast_to(x, (2,) + np.shape(x)) ** 2) / 2

def shape04(x):
    return np.sum(x.reshape((-1,) + x.shape + (1,)) ** 2)
