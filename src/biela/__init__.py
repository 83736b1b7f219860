"""biela: describe a mechanism symbolically, get native code for it, simulate it, estimate its state."""
