"""From Python source to structured SSA: reading, name resolution, the fence, the normal form, lowering."""
