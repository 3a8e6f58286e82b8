<?php
// Quotes, creates an order and reads it: BASE_URL, API_KEY and API_SECRET in the environment.
// `php swap.php webhook < body` checks a webhook instead: WEBHOOK_SECRET, SIGN and TIMESTAMP (its two headers).
// PHP 8 without extensions is enough.
declare(strict_types=1);

/** The answer's data. The bytes that are signed are the bytes that are sent. */
function signed(string $path, array $body, string $idempotencyKey = ''): array
{
    $raw = json_encode($body, JSON_THROW_ON_ERROR);
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16));
    $headers = [
        'Content-Type: application/json',
        'X-API-KEY: ' . getenv('API_KEY'),
        'X-API-SIGN: ' . hash_hmac('sha256', "$timestamp\n$nonce\n$raw", (string) getenv('API_SECRET')),
        "X-API-NONCE: $nonce",
        "X-API-TIMESTAMP: $timestamp",
    ];
    if ($idempotencyKey !== '') {
        $headers[] = "Idempotency-Key: $idempotencyKey";
    }
    $http = ['method' => 'POST', 'header' => $headers, 'content' => $raw, 'timeout' => 30, 'ignore_errors' => true];
    $text = file_get_contents(getenv('BASE_URL') . $path, false, stream_context_create(['http' => $http]));
    if ($text === false) {
        throw new RuntimeException("$path: no answer");
    }
    $answer = json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    if ($answer['code'] !== 0) {
        throw new RuntimeException("$path: code {$answer['code']}, {$answer['msg']}");
    }
    return $answer['data'];
}

/** A webhook: the signature over the raw body, in constant time, and the age of the timestamp. */
function isAuthentic(string $raw, string $sign, string $timestamp, string $secret): bool
{
    $age = time() - (int) $timestamp;
    return hash_equals(hash_hmac('sha256', $raw, $secret), $sign) && $age <= 300 && $age >= -60;
}

if (($argv[1] ?? '') === 'webhook') {
    $raw = (string) file_get_contents('php://stdin');
    [$sign, $timestamp, $secret] = array_map(fn (string $name) => (string) getenv($name), ['SIGN', 'TIMESTAMP', 'WEBHOOK_SECRET']);
    $authentic = isAuthentic($raw, $sign, $timestamp, $secret);
    echo $authentic ? "authentic\n" : "not authentic\n";
    exit($authentic ? 0 : 1);
}

$terms = ['type' => 'float', 'fromCcy' => 'LTC', 'toCcy' => 'ETH', 'direction' => 'from', 'amount' => '2'];
$quote = signed('/api/v1/price', $terms);
echo "{$quote['from']['amount']} LTC gives {$quote['to']['amount']} ETH\n";

$addresses = [
    'toAddress' => '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    'refundAddress' => 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
];
// One key for each order that you mean to make: the same key never makes a second order.
$created = signed('/api/v1/create', $terms + $addresses, bin2hex(random_bytes(16)));
echo "pay {$created['from']['amount']} LTC to {$created['from']['address']}\n";

$order = signed('/api/v1/order', ['id' => $created['id'], 'token' => $created['token']]);
echo "{$order['id']} is {$order['status']}\n";
