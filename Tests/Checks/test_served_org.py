"""Programs and clients use the simulated org of Examples/ServedOrg over HTTP."""
import pytest

from support import script


@pytest.mark.slow
def test_served_org(served_org_program, idx_flow):
    script.run("check-served-org", idx_flow, IDX_SKIP_BUILD="1")
