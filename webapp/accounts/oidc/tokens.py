"""The provider's word about who came: an ID token, checked.

Rules of this file: pure; a token counts only when its signature, issuer, audience, times and nonce are right. What is
wrong is told in fixed words, never with a part of the token.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import ClaimError, InvalidKeyIdError, JoseError
from joserfc.jwk import JWKRegistry, KeySet
from joserfc.jws import JWSRegistry

from webapp.accounts.oidc.wire import Odd

# with keys that only the provider has: neither `none`, nor a secret that it shares with us
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
LEEWAY_SECONDS = 60
MAX_SUBJECT = 255


class UnknownKey(Exception):
    """It is signed with a key that is not among these: the provider may have new ones."""


def keys_of(found: object) -> KeySet:
    """The keys of a provider, those we cannot use left out. Raises Odd when none is left."""
    listed = found if isinstance(found, list) else []
    keys = []
    for each in listed:
        if not isinstance(each, dict) or each.get("kty") not in ("RSA", "EC") or each.get("use") == "enc":
            continue
        try:
            keys.append(JWKRegistry.import_key(each))
        except (JoseError, ValueError, TypeError, KeyError):
            continue
    if not keys:
        raise Odd("the provider has no key that can be used")
    return KeySet(keys)


def claims_of(
    token: object,
    keys: KeySet,
    *,
    issuer: str,
    client_id: str,
    nonce: str,
    access_token: object,
    algorithms: Iterable[object],
) -> dict[str, Any]:
    """What an ID token says. algorithms: those the provider names. Raises UnknownKey and Odd."""
    allowed = [name for name in algorithms if name in ALGORITHMS]
    if not allowed:  # an empty list would mean the library's own, shared secrets among them
        raise Odd("the provider signs in no way that is accepted here")
    if not isinstance(token, str):
        raise Odd("there is no ID token in the answer")
    registry = JWSRegistry(algorithms=[str(name) for name in allowed], strict_check_header=False)
    try:
        read = jwt.decode(token, keys, registry=registry)
        claims = CodeIDToken(
            read.claims,
            read.header,
            {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}},
            {"nonce": nonce, "client_id": client_id, "access_token": access_token},
        )
        claims.validate(leeway=LEEWAY_SECONDS)
    except InvalidKeyIdError:
        raise UnknownKey from None
    except ClaimError as error:
        raise Odd(f"the ID token’s “{error.claim[:20]}” is missing or wrong") from None
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise Odd(f"the ID token cannot be trusted ({type(error).__name__})") from None
    subject = claims["sub"]
    if not 0 < len(subject) <= MAX_SUBJECT or not subject.isprintable():
        raise Odd("the ID token’s “sub” is missing or wrong")
    return dict(claims)
