"""Quotes, creates an order and reads it: BASE_URL, API_KEY and API_SECRET in the environment.

`swap.py webhook < body` checks a webhook instead: WEBHOOK_SECRET, SIGN and TIMESTAMP (its two headers).
`partner_exchange.py` lies beside it.
"""
import os
import sys
import uuid

from partner_exchange import Client, RefusedError, WebhookError, verify_webhook


def swap():
    exchange = Client(os.environ["BASE_URL"], os.environ["API_KEY"], os.environ["API_SECRET"])
    terms = {"type": "float", "fromCcy": "LTC", "toCcy": "ETH", "direction": "from", "amount": "2"}
    quote = exchange.price(terms)
    print(f"{quote['from']['amount']} LTC gives {quote['to']['amount']} ETH")
    addresses = {
        "toAddress": "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
        "refundAddress": "ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh",
    }
    try:
        # One key for each order that you mean to make: the same key never makes a second order.
        created = exchange.create({**terms, **addresses}, idempotency_key=str(uuid.uuid4()))
    except RefusedError as refused:
        if refused.code in (7, 8):
            print(f"from {quote['from']['min']} to {quote['from']['max']} LTC", file=sys.stderr)
        raise
    print(f"pay {created['from']['amount']} LTC to {created['from']['address']}")
    order = exchange.order({"id": created["id"], "token": created["token"]})
    print(f"{order['id']} is {order['status']}")


def webhook():
    headers = {"X-Partner-Webhook-Sign": os.environ["SIGN"], "X-Partner-Webhook-Timestamp": os.environ["TIMESTAMP"]}
    try:
        event = verify_webhook(sys.stdin.buffer.read(), headers, os.environ["WEBHOOK_SECRET"])
    except WebhookError as error:
        sys.exit(f"not authentic: {error.reason}")
    print(f"authentic: {event['type']}")


if sys.argv[1:] == ["webhook"]:
    webhook()
else:
    swap()
