"""Is it really private? Exact audits over all small data sets and all their neighbours, of draws by their laws, and of
anything by its draws alone."""

from dampen.audit.admissibility import AdmissibilityReport, audit_admissibility
from dampen.audit.assertion import assert_private
from dampen.audit.black_box import black_box
from dampen.audit.black_box_report import BlackBoxReport
from dampen.audit.caps import audit_caps
from dampen.audit.check import ContractReport, check_mechanism
from dampen.audit.classes import Classification, classify, dominates
from dampen.audit.counts import audit_counts
from dampen.audit.draws import DrawReport, audit_draw
from dampen.audit.exact import audit_selection
from dampen.audit.laplace_pair import LaplacePair, laplace_pair
from dampen.audit.neighbours import (
    add_remove_neighbours,
    edge_neighbours,
    graphs,
    multisets,
    replace_neighbours,
)
from dampen.audit.numeric import audit_numeric
from dampen.audit.pair_search import search
from dampen.audit.probe_report import ProbeReport
from dampen.audit.probes import probe
from dampen.audit.proposed_pairs import Pair, pairs
from dampen.audit.report import AuditReport
from dampen.audit.scripted import ScriptedEntropy, law_by_enumeration
from dampen.audit.search_report import SearchReport
from dampen.audit.unknown_groups import audit_unknown_groups

__all__ = [
    "AdmissibilityReport",
    "AuditReport",
    "BlackBoxReport",
    "Classification",
    "ContractReport",
    "DrawReport",
    "LaplacePair",
    "Pair",
    "ProbeReport",
    "ScriptedEntropy",
    "SearchReport",
    "add_remove_neighbours",
    "assert_private",
    "audit_admissibility",
    "audit_caps",
    "audit_counts",
    "audit_draw",
    "audit_numeric",
    "audit_selection",
    "audit_unknown_groups",
    "black_box",
    "check_mechanism",
    "classify",
    "dominates",
    "edge_neighbours",
    "graphs",
    "laplace_pair",
    "law_by_enumeration",
    "multisets",
    "pairs",
    "probe",
    "replace_neighbours",
    "search",
]
