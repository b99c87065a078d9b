"""All reproductions, in the order of docs/papers.md. A new one is one import and one line here."""

from collections.abc import Mapping

from experiments.dampening_examples import DampeningExamples
from experiments.dampening_figure_7 import DampeningFigure7
from experiments.dampening_figure_8 import DampeningFigure8
from experiments.dampening_figure_9 import DampeningFigure9
from experiments.dampening_figure_10 import DampeningFigure10
from experiments.dampening_figure_11 import DampeningFigure11
from experiments.dampening_table_1 import DampeningTable1
from experiments.groupby_figure_1 import GroupByFigure1
from experiments.groupby_table_1 import GroupByTable1
from experiments.groupby_table_2 import GroupByTable2
from experiments.lls_example_5_3 import LlsExample53
from experiments.lls_figure_2 import LlsFigure2
from experiments.lls_figure_3 import LlsFigure3
from experiments.lls_figure_4 import LlsFigure4
from experiments.lls_figure_5 import LlsFigure5
from experiments.lls_figure_6_7_8 import LlsFigure678
from experiments.reproduction import Reproduction
from experiments.snm_figure_7 import SnmFigure7
from experiments.snm_figure_8 import SnmFigure8
from experiments.snm_figure_9 import SnmFigure9
from experiments.snm_figure_10 import SnmFigure10
from experiments.snm_table_3 import SnmTable3
from experiments.snm_table_5 import SnmTable5
from experiments.snm_theorem_7_2 import SnmTheorem72

_ALL: tuple[Reproduction, ...] = (
    DampeningExamples(),
    DampeningFigure7(),
    DampeningFigure8(),
    DampeningFigure9(),
    DampeningFigure10(),
    DampeningTable1(),
    DampeningFigure11(),
    SnmTable3(),
    SnmFigure7(),
    SnmFigure8(),
    SnmFigure9(),
    SnmTable5(),
    SnmTheorem72(),
    SnmFigure10(),
    GroupByTable1(),
    GroupByTable2(),
    GroupByFigure1(),
    LlsFigure2(),
    LlsExample53(),
    LlsFigure3(),
    LlsFigure4(),
    LlsFigure5(),
    LlsFigure678(),
)
REPRODUCTIONS: Mapping[str, Reproduction] = {reproduction.id: reproduction for reproduction in _ALL}
