import re
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_python_examples_run(capsys):
    (source,) = re.findall(r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)
    exec(compile(source, "README.md", "exec"), {"__name__": "example"})
    assert "2.215" in capsys.readouterr().out


def test_starts_with_a_command():
    assert README.startswith("# jaxbench-analysis\n\n```sh\nuv run jaxbench rank published\n```\n")
