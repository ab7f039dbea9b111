"""Invented credentials, each with a canary in it, and the ways they stand in what people upload.

They are put together here, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import json

CANARY = "Canary7"  # in every credential, in no other text
B64 = "Ab3dE6fH9jKlM2nPqRsTuVwXyZ0123456789"


def named(number: int = 0) -> str:
    """A value that nothing but its name gives away."""
    return f"{CANARY}{number}xyz"


JWT = "ey" + f"JhbGciOiJIUzI1NiJ9.eyJzdWIiOiI{CANARY}iJ9.{CANARY}{B64}"
PEM = (
    f"-----BEGIN RSA PRIVATE {'KEY'}-----\n{CANARY}{B64}{B64}\n{B64}{CANARY}==\n-----END RSA PRIVATE KEY-----"
)

# known by their shape, wherever they stand
SHAPES = {
    "jwt": JWT,
    "github": "gh" + f"p_{CANARY}{B64}",
    "github, fine grained": "github" + f"_pat_{CANARY}_{B64}",
    "openai": "sk" + f"-proj-{CANARY}{B64}",
    "anthropic": "sk" + f"-ant-api03-{CANARY}-{B64}",
    "aws": "AK" + "IACANARY7EXAMPLEAB",
    "google": "AI" + f"za{CANARY}{B64}"[:37],
    "slack": "xo" + f"xb-1234567890-{CANARY}{B64}",
    "npm": "np" + f"m_{CANARY}{B64}"[:38],
    "gitlab": "gl" + f"pat-{CANARY}{B64}",
    "stripe": "sk" + f"_live_{CANARY}{B64}",
    "azure storage": (CANARY + B64 * 3)[:76] + "+A" + "StAb12Cd==",
}

# header -> its value
HEADERS = {
    "Authorization": f"Bearer {named(1)}",
    "Proxy-Authorization": f"Basic {named(2)}==",
    "Cookie": f"session={named(3)}; other={named(4)}",
    "Set-Cookie": f"session={named(5)}; Path=/; HttpOnly",
    "X-Api-Key": named(6),
    "api-key": named(7),
    "Ocp-Apim-Subscription-Key": named(8),
    "X-Amz-Security-Token": named(9),
    "authorization": f"Custom-{named(10)}",
}

# member -> its value
MEMBERS = {
    "accessToken": named(1), "access_token": named(2), "refresh_token": named(3), "id_token": named(4),
    "client_secret": named(5), "clientSecret": named(6), "password": f"two words {named(7)}", "apiKey": named(8),
    "OPENAI_API_KEY": named(9), "MicrosoftAppPassword": named(10), "aws_secret_access_key": named(11),
    "authorization": f"Bearer {named(12)}", "cookie": f"a={named(13)}",
    "connectionString": f"Endpoint=sb://x.example/;SharedAccessKeyName=all;SharedAccessKey={named(14)}=;",
    "storage": f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={named(15)}==;EndpointSuffix=x.example",
}  # fmt: skip

ADDRESSES = {
    "password": f"https://user:{named(1)}@host.example/x",
    "database": f"postgres://app:{named(2)}@db.example:5432/x",
    "access_token": f"https://host.example/x?access_token={named(3)}&page=2",
    "sas": f"https://a.blob.example/c?sv=2024-01-01&sig={named(4)}%3D&se=2030",
    "code": f"/api/run?code={named(5)}==",
    "key": f"https://host.example/v1?x=1&key={named(6)}",
    "token": f"wss://host.example/socket?token={named(7)}#top",
    "amazon": f"https://b.s3.example/k?X-Amz-Date=1&X-Amz-Signature={named(8)}",
    "session": f"https://host.example/chat?page=2&sessionid={named(8)}",
    "session_id": f"/chat?session_id={named(9)}&page=2",
    "session in the path": f"https://host.example/chat;jsessionid={named(10)}?x=1",
    "sessionId": f"wss://host.example/socket?sessionId={named(11)}",
    "jwt": f"https://host.example/x?jwt={named(12)}&page=2",
    "slack hook": f"https://hooks.slack.com/services/T0000{CANARY}/B000/{B64}",
}


def carriers() -> dict[str, str]:
    """Name -> a text with credentials in it."""
    out = {f"shape, {name}": f"see {value} there" for name, value in SHAPES.items()}
    out |= {
        f"shape in JSON, {name}": json.dumps({"a": f"x {value}", "b": 1}) for name, value in SHAPES.items()
    }
    out |= {
        f"line break before it, {name}": json.dumps({"a": f"x\n{value}"}) for name, value in SHAPES.items()
    }
    out |= {"pem": PEM, "pem in JSON": json.dumps({"a": PEM, "b": json.dumps({"c": PEM})})}
    for name, value in HEADERS.items():
        out |= {
            f"header line, {name}": f"POST / HTTP/1.1\r\n{name}: {value}\r\nAccept: */*\r\n\r\n",
            f"curl -v, {name}": f"> POST / HTTP/1.1\n> {name}: {value}\n> accept: */*\n",
            f"curl command, {name}": f"curl -H '{name}: {value}' https://host.example",
            f"HAR, {name}": json.dumps(
                {"headers": [{"name": name, "value": value}, {"name": "b", "value": "c"}]}
            ),
            f"HAR laid out, {name}": json.dumps([{"name": name, "value": value}], indent=4),
            f"members, {name}": json.dumps({"headers": {name: value, "Accept": "*/*"}}),
            f"lists, {name}": json.dumps({name: [value, value], "Accept": ["*/*"]}),
            f"Python, {name}": repr({name: value, "Accept": "*/*"}),
            f"log line, {name}": f"2026-09-01 10:00:01,123 DEBUG sent {json.dumps({name: value})}",
        }
    for name, value in MEMBERS.items():
        told = {name: value, "n": 1}
        out |= {
            f"member, {name}": json.dumps(told),
            f"JSON in JSON, {name}": json.dumps({"delta": json.dumps(told)}),
            f"three deep, {name}": json.dumps({"text": json.dumps({"delta": json.dumps(told)})}),
            f".NET, {name}": json.dumps({"text": json.dumps(told)}).replace('\\"', "\\u0022"),
            f"Python, {name}": repr(told),
        }
        if " " not in value:
            out[f"patch, {name}"] = json.dumps({"op": "replace", "path": f"/auth/{name}", "value": value})
            out[f"argument, {name}"] = f"Client({name}={value!r}, n=1)"
    for name, value in ADDRESSES.items():
        out |= {
            f"address, {name}": f"GET {value} 200",
            f"address in JSON, {name}": json.dumps({"url": value}),
        }
    told = json.dumps({"url": ADDRESSES["sas"]}).replace("&", "\\u0026")
    out |= {
        "address, & escaped": told,
        "form body, session first": f"sessionid={named(4)}&page=2",
        "form body, in JSON": json.dumps({"text": f"session_id={named(5)}&jwt={named(6)}&page=2"}),
        "form body, session later": f"page=2&PHPSESSID={named(7)}",
        "form body, code first": f"code={named(8)}&client_id=x",
        "jwt in JSON": json.dumps({"jwt": f"{named(9)}abcdefghij"}),
        "form body": f"grant_type=x&client_id=a&client_secret={named(1)}&scope=b",
        "env file": f"A=1\nexport API_KEY={named(2)}\nDB_PASSWORD=correct{CANARY}\n",
        "HAR cookies": json.dumps(
            {"cookies": [{"name": "sid", "value": named(3)}, {"name": "b", "value": named(4)}]}
        ),
        "Go headers": f"map[Accept:[*/*] Authorization:[Bearer {named(5)}]]",
        "raw headers": json.dumps(["Authorization", f"Bearer {named(6)}", "Cookie", f"a={named(7)}"]),
        "not JSON's end": f'{{"text": "api_key=\\"{named(8)}\\" and more", "b": "c"}}',
        "HTTP/2": f"* [HTTP/2] [1] [authorization: Bearer {named(9)}]\n* [HTTP/2] [1] [cookie: a={named(10)}; b=c]\n",
    }
    for key in ("InstrumentationKey", "SharedAccessKey", "AccountKey"):
        first = f"{key}={named(1)}==;Endpoint=https://x.example/;EntityPath=e"
        later = f"Endpoint=sb://x.example/;{key}={named(2)}"
        out |= {
            f"connection string, {key}": f"using {first}",
            f"connection string in JSON, {key}": json.dumps({"delta": first, "b": later}),
            f"connection string at the end, {key}": later,
            f"connection string in code, {key}": f'connect("{later}", 1)',
            f"letters only, {key}": f"connect {key}={CANARY[:-1]}SevenLettersOnly{CANARY};x=1",
        }
    return out
