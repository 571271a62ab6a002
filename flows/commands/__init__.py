"""The commands of `hnn`, one file a concern. Heavy libraries are imported inside the commands that need them."""
