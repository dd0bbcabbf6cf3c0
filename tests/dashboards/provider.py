"""An OpenID Connect provider of one user, for the tests: real endpoints on a real port, real keys, real signatures."""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlparse

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "catwalk", "a secret of the client's"


@dataclass
class Provider:
    """`user`: what it says of whoever signs in. `seconds`: how long its word holds. `forged`: signed by somebody else."""

    user: dict[str, object]
    seconds: int = 3600
    forged: bool = False
    address: str = ""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}))
    asked: dict[str, dict[str, str]] = field(default_factory=dict)
    signed_out: int = 0

    def metadata(self) -> dict[str, object]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "end_session_endpoint": f"{self.address}/end",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def authorized(self, asked: dict[str, str]) -> str:
        """Where to send the browser back to: this provider asks nobody for a password."""
        assert asked["client_id"] == CLIENT
        code = secrets.token_urlsafe()
        self.asked[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, given: dict[str, str], authorization: str) -> dict[str, object]:
        assert authorization == "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        asked = self.asked.pop(given["code"])
        digest = hashlib.sha256(given["code_verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == asked["code_challenge"]
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "iat": now, "exp": now + self.seconds, "nonce": asked["nonce"]}
        key = RSAKey.generate_key(2048, {"kid": "one"}) if self.forged else self.key
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, {**claims, **self.user}, key)
        return {"access_token": "of no use", "token_type": "Bearer", "expires_in": self.seconds, "id_token": signed}


@contextmanager
def provided(user: dict[str, object]) -> Iterator[Provider]:
    provider = Provider(user)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = {name: values[0] for name, values in parse_qs(urlparse(self.path).query).items()}
            match urlparse(self.path).path:
                case "/.well-known/openid-configuration":
                    self.answer(provider.metadata())
                case "/keys":
                    self.answer({"keys": [provider.key.as_dict(private=False)]})
                case "/authorize":
                    self.sent_to(provider.authorized(asked))
                case "/end":
                    provider.signed_out += 1
                    self.sent_to(asked["post_logout_redirect_uri"].removesuffix("oauth2callback"))
                case _:
                    self.send_error(404)

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            given = {name: values[0] for name, values in parse_qs(body).items()}
            self.answer(provider.token(given, self.headers["Authorization"]))

        def answer(self, content: dict[str, object]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(content).encode())

        def sent_to(self, address: str) -> None:
            self.send_response(302)
            self.send_header("Location", address)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
