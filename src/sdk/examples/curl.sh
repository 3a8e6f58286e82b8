#!/bin/sh
# Quotes, creates an order and reads it: BASE_URL, API_KEY and API_SECRET in the environment.
# `curl.sh webhook < body` checks a webhook instead: WEBHOOK_SECRET, SIGN and TIMESTAMP (its two headers).
# It needs curl and openssl.
set -eu

hmac() { openssl dgst -sha256 -hmac "$1" | sed 's/^.* //'; } # hmac SECRET < bytes

if [ "${1:-}" = webhook ]; then
	expected=$(hmac "$WEBHOOK_SECRET")
	age=$(($(date +%s) - TIMESTAMP))
	# A server compares in constant time, as the other examples do. A shell cannot.
	if [ "$expected" = "$SIGN" ] && [ "$age" -le 300 ] && [ "$age" -ge -60 ]; then echo authentic; else echo 'not authentic'; exit 1; fi
	exit 0
fi

signed() { # signed PATH BODY [HEADER]
	timestamp=$(date +%s)
	nonce=$(openssl rand -hex 16)
	signature=$(printf '%s\n%s\n%s' "$timestamp" "$nonce" "$2" | hmac "$API_SECRET")
	curl -sS --max-time 30 "$BASE_URL$1" --data-binary "$2" -H "X-API-KEY: $API_KEY" -H "X-API-SIGN: $signature" \
		-H "X-API-NONCE: $nonce" -H "X-API-TIMESTAMP: $timestamp" -H "${3:-Accept: application/json}"
}

text() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; } # the text of a field that the answer has once

SWAP='"type":"float","fromCcy":"LTC","toCcy":"ETH","direction":"from","amount":"2"'
TO=0x9858EfFD232B4033E47d90003D41EC34EcaEda94
BACK=ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh

signed /api/v1/price "{$SWAP}"
echo
# One key for each order that you mean to make: the same key never makes a second order.
created=$(signed /api/v1/create "{$SWAP,\"toAddress\":\"$TO\",\"refundAddress\":\"$BACK\"}" "Idempotency-Key: $(openssl rand -hex 16)")
id=$(printf '%s' "$created" | sed -n 's/.*"data":{"id":"\([^"]*\)".*/\1/p')
token=$(printf '%s' "$created" | text token)
[ -n "$token" ] || { echo "$created" >&2; exit 1; }
signed /api/v1/order "{\"id\":\"$id\",\"token\":\"$token\"}"
echo
