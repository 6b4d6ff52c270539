"""The demo at a terminal, with its QR code."""
import pytest

from support import demo


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}], ids=["colors", "no colors"])
def test_demo_sets_up_an_app_and_signs_in(home, idx_flow, variables):
    with home.terminal(idx_flow, "signin", "--demo", "--force", **variables) as terminal:
        demo.play(terminal)


def test_demo_draws_its_code_where_it_fits(home, idx_flow):
    def draws_code(rows):
        with home.terminal(idx_flow, "signin", "--demo", "--force", rows=rows) as terminal:
            shown, *_ = demo.set_up(terminal)
            terminal.type("\x04")
            terminal.wait()
            return demo.has_qr_code(shown, rows)

    drawn = [rows for rows in range(18, 32) if draws_code(rows)]
    assert 24 in drawn and drawn == list(range(drawn[0], 32))
