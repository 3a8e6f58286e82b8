"""Quotes, creates an order and reads it: BASE_URL, API_KEY and API_SECRET in the environment.

`swap.py webhook < body` checks a webhook instead: WEBHOOK_SECRET, SIGN and TIMESTAMP (its two headers).
The standard library is enough.
"""
import hashlib
import hmac
import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid


def hmac_hex(secret: str, message: bytes) -> str:
    return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()


def signed(path: str, body: dict, idempotency_key: str = "") -> dict:
    """The answer's data. The bytes that are signed are the bytes that are sent."""
    raw = json.dumps(body).encode()
    timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
    headers = {
        "Content-Type": "application/json",
        "X-API-KEY": os.environ["API_KEY"],
        "X-API-SIGN": hmac_hex(os.environ["API_SECRET"], f"{timestamp}\n{nonce}\n".encode() + raw),
        "X-API-NONCE": nonce,
        "X-API-TIMESTAMP": timestamp,
    }
    if idempotency_key:
        headers["Idempotency-Key"] = idempotency_key
    request = urllib.request.Request(os.environ["BASE_URL"] + path, data=raw, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as refused:
        answer = json.load(refused)
    if answer["code"] != 0:
        raise RuntimeError(f"{path}: code {answer['code']}, {answer['msg']}")
    return answer["data"]


def is_authentic(raw: bytes, sign: str, timestamp: str, secret: str) -> bool:
    """A webhook: the signature over the raw body, in constant time, and the age of the timestamp."""
    if not hmac.compare_digest(hmac_hex(secret, raw).encode(), sign.encode()):
        return False
    return timestamp.isdigit() and -60 <= time.time() - int(timestamp) <= 300


def swap() -> None:
    terms = {"type": "float", "fromCcy": "LTC", "toCcy": "ETH", "direction": "from", "amount": "2"}
    quote = signed("/api/v1/price", terms)
    print(f"{quote['from']['amount']} LTC gives {quote['to']['amount']} ETH")
    addresses = {
        "toAddress": "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
        "refundAddress": "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh",
    }
    # One key for each order that you mean to make: the same key never makes a second order.
    created = signed("/api/v1/create", {**terms, **addresses}, idempotency_key=str(uuid.uuid4()))
    print(f"pay {created['from']['amount']} LTC to {created['from']['address']}")
    order = signed("/api/v1/order", {"id": created["id"], "token": created["token"]})
    print(f"{order['id']} is {order['status']}")


if sys.argv[1:] == ["webhook"]:
    env = os.environ
    authentic = is_authentic(sys.stdin.buffer.read(), env["SIGN"], env["TIMESTAMP"], env["WEBHOOK_SECRET"])
    print("authentic" if authentic else "not authentic")
    sys.exit(0 if authentic else 1)
swap()
