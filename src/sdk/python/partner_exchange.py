"""Client of the Partner Exchange API: signed calls with retries, and webhooks. Python 3.8 and its standard library.

    exchange = Client("https://api.example.com", api_key, api_secret)
    quote = exchange.price({"type": "float", "fromCcy": "LTC", "toCcy": "ETH", "direction": "from", "amount": "2"})

Amounts are text: give them as text, and read them with decimal.Decimal.
"""
import base64
import email.utils
import hashlib
import hmac
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

# Calls that may be carried out twice. A create may, because it has its idempotency key.
REPEATABLE = {"price", "create", "order", "orders", "assets", "currencies", "pairs", "qr", "earnings", "limits", "validate-address"}
NOT_CARRIED_OUT = {5, 10, 11}
MAX_PAUSE_SECONDS = 20


class ExchangeError(Exception):
    """The base of every error of this module."""


class RefusedError(ExchangeError):
    """The service refused the call: `code` says why, `request_id` is what you quote to the operator."""

    def __init__(self, path, code, msg, status, headers, ahead):
        super().__init__(f"{path}: code {code}, {msg}")
        self.code, self.msg, self.status = code, msg, status
        self.ahead = ahead  # Seconds that the service's clock is ahead of ours, where that is news and matters.
        self.request_id = headers.get("X-Request-Id")
        wait = headers.get("Retry-After") or ""
        self.retry_after = int(wait) if wait.isdigit() else None


class NetworkError(ExchangeError):
    """No usable answer came. Nobody can say whether the call was carried out."""


class WebhookError(ExchangeError):
    """The webhook is not authentic: answer it with HTTP 401. `reason` is a word for your log."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None  # The call was signed for this service.


class Client:
    """`timeout`: seconds for one attempt; `retries`: attempts after the first."""

    def __init__(self, url, api_key=None, api_secret=None, timeout=30, retries=3):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "https" and (parts.scheme, parts.hostname in ("localhost", "127.0.0.1", "::1")) != ("http", True):
            raise ValueError(f"{url} is no https: address; http: is for this machine alone")
        self._url, self._key, self._secret = url.rstrip("/"), api_key, api_secret
        self._timeout, self._retries = timeout, retries
        self._ahead = 0.0  # Seconds that the service's clock is ahead of ours.
        self._opener = urllib.request.build_opener(_NoRedirect)

    def price(self, body):
        return self.call("price", body)

    def create(self, body, idempotency_key=None):
        """One key for each order that you mean to make, kept with your own order: it never makes a second one."""
        return self.call("create", body, idempotency_key=idempotency_key or str(uuid.uuid4()))

    def order(self, body):
        return self.call("order", body)

    def call(self, name, body=None, method="POST", idempotency_key=None):
        """`data` of the answer of /api/v1/`name`. The bytes that are signed are the bytes that are sent."""
        raw = b"" if method == "GET" else json.dumps(body or {}).encode()
        is_corrected, attempt = False, 0
        while True:
            try:
                return self._attempt(method, f"/api/v1/{name}", raw, idempotency_key)
            except (RefusedError, NetworkError) as error:
                if isinstance(error, RefusedError) and error.code == 3 and error.ahead is not None and not is_corrected:
                    is_corrected, self._ahead = True, error.ahead
                    continue
                pause = _pause_after(error, attempt, method == "GET" or name in REPEATABLE)
                if pause is None or attempt >= self._retries:
                    raise
                time.sleep(pause)
                attempt += 1

    def _attempt(self, method, path, raw, idempotency_key):
        headers = {"Content-Type": "application/json"} if raw else {}
        if self._key is not None:
            timestamp, nonce = str(int(time.time() + self._ahead)), str(uuid.uuid4())
            headers.update({"X-API-KEY": self._key, "X-API-NONCE": nonce, "X-API-TIMESTAMP": timestamp})
            headers["X-API-SIGN"] = sign(self._secret, raw, nonce, timestamp)
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        request = urllib.request.Request(self._url + path, data=raw or None, headers=headers, method=method)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                status, answered, text = response.status, response.headers, response.read()
        except urllib.error.HTTPError as refused:
            status, answered, text = refused.code, refused.headers, refused.read()
        except OSError as error:
            raise NetworkError(f"{path}: {error}") from error
        try:
            answer = json.loads(text)
            code, msg = answer["code"], answer["msg"]
        except (ValueError, KeyError, TypeError) as error:
            raise NetworkError(f"{path}: the answer is not the service's (HTTP {status})") from error
        if code == 0:
            return answer["data"]
        raise RefusedError(path, code, msg, status, answered, self._skew(answered.get("Date")))

    def _skew(self, date):
        try:
            ahead = email.utils.parsedate_to_datetime(date).timestamp() - time.time()
        except (TypeError, ValueError):
            return None
        return ahead if abs(ahead - self._ahead) > 30 else None


def _pause_after(error, attempt, is_repeatable):
    """Seconds until the next attempt. None: the call is not tried again."""
    code = error.code if isinstance(error, RefusedError) else None
    if code not in NOT_CARRIED_OUT and not (code in (None, 99) and is_repeatable):
        return None
    if code is not None and error.retry_after is not None:
        return error.retry_after if error.retry_after <= MAX_PAUSE_SECONDS else None
    return min(0.5 * 2**attempt, MAX_PAUSE_SECONDS) * random.uniform(0.5, 1)


def sign(api_secret, body, nonce, timestamp):
    """X-API-SIGN of these bytes. A `timestamp` of None is body-only mode."""
    text = body if timestamp is None else f"{timestamp}\n{nonce}\n".encode() + body
    return hmac.new(api_secret.encode(), text, hashlib.sha256).hexdigest()


def verify_webhook(raw, headers, secrets, now=None):
    """The event. `raw`: the bytes that came, before anything parsed them; `headers`: any mapping of names to values;
    `secrets`: the webhookSecret, or a list of the new and the old one while you replace it.

    The headers of Standard Webhooks are taken where they are there, because they sign the time as well.
    """
    if not isinstance(raw, (bytes, bytearray)):
        raise TypeError("give the raw bytes of the body, before anything parses them")
    secrets = [secrets] if isinstance(secrets, str) else secrets
    if not all(secrets):
        raise ValueError("a webhookSecret is empty: anybody could sign with it")
    named = {name.lower(): value for name, value in headers.items()}
    standard = named.get("webhook-signature", "")
    timestamp = named.get("webhook-timestamp" if standard else "x-partner-webhook-timestamp", "")
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 15):
        raise WebhookError("header-missing")
    message = f"{named.get('webhook-id', '')}.{timestamp}.".encode() + raw if standard else raw
    given = standard.split(" ") if standard else [named.get("x-partner-webhook-sign", "")]
    digests = [hmac.new(each.encode(), message, hashlib.sha256).digest() for each in secrets]
    expected = ["v1," + base64.b64encode(digest).decode() if standard else digest.hex() for digest in digests]
    if not any([hmac.compare_digest(one.encode(), other.encode()) for one in given for other in expected]):
        raise WebhookError("signature-wrong" if given[0] else "header-missing")
    age = (time.time() if now is None else now) - int(timestamp)
    if age > 300 or age < -60:
        raise WebhookError("timestamp-out-of-range")
    try:
        event = json.loads(raw)
        if isinstance(event["id"], str) and isinstance(event["type"], str):
            return event
    except (ValueError, KeyError, TypeError):
        pass
    raise WebhookError("body-not-an-event")
