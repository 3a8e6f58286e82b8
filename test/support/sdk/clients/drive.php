<?php
// `drive.php vectors FILE`: what the PHP client makes of each vector, as JSON. `drive.php call NAME`: a call, in a word.
declare(strict_types=1);

require __DIR__ . '/PartnerExchange.php';

use PartnerExchange\{Client, NetworkError, PromiseError, RefusedError, WebhookError};
use function PartnerExchange\{sign, verifyPromise, verifyWebhook};

if ($argv[1] === 'call') {
    try {
        $exchange = new Client((string) getenv('BASE_URL'), 'pk_key', 'secret');
        echo "answered {$exchange->call($argv[2], ['a' => 'b'])['word']}\n";
    } catch (RefusedError $refused) {
        echo "refused $refused->refusal $refused->requestId " . ($refused->retryAfter ?? 0) . "\n";
    } catch (NetworkError) {
        echo "no answer\n";
    } catch (InvalidArgumentException) {
        echo "no https\n";
    }
    exit(0);
}

$vectors = json_decode((string) file_get_contents($argv[2]), true);

$verdict = function (array $vector, array $headers): string {
    try {
        verifyWebhook($vector['body'], $headers, $vector['secrets'], $vector['now']);
        return 'authentic';
    } catch (WebhookError $error) {
        return $error->getMessage();
    }
};

$ofPromise = function (array $vector): string {
    try {
        verifyPromise($vector['promise'], $vector['trusted'], $vector['expected']);
        return 'authentic';
    } catch (PromiseError $error) {
        return $error->getMessage();
    }
};

echo json_encode([
    'requests' => array_map(fn ($each) => sign($each['apiSecret'], $each['body'], $each['nonce'], $each['timestamp']), $vectors['requests']),
    'webhooks' => array_map(fn ($each) => $verdict($each, [
        'X-Partner-Webhook-Sign' => $each['signature'],
        'X-Partner-Webhook-Timestamp' => $each['timestamp'],
    ]), $vectors['webhooks']),
    'promises' => extension_loaded('sodium') ? array_map($ofPromise, $vectors['promises']) : null,
    // Each value in a list, as Laravel has them.
    'standardWebhooks' => array_map(fn ($each) => $verdict($each, [
        'webhook-id' => [$each['id']],
        'webhook-timestamp' => [$each['timestamp']],
        'webhook-signature' => [$each['signature']],
    ]), $vectors['standardWebhooks']),
]);
