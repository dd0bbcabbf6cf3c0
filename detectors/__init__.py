"""What differs from the law: the catalogue, its families, the findings and the store that keeps them."""
