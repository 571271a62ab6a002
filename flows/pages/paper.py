"""The paper's own figures on its own corpus, to stand beside ours."""

from __future__ import annotations

from types import MappingProxyType

#: Table 6: |V|, Δ (largest degree), average and median degree for each type of node.
NODE_STATISTICS = MappingProxyType(
    {
        "button-style": (2_361, 21, 7.14, 6),
        "text-style": (14_678, 1_548, 173.42, 6),
        "color-pair": (2_798, 72, 10.46, 4),
        "background-style": (811, 73, 20.96, 8),
        "word": (31_761, 6_664, 382.77, 22),
        "image": (7_682, 200, 7.29, 1),
        "fragment": (24_614, 235, 27.84, 16),
    }
)

_AT = (1, 10, 25, 50)


def _rows(hr: dict[str, tuple[float, ...]], ndcg: dict[str, tuple[float, ...]]) -> dict[str, dict[str, float]]:
    return {
        method: {f"hr_at_{k}": value for k, value in zip(_AT, hr[method], strict=True)}
        | {f"ndcg_at_{k}": value for k, value in zip(_AT, ndcg[method], strict=True)}
        for method in hr
    }


#: Style recommendation under the ``link`` protocol (HR@K and nDCG@K), by target and method.
RECOMMENDATION = MappingProxyType(
    {
        "button-style": _rows(
            {
                "Random": (0.000, 0.000, 0.018, 0.027),
                "Popularity": (0.000, 0.000, 0.009, 0.009),
                "HyperGCN": (0.008, 0.011, 0.043, 0.066),
                "HNN": (0.243, 0.477, 0.536, 0.594),
            },
            {
                "Random": (0.000, 0.000, 0.004, 0.006),
                "Popularity": (0.000, 0.002, 0.003, 0.005),
                "HyperGCN": (0.008, 0.009, 0.017, 0.021),
                "HNN": (0.243, 0.354, 0.368, 0.379),
            },
        ),
        "background-style": _rows(
            {
                "Random": (0.000, 0.000, 0.000, 0.074),
                "Popularity": (0.000, 0.000, 0.000, 0.000),
                "HyperGCN": (0.000, 0.031, 0.061, 0.147),
                "HNN": (0.181, 0.457, 0.552, 0.741),
            },
            {
                "Random": (0.000, 0.000, 0.000, 0.013),
                "Popularity": (0.001, 0.006, 0.010, 0.016),
                "HyperGCN": (0.000, 0.018, 0.025, 0.041),
                "HNN": (0.181, 0.308, 0.333, 0.369),
            },
        ),
    }
)
