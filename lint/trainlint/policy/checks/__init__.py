"""What people get wrong in policies although every object is valid (P 7.2): facts for the rules of ``policy/``."""
