"""A small made-up corpus for the tests of style recommendation: brands with palettes, campaigns that repeat."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pyarrow as pa

from hnn_core.recommend.corpus import EmailTables

RADII = ("0px", "4px", "8px", "999px")


def made_up_tables(
    senders: int = 8, emails: int = 6, fragments: int = 6, seed: int = 0, first_sender: int = 0
) -> EmailTables:
    """Each sender has one or two button styles of its own, drawn from its palette; campaigns reuse them."""
    rows: dict[str, list[dict[str, object]]] = {
        name: [] for name in ("fragments", "entities", "occurrences", "neighbours", "documents")
    }
    known: set[str] = set()
    for sender in range(first_sender, first_sender + senders):
        rng = np.random.default_rng([seed, sender])
        brand, accent, ink = (f"#{int(c):06x}" for c in rng.integers(0x101010, 0xBFBFBF, 3))
        radius, size = RADII[rng.integers(4)], f"{rng.choice([14, 16, 18])}px"
        for email in range(emails):
            doc_id = hashlib.sha256(f"{seed}/{sender}/{email}".encode()).hexdigest()[:16]
            rows["documents"].append({"doc_id": doc_id, "sender": f"sender{sender:02d}.example"})
            for position in range(fragments):
                fragment_id = f"{doc_id}#{position}"
                paper = ("#ffffff", "#f4f4f4", brand)[rng.choice(3, p=[0.6, 0.3, 0.1])]
                rows["fragments"].append(
                    {
                        "fragment_id": fragment_id,
                        "doc_id": doc_id,
                        "position": position,
                        "background": paper,
                        "corners": [int(radius.removesuffix("px"))] if position == 0 and radius != "0px" else [],
                    }
                )
                if position:
                    rows["neighbours"].append(
                        {"source": f"{doc_id}#{position - 1}", "target": fragment_id, "relation": "below"}
                    )
                shown = {
                    ("background-style", f"background:{paper}", False),
                    ("text-style", f"font-size:{size};color:{ink}", False),
                    ("color-pair", f"background:{paper};color:{ink}", False),
                    ("text-style", f"font-size:{rng.choice([24, 28, 32])}px;color:{brand}", False),
                    ("word", f"word{rng.integers(50)}", False),
                }
                if position % 2:
                    fill = brand if rng.random() < 0.8 else accent
                    shown |= {
                        (
                            "button-style",
                            f"background:{fill};radius:{radius};color:#ffffff;font-size:{size}",
                            True,
                        ),
                        ("color-pair", f"background:{fill};color:#ffffff", True),
                        ("text-style", f"font-size:{size};color:#ffffff", True),
                    }
                for kind, signature, from_button in sorted(shown):
                    entity_id = f"{kind}:{hashlib.sha256(signature.encode()).hexdigest()[:12]}"
                    if entity_id not in known:
                        known.add(entity_id)
                        rows["entities"].append(
                            {
                                "entity_id": entity_id,
                                "type": kind,
                                "signature": signature,
                                "attributes": json.dumps({}),
                            }
                        )
                    rows["occurrences"].append(
                        {
                            "fragment_id": fragment_id,
                            "entity_id": entity_id,
                            "count": 1,
                            "from_button": from_button,
                            "element": 0,
                        }
                    )
    return EmailTables(**{name: pa.Table.from_pylist(content) for name, content in rows.items()})
