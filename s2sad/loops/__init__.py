"""Programs for compilation: numbers, element accesses and explicit loops, of derived and optimised programs.

``lowering`` says what may stand in them, and rewrites it; ``arrays`` turns array statements into loops, and
``paths`` looks after what machine code does not tell apart. What cannot be compiled raises ``NotCompiled`` with the
place, and the program stays one for NumPy.
"""
