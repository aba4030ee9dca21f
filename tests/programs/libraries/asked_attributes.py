"""``hasattr``, and ``getattr`` with a default, of objects whose classes say themselves which attributes they have."""


class Config(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    def __setattr__(self, name, value):
        self[name] = value


class Gain:
    def __init__(self, gain):
        self.gain = gain
        self.asked = 0

    def apply(self, x):
        return self.gain * x**2


class Proxy:
    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        self.inner.asked += 1
        return getattr(self.inner, name)


class Fitted:
    def __init__(self, coefficient=None):
        self._coefficient = coefficient

    @property
    def coefficient(self):
        if self._coefficient is None:
            raise AttributeError("not fitted yet")
        return self._coefficient


class Units:
    table = {"m": 1.0, "km": 1000.0}

    def __getattr__(self, name):
        if name in self.table:
            return self.table[name]
        raise AttributeError(name)


def configuration(x):
    c = Config(rate=x[0])
    c.scale = x[1]
    momentum = c.momentum if hasattr(c, "momentum") else 0.5
    return c.rate * getattr(c, "scale", 7.0) * momentum + x[2] * getattr(c, "bias", c.rate)


def proxy(x):
    p = Proxy(Gain(x[0]))
    known = p.gain if hasattr(p, "gain") else 1.0
    return known * p.apply(x[1]) + getattr(p, "bias", 2.0) * x[2] ** 2 + p.inner.asked * x[0]


def property_that_raises(x):
    total = 0.0
    for model in (Fitted(), Fitted(x[0])):
        if hasattr(model, "coefficient"):
            total += model.coefficient * x[1]
        total += getattr(model, "coefficient", x[2]) ** 2
    return total


def units(x):
    u = Units()
    return sum(v * getattr(u, name, 0.5) for v, name in zip(x, ("m", "km", "mile"), strict=True)) * x[0]
