"""Buckets of an S3-compatible store, whose keys no answer shows (N3, A8)."""

import json

import httpx
import pytest
from obstore.store import S3Store

from domain.errors.requests import DocumentSourceInvalid, PlaceForbidden
from services.sources.setup import read_source
from tests.s3 import SECRET, empty_bucket
from tests.s3 import endpoint as endpoint
from tests.services.sources.place import configure, files, items, run, set_up


@pytest.fixture
def bucket(database: str, endpoint: str, monkeypatch: pytest.MonkeyPatch) -> S3Store:
    """An empty bucket in the store `own`."""
    assert database
    store = {"endpoint": endpoint, "access_key": "key", "secret_key": SECRET}
    configure(monkeypatch, stores=json.dumps({"own": store, "theirs": store | {"tenants": ["acme"]}}))
    return empty_bucket(endpoint, "papers")


def put(bucket: S3Store, **objects: str) -> None:
    for name, words in objects.items():
        bucket.put(name.replace("__", "/") + ".txt", words.encode())


def test_the_objects_of_a_bucket_are_followed(bucket: S3Store) -> None:  # N3
    put(bucket, a="one fish", deep__b="two fish", deeper__c="red fish")
    bucket.put("picture.bin", b"x")
    source = set_up("bucket", "papers", store="own")
    assert items(run(source)) == {"new": 3, "skipped": 1}
    assert files() == {"s/a.txt": "one fish", "s/deep/b.txt": "two fish", "s/deeper/c.txt": "red fish"}
    put(bucket, a="one fish more")
    bucket.delete("deep/b.txt")
    assert items(run(source)) == {"changed": 1, "unchanged": 1, "skipped": 1, "gone": 1}
    assert files()["s/a.txt"] == "one fish more"


def test_a_prefix_is_a_whole_folder(bucket: S3Store) -> None:  # N3
    put(bucket, deep__b="two", deeper__c="red")
    assert items(run(set_up("bucket", "s3://papers/deep", store="own"))) == {"new": 1}
    assert list(files()) == ["s/b.txt"]


@pytest.mark.slow
def test_a_large_bucket_is_listed_page_by_page(bucket: S3Store) -> None:  # N3
    for number in range(1_050):
        bucket.put(f"{number}.bin", b"x")
    assert items(run(set_up("bucket", "papers", store="own"))) == {"skipped": 1_050}


def test_an_object_that_is_too_large_is_not_fetched(bucket: S3Store, monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    put(bucket, a="x" * 2_000, b="small")
    monkeypatch.setenv("CITEWELL_INGESTION__MAX_BYTES", "1000")
    configure(monkeypatch)
    seen = run(set_up("bucket", "papers", store="own"))
    assert {each["key"]: each["code"] for each in seen["reasons"]} == {"a.txt": "document_too_large"}
    assert list(files()) == ["s/b.txt"]


def test_no_secret_is_shown_or_kept(bucket: S3Store) -> None:  # A8
    assert bucket
    source = set_up("bucket", "nowhere", store="own")
    seen = run(source)
    assert seen["error"]["code"] == "place_unreachable"
    assert SECRET not in json.dumps(read_source(source))


def test_a_bucket_that_cannot_be_read_says_why_and_not_where_it_is(
    bucket: S3Store, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    assert bucket
    seen = run(set_up("bucket", "nowhere", store="own"))
    assert seen["error"]["message"] == "The bucket cannot be read: there is none of this name."
    httpx.put(f"{endpoint}/papers/a//b.txt", content=b"odd").raise_for_status()
    seen = run(set_up("bucket", "papers", "odd", store="own"))
    assert "an object whose name cannot be read, 'a//b.txt'" in seen["error"]["message"]
    configure(monkeypatch, stores='{"away": {"endpoint": "http://127.0.0.1:1", "access_key": "k", "secret_key": "s"}}')
    seen = run(set_up("bucket", "papers", "away", store="away"))
    assert seen["error"]["message"] == "The bucket cannot be read: the store does not answer."


def test_only_stores_of_the_settings_are_read(bucket: S3Store) -> None:  # A8
    assert bucket
    for store in (None, "nothing", "theirs"):
        with pytest.raises(PlaceForbidden):
            set_up("bucket", "papers", store=store)
    with pytest.raises(DocumentSourceInvalid, match="no name of a bucket"):
        set_up("bucket", "a b/../c", store="own")
    for location in ("papers/../other", "papers//other", "papers/./a", "s3://papers/a/../../other"):
        with pytest.raises(PlaceForbidden, match=r"without `\.\.`"):
            set_up("bucket", location, store="own")
