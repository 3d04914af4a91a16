"""The single source of every chapter, and the reference solutions that its tests compare with."""
