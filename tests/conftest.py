"""What holds for all tests."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def first_use(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep trainings on first use short, and all that is written out of the user's folders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setattr("solver.opponents.QUICK_ROUNDS", 2)
        patch.setattr("solver.opponents.QUICK_HANDS", 2000)
        yield
