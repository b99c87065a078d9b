"""Persons in memory: random rows against loops and fractions, large totals, and who is one person."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
import polars as pl
import pytest

from dampen.tables import as_grid
from dampen.tables.engines import array_people, array_persons
from dampen.tables.engines.array_persons import PersonCodes, person_codes
from dampen.tables.engines.base import PersonAsk
from dampen.tables.columns import as_column
from dampen.tables.engines.array_people import PersonRows
from dampen.tables.reading import MISSING, OTHER
from tests.contracts.people_by_hand import Row, shares_by_hand, signed_by_hand, told, values_by_hand

CAPS = (1, 2, 3, 4, 7, 8, 64, 2**10, 2**20)
NOT_ALIKE = PersonCodes(np.empty(0, dtype=np.int64), 0)
