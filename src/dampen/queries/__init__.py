"""Counts in, problems out: one file per question. Each problem's sensitivity is proved in docs/proofs."""

from dampen.queries.categories import approval_problem, count_problem, winner_problem
from dampen.queries.graph.kept_edges import kept_edges_problem
from dampen.queries.graph.level import level_problem
from dampen.queries.graph.node_problems import degree_problem, ego_betweenness_problem, ego_betweenness_range_problem
from dampen.queries.graph.subgraphs import (
    edge_count_problem,
    k_clique_problem,
    k_star_problem,
    k_triangle_problem,
    triangle_problem,
)
from dampen.queries.groups import dice_problem, fragment_problem, group_size_problem
from dampen.queries.order.order_statistic import order_statistic_problem
from dampen.queries.order.percentile_label import percentile_label_problem
from dampen.queries.order.percentile_on_grid import (
    percentile_hit_problem,
    percentile_rank_problem,
    percentile_value_problem,
)
from dampen.queries.splits.attribute import information_gain_problem, max_operator_problem, max_operator_winner_problem
from dampen.queries.sums import mean_part_problems, mean_problem, row_count_problem, sum_problem

__all__ = [
    "approval_problem",
    "count_problem",
    "degree_problem",
    "dice_problem",
    "edge_count_problem",
    "ego_betweenness_problem",
    "ego_betweenness_range_problem",
    "fragment_problem",
    "group_size_problem",
    "information_gain_problem",
    "k_clique_problem",
    "k_star_problem",
    "k_triangle_problem",
    "kept_edges_problem",
    "level_problem",
    "max_operator_problem",
    "max_operator_winner_problem",
    "mean_part_problems",
    "mean_problem",
    "order_statistic_problem",
    "percentile_hit_problem",
    "percentile_label_problem",
    "percentile_rank_problem",
    "percentile_value_problem",
    "row_count_problem",
    "sum_problem",
    "triangle_problem",
    "winner_problem",
]
