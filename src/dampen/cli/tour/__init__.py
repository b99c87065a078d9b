"""The guided tour of ``dampen demo``, on data that is made up here, so that everything may be shown.

It is a package of its own, because it audits and draws: no other verb should wait until all of that is imported.
"""
