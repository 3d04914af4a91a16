"""How answers go wrong, and right ones that look different: for each test function a module, or a folder of them."""
