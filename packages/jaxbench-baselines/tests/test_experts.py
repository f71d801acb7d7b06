"""The declared experts: each can be built, and its candidate holds all of this package that it uses."""

import ast
import importlib
import inspect
import json
from importlib.metadata import version

import pytest

from jaxbench_baselines.configs import TunedConfig, config_path, find_config, read_config
from jaxbench_baselines.registered import BASELINES, EXPERTS
from jaxbench_baselines.settings import SettingsError, read_settings

each_expert = pytest.mark.parametrize("expert", EXPERTS, ids=lambda expert: f"{expert.workload_id}-{expert.name}")


def test_every_production_operator_has_an_expert():
    found = {baseline.workload_id.split("_")[0] for baseline in BASELINES if baseline.name == "expert"}
    assert found >= {f"{number}p" for number in range(1, 18)}


@each_expert
def test_its_config_is_its_own_and_of_the_installed_versions(expert):
    """Another compiler or library can make another config the best, so an update has to tune anew."""
    config = read_config(find_config(expert.workload_id, expert.name, "v6e"))
    assert (config.workload, config.baseline, config.target) == (expert.workload_id, expert.name, "v6e")
    software = (config.software.jax, config.software.libtpu, config.software.library)
    assert software == (version("jax"), version("libtpu"), version(expert.library))


@each_expert
def test_its_candidate_holds_every_module_of_the_package_that_it_imports(expert):
    candidate = expert.candidate("v6e")
    for path, content in candidate.files.items():
        if not path.endswith(".py"):
            continue
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("jaxbench_"):
                assert f"{node.module.replace('.', '/')}.py" in candidate.files, f"{path} imports {node.module}"


@each_expert
def test_its_function_exists(expert):
    module = importlib.import_module(f"jaxbench_baselines.experts.{expert.module}")
    assert inspect.isfunction(getattr(module, expert.function))


def test_configs_of_one_workload_are_told_apart():
    assert config_path("13p_Cross_Entropy", "expert:tokamax", "v6e").name == "13p_Cross_Entropy.tokamax.json"
    assert config_path("13p_Cross_Entropy", "expert", "v6e").name == "13p_Cross_Entropy.json"


def test_a_target_without_a_config_takes_that_of_the_v6e():
    assert find_config("12p_RMSNorm", "expert", "v7x") == config_path("12p_RMSNorm", "expert", "v6e")


def test_a_missing_config_is_named():
    with pytest.raises(FileNotFoundError, match=r"write 8p_GEMM\.fast\.json for v6e"):
        find_config("8p_GEMM", "expert:fast", "v6e")


def test_settings_are_read_from_the_config(tmp_path):
    config = read_config(find_config("12p_RMSNorm", "expert", "v6e"))
    (tmp_path / "config.json").write_text(config.model_dump_json())
    assert read_settings("block_rows", folder=tmp_path) == config.settings
    assert TunedConfig.model_validate(json.loads(config.model_dump_json())) == config


def test_other_settings_than_the_kernel_takes_are_refused(tmp_path):
    (tmp_path / "config.json").write_text('{"settings": {"rows": 8}}')
    with pytest.raises(SettingsError, match=r"config\.json has \['rows'\], the kernel takes \['columns'\]"):
        read_settings("columns", folder=tmp_path)


def test_without_a_config_it_says_how_an_expert_is_run(tmp_path):
    with pytest.raises(SettingsError, match="run an expert through its baseline"):
        read_settings(folder=tmp_path)
