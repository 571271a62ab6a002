"""From a pile of HTML emails to fragments, style entities and neighbour edges."""
