"""Files that are replaced in one step or not at all."""

import os
import sys
from pathlib import Path

import pytest

from solver.errors import RequestError
from solver.files import check_writable, write_whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")


@posix
def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "folder" / "real.svg", tmp_path / "link.svg"
    real.parent.mkdir()
    real.write_text("before")
    link.symlink_to(real)
    check_writable(link, RequestError)
    write_whole(link, b"after", RequestError)
    assert link.is_symlink() and real.read_bytes() == b"after"
    assert [path.name for path in real.parent.iterdir()] == ["real.svg"]


@posix
def test_what_cannot_be_replaced_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.svg")
    (tmp_path / "lost.svg").symlink_to(tmp_path / "nowhere" / "x.svg")
    (tmp_path / "round.svg").symlink_to(tmp_path / "round.svg")
    for name, why in (
        ("pipe.svg", "is a device or a pipe, expected a file"),
        ("lost.svg", "no such folder"),
        ("round.svg", "cannot be written"),
        (f"{'x' * 300}.svg", "cannot be written (File name too long)"),
        (f"{'x' * 248}.svg", "cannot be written (File name too long)"),  # with what it is called until it is whole
    ):
        with pytest.raises(RequestError) as error:
            check_writable(tmp_path / name, RequestError)
        assert str(error.value).startswith(f"{tmp_path / name}: {why}")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="is a folder, expected a file"):
        check_writable(tmp_path, RequestError)
