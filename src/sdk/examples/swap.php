<?php
// Quotes, creates an order and reads it: BASE_URL, API_KEY and API_SECRET in the environment.
// `php swap.php webhook < body` checks a webhook instead: WEBHOOK_SECRET, SIGN and TIMESTAMP (its two headers).
// `PartnerExchange.php` lies beside it.
declare(strict_types=1);

require __DIR__ . '/PartnerExchange.php';

use PartnerExchange\{Client, RefusedError, WebhookError};
use function PartnerExchange\verifyWebhook;

if (($argv[1] ?? '') === 'webhook') {
    $headers = ['X-Partner-Webhook-Sign' => getenv('SIGN'), 'X-Partner-Webhook-Timestamp' => getenv('TIMESTAMP')];
    try {
        $event = verifyWebhook((string) file_get_contents('php://stdin'), $headers, (string) getenv('WEBHOOK_SECRET'));
    } catch (WebhookError $error) {
        echo "not authentic: {$error->getMessage()}\n";
        exit(1);
    }
    echo "authentic: {$event['type']}\n";
    exit(0);
}

$exchange = new Client((string) getenv('BASE_URL'), (string) getenv('API_KEY'), (string) getenv('API_SECRET'));
$terms = ['type' => 'float', 'fromCcy' => 'LTC', 'toCcy' => 'ETH', 'direction' => 'from', 'amount' => '2'];
$quote = $exchange->price($terms);
echo "{$quote['from']['amount']} LTC gives {$quote['to']['amount']} ETH\n";

$addresses = [
    'toAddress' => '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
    'refundAddress' => 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
];
try {
    // One key for each order that you mean to make: the same key never makes a second order.
    $created = $exchange->create($terms + $addresses, bin2hex(random_bytes(16)));
} catch (RefusedError $refused) {
    if (in_array($refused->refusal, [7, 8], true)) {
        fwrite(STDERR, "from {$quote['from']['min']} to {$quote['from']['max']} LTC\n");
    }
    throw $refused;
}
echo "pay {$created['from']['amount']} LTC to {$created['from']['address']}\n";

$order = $exchange->order(['id' => $created['id'], 'token' => $created['token']]);
echo "{$order['id']} is {$order['status']}\n";
