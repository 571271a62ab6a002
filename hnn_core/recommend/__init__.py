"""Style recommendation: protocols, rivals, the product's recommender and the cold start (section 5)."""
