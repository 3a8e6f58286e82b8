"""`drive.py vectors FILE`: what the Python client makes of each vector, as JSON. `drive.py call NAME`: a call, in a word."""
import json
import os
import sys

from partner_exchange import Client, NetworkError, RefusedError, WebhookError, sign, verify_webhook


def verdict(vector, headers):
    try:
        verify_webhook(vector["body"].encode(), headers, vector["secrets"], vector["now"])
        return "authentic"
    except WebhookError as error:
        return error.reason


def own(vector):
    return {"X-Partner-Webhook-Sign": vector["signature"], "X-Partner-Webhook-Timestamp": vector["timestamp"]}


def standard(vector):
    return {"Webhook-Id": vector["id"], "Webhook-Timestamp": vector["timestamp"], "Webhook-Signature": vector["signature"]}


def of_vectors(path):
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    return json.dumps({
        "requests": [sign(each["apiSecret"], each["body"].encode(), each["nonce"], each["timestamp"]) for each in vectors["requests"]],
        "webhooks": [verdict(each, own(each)) for each in vectors["webhooks"]],
        "standardWebhooks": [verdict(each, standard(each)) for each in vectors["standardWebhooks"]],
    })


def of_call(name):
    try:
        exchange = Client(os.environ["BASE_URL"], "pk_key", "secret")
        return f"answered {exchange.call(name, {'a': 'b'})['word']}"
    except RefusedError as refused:
        return f"refused {refused.code} {refused.request_id} {refused.retry_after or 0}"
    except NetworkError:
        return "no answer"
    except ValueError:
        return "no https"


print({"vectors": of_vectors, "call": of_call}[sys.argv[1]](sys.argv[2]))
