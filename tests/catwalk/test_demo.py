"""`catwalk demo`: what a newcomer sees first must be true."""

import re


def test_the_demo_finds_all_that_was_planted_and_ends_where_nobody_watches(run, tmp_path):
    done = run("demo", "--data", tmp_path / "demo", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    planted, found = re.search(r"Planted (\d+), found (\d+); 0 findings that nobody planted", done.stdout).groups()
    assert planted == found
    assert int(planted) > 20
    assert "Coverage: " in done.stdout
    assert "catwalk dashboard --data" in done.stdout
    again = run("demo", "--data", tmp_path / "demo", cwd=tmp_path)
    assert again.returncode == 0


def test_the_demo_empties_no_folder_but_its_own(call, tmp_path):
    (tmp_path / "evidence").touch()
    status, printed, said = call("demo", "--data", tmp_path)
    assert (status, printed) == (2, "")
    assert "was not made by the demo" in said
    assert (tmp_path / "evidence").exists()
