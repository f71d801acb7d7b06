import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README.read_text(), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("source", EXAMPLES, ids=[f"example{number}" for number in range(len(EXAMPLES))])
def test_example_runs(source, capsys):
    exec(compile(source, str(README), "exec"), {"__name__": "example"})
    assert capsys.readouterr().out.strip()


def test_readme_starts_with_an_example():
    assert len(EXAMPLES) == 2
