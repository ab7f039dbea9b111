"""Who may come in: passwords, the installation's secret, cookies, throttling.

Rules of this package: logic without HTTP; it imports storage, settings and errors. What stands in the database is
`storage/users.py`, `storage/sign_ins.py` and `storage/keys.py`; the pages are in `web`.
"""
