"""The tables' bytes depend on the documents alone: not on workers, nor on what was copied from an earlier run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from extractors import writing
from extractors.bundling import bundle, extract_bundle, unbundle
from extractors.isolation import extract_batch
from extractors.packing import PackedDocument, pack
from extractors.sources.sample import SampleOptions, generate
from extractors.tables import how
from extractors.tasks import DocumentTables, ExtractOptions, ExtractTask
from extractors.writing import SCHEMAS, Source, unpack, write_tables


def sources(count: int = 24) -> list[Source]:
    """Sample emails, with one that cannot be used and one that cannot be read."""
    emails = [email.html for email in generate(SampleOptions(emails=count))]
    listed = [Source(f"{n:016x}", f"{n}.html", lambda html=html: html) for n, html in enumerate(emails)]  # type: ignore[misc]
    listed.insert(3, Source("e" * 16, "empty.html", lambda: "<!-- nothing -->"))
    listed.insert(7, Source("f" * 16, "gone.html", lambda: Path("no/such/file").read_text()))
    return listed


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.parquet").read_bytes() for name in SCHEMAS}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full")
    write_tables(folder, sources(), workers=1)
    return folder


def test_bytes_do_not_depend_on_the_number_of_workers(full: Path, tmp_path: Path) -> None:
    write_tables(tmp_path, sources(), workers=3)
    assert contents(tmp_path) == contents(full)


def test_fragments_say_how_they_were_cut(full: Path, tmp_path: Path) -> None:
    assert how(pq.read_schema(full / "fragments.parquet")) == {"width": 800, "granularity": "card"}
    write_tables(tmp_path, sources(2), ExtractOptions(width=600, granularity="leaf"), workers=1)
    assert how(pq.read_schema(tmp_path / "fragments.parquet")) == {"width": 600, "granularity": "leaf"}
    assert how(SCHEMAS["fragments"]) == {}, "of an older version"


def test_tables_have_their_schemas_and_refer_to_each_other(full: Path) -> None:
    tables = {name: pq.read_table(full / f"{name}.parquet") for name in SCHEMAS}
    assert {name: table.schema for name, table in tables.items()} == SCHEMAS
    entities = tables["entities"]["entity_id"].to_pylist()
    assert len(entities) == len(set(entities))
    assert set(entities) == set(tables["occurrences"]["entity_id"].to_pylist())
    documents = set(tables["fragments"]["doc_id"].to_pylist())
    assert len(documents) == 24
    rejects = {row["doc_id"]: (row["location"], row["reason"]) for row in tables["rejects"].to_pylist()}
    assert rejects == {"e" * 16: ("empty.html", "empty"), "f" * 16: ("gone.html", "unreadable")}
    assert documents | set(rejects) == {source.doc_id for source in sources()}


def test_counts_and_progress_tell_what_happened(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    counts = write_tables(tmp_path, sources(), workers=1, progress=lambda done, rejected: seen.append((done, rejected)))
    assert (counts.documents, counts.extracted, counts.reused, counts.rejected) == (26, 26, 0, 2)
    assert counts.fragments == pq.read_metadata(tmp_path / "fragments.parquet").num_rows
    assert counts.entities == pq.read_metadata(tmp_path / "entities.parquet").num_rows
    assert seen[-1] == (26, 2)


def test_only_new_documents_are_extracted_and_the_bytes_are_those_of_a_full_run(full: Path, tmp_path: Path) -> None:
    listed = sources()
    earlier, grown = tmp_path / "earlier", tmp_path / "grown"
    new = {listed[5].doc_id, listed[20].doc_id}
    write_tables(earlier, [source for source in listed if source.doc_id not in new], workers=1)
    loaded: list[str] = []
    noted = [Source(s.doc_id, s.location, lambda s=s: loaded.append(s.doc_id) or s.load()) for s in listed]  # type: ignore[misc,func-returns-value]
    counts = write_tables(grown, noted, workers=1, previous=earlier)
    assert contents(grown) == contents(full)
    assert set(loaded) == new | {"f" * 16}, "what was unreadable may be readable now"
    assert counts.reused == len(listed) - len(loaded)


@pytest.mark.parametrize("kept", [slice(None, None, 2), slice(None, None, -1), slice(5, 15)], ids=str)
def test_fewer_documents_or_another_order_give_the_bytes_of_a_full_run(full: Path, tmp_path: Path, kept: slice) -> None:
    subset = sources()[kept]
    copied, fresh = tmp_path / "copied", tmp_path / "fresh"
    counts = write_tables(copied, subset, workers=1, previous=full)
    write_tables(fresh, subset, workers=1)
    assert contents(copied) == contents(fresh)
    assert counts.reused > 0


def test_row_groups_are_cut_by_rows_not_by_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_ROW_GROUP", 100)
    write_tables(tmp_path / "a", sources(), workers=1)
    monkeypatch.setattr(writing, "_DOCUMENTS_AT_ONCE", 3)
    write_tables(tmp_path / "b", sources(), workers=2)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    metadata = pq.read_metadata(tmp_path / "a" / "occurrences.parquet")
    sizes = [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)]
    assert len(sizes) > 3
    assert set(sizes[:-1]) == {100}
    write_tables(tmp_path / "c", sources(), workers=1, previous=tmp_path / "a")
    assert contents(tmp_path / "c") == contents(tmp_path / "a")


def test_a_batch_by_itself_gives_the_same_rows(full: Path) -> None:
    batch = [
        ExtractTask(source.doc_id, source.location, source.load()) for source in sources() if source.doc_id[0] != "f"
    ]
    tables = unpack(extract_batch(batch, ExtractOptions()))
    for name in ("fragments", "occurrences", "neighbours"):
        assert tables[name].equals(pq.read_table(full / f"{name}.parquet")), name


def test_a_bundle_gives_the_rows_of_its_batch() -> None:
    batch = [ExtractTask(source.doc_id, source.location, source.load()) for source in sources(4)[:2]]
    assert unbundle(bundle(batch)) == batch
    assert unbundle(extract_bundle(bundle(batch), ExtractOptions())) == extract_batch(batch, ExtractOptions())


def test_the_process_that_hands_documents_round_imports_no_parser() -> None:
    script = "import sys, extractors.writing; print('selectolax' in sys.modules, 'tinycss2' in sys.modules)"
    seen = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert seen.split() == ["False", "False"]


def test_options_reach_the_workers(full: Path, tmp_path: Path) -> None:
    counts = write_tables(tmp_path, sources(), ExtractOptions(granularity="leaf"), workers=2)
    assert counts.fragments > pq.read_metadata(full / "fragments.parquet").num_rows


def test_the_same_document_twice_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="twice"):
        write_tables(tmp_path, [*sources(2), *sources(2)])


def test_no_documents_give_empty_tables(tmp_path: Path) -> None:
    assert write_tables(tmp_path, []).documents == 0
    for name, schema in SCHEMAS.items():
        assert pq.read_table(tmp_path / f"{name}.parquet").schema == schema


def test_rows_come_out_of_bytes_as_they_went_in() -> None:
    first = DocumentTables(
        fragments=(
            ("d#0", "d", 0, "hero", 3, [3, 4], 0, 1, "#fff", [4, 999], "Grüße, 世界 🎈"),
            ("d#1", "d", 1, "", 9, [], 1, 0, "", [], ""),
        ),
        entities=(("word:00000000000000ff", "word", "ß", "{}"),),
        occurrences=(("d#0", "word:00000000000000ff", 2**31 - 1, True, -1), ("d#1", "x", 0, False, 0)),
        neighbours=(("d#0", "d#1", "below"),),
    )
    nothing = DocumentTables()
    refused = DocumentTables(rejects=(("e", "é.html", "empty", "a lone \ud800 is no text"),))
    tables = unpack([pack(nothing), pack(first), pack(nothing), pack(refused), pack(first)])
    for name, schema in SCHEMAS.items():
        rows = [tuple(row.values()) for row in tables[name].to_pylist()]
        assert tables[name].schema == schema
        tables[name].validate(full=True)
        if name == "rejects":
            assert rows == [("e", "é.html", "empty", "a lone ? is no text")]
        else:
            assert rows == [*getattr(first, name)] * 2, name
    assert unpack([])["fragments"].num_rows == 0


def test_arrow_has_its_own_memory_back_after_a_run_that_failed(tmp_path: Path) -> None:
    usual = pa.default_memory_pool().backend_name
    within = []

    def engine(tasks: object, options: ExtractOptions) -> list[PackedDocument]:
        within.append(pa.default_memory_pool().backend_name)
        raise RuntimeError("no workers")

    with pytest.raises(RuntimeError, match="no workers"):
        write_tables(tmp_path, sources(2), engine=engine)  # type: ignore[arg-type]
    assert within == ["system"]
    assert pa.default_memory_pool().backend_name == usual
