"""A group as a picture: zones as boxes, its roles inside of them, what is permitted between them and what is cut."""
