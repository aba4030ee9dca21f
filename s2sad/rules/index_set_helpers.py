"""The runtime helpers of programs that carry index sets. Such programs are not differentiated again."""

from __future__ import annotations

from s2sad.ir.kinds import NONE
from s2sad.rules import kind_rules
from s2sad.rules.registry import plain

plain("s2sad.runtime.union(unions, *sets)", effects="fresh")
plain("s2sad.runtime.united(unions, sets, axis=None, keepdims=False)", effects="fresh")
plain("s2sad.runtime.union_at(unions, target, index, sets)", kind=kind_rules.always(NONE), effects="none; writes target")
plain("s2sad.runtime.union_anywhere(unions, target, sets)", kind=kind_rules.always(NONE), effects="none; writes target")
plain("s2sad.runtime.joined_sets(unions, *sets)", effects="fresh")
plain("s2sad.runtime.doubted(value, cond)", kind=kind_rules.always(NONE), effects="none; writes value")
plain("s2sad.runtime.sets_like(sets, *others)", effects="fresh; looks others")
plain("s2sad.runtime.narrowed_sets(unions, sets, like)", effects="same(sets), fresh; looks like")
plain("s2sad.runtime.einsum_sets(unions, subscripts, *factors)", effects="fresh")
plain("s2sad.runtime.all_of(unions, like, *sets)", effects="fresh; looks like")
plain("s2sad.runtime.without_sets(value)", effects="fresh; looks value")
plain("s2sad.runtime.running_sets(unions, sets, axis=None)", effects="fresh")
plain("s2sad.runtime.neighbouring_sets(unions, sets, axis=-1)", effects="fresh")
plain("s2sad.runtime.outer_sets(unions, a, b, first, second)", effects="fresh")
plain("s2sad.runtime.matmul_sets(unions, a, b, first, second)", effects="fresh")
plain("s2sad.runtime.zeros_for(sets, dtype)", effects="fresh; looks sets")
