"""What comes with the leaderboard is what the packages say."""

from project_scripts import load_script


def test_the_bundled_catalogue_is_current():
    from jaxbench_leaderboard.workload_cards import catalogue

    stale = "write it anew: uv run apps/leaderboard/bundle.py"
    assert catalogue() == load_script("apps/leaderboard/bundle.py").current_catalogue(), stale


def test_a_place_that_does_not_exist_is_a_usage_error(jaxbench, monkeypatch):
    done = jaxbench("leaderboard", "nowhere")
    assert done.code == 2
    assert done.err == "error: nowhere: no such file or folder; name results, or nothing for those shipped\n"
    monkeypatch.setenv("JAXBENCH_RESULTS", "published:elsewhere")
    assert jaxbench("leaderboard").err.startswith("error: elsewhere: no such file or folder")
    assert jaxbench("leaderboard", "nowhere").err.startswith("error: nowhere: no such file or folder")
