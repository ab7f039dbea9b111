"""Signing in with OpenID Connect: at a provider people have an account with already.

Rules of this package: the authorization code flow with PKCE, and nothing else of the protocol. In the order of a
sign-in: `config.py` (what was set), `provider.py` (where it is, leaving for it, what it says who came), with `wire.py`
(HTTP) and `tokens.py` (its word checked), `started.py` (what the browser keeps meanwhile), `people.py` (whose account
it is). No token and no code is stored or logged.
"""
