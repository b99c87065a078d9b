"""Which of scikit-learn's checks a private classifier must fail."""

EMPTY_TABLES = {
    "check_estimators_empty_data_messages": "an empty table is a table: to refuse it would tell it from one with a row"
}
