"""What the pages say of a prediction."""

import polars as pl
from synthetic_records import record

from jaxbench_harness.records import Breakdown, Predicted, PredictedPart, PredictedWait
from jaxbench_leaderboard.record_facts import prediction_facts


def test_a_prediction_is_told_in_facts_and_tables():
    wait = PredictedWait(operand="input 1", window=(1024, 512), source="hbm", destination="vmem", time_ns=2.5e5)
    breakdown = Breakdown(
        bottleneck="dma_latency",
        executing_ns=7.5e5,
        waiting_ns=2.5e5,
        hbm_busy_ns=5e5,
        hbm_bytes=2**30,
        parts=(PredictedPart(name="gemm.1", calls=1, time_ns=1e6),),
        waits=(wait,),
        units={"MXU": 0.5},
        assumptions=("nothing else runs",),
    )
    timing = Predicted(
        model="m", time_ns=1e6, low_ns=9e5, high_ns=1.1e6, calibrated=True, inputs=None, breakdown=breakdown
    )
    facts, tables = prediction_facts(record("one", timing=timing).model_dump(mode="json"))
    assert ("bottleneck", "dma_latency") in facts
    assert ("waiting", "250 us") in facts
    assert ("hbm", "1 GiB") in facts
    assert tables["waits"].row(0, named=True) == {
        "operand": "input 1",
        "window": "1024 x 512",
        "source": "hbm",
        "destination": "vmem",
        "time": "250 us",
    }
    assert tables["units"].equals(pl.DataFrame({"units": ["MXU"], "share": ["50 %"]}))
    assert tables["assumptions"].to_series().to_list() == ["nothing else runs"]


def test_without_a_prediction_nothing_is_told():
    assert prediction_facts(record("none", timing=None).model_dump(mode="json")) == ([], {})
