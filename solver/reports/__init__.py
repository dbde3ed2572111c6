"""Records as text for a terminal: plain and stable where colours are off, and no wider than the page."""
