<?php
/**
 * Client of the Partner Exchange API: signed calls with retries, and webhooks. PHP 8.0 without extensions, but for
 * `verifyPromise`: it needs sodium.
 *
 *     $exchange = new PartnerExchange\Client('https://api.example.com', $apiKey, $apiSecret);
 *     $quote = $exchange->price(['type' => 'float', 'fromCcy' => 'LTC', 'toCcy' => 'ETH', 'direction' => 'from', 'amount' => '2']);
 *
 * Amounts are text: give them as text, and never turn them into floats.
 */
declare(strict_types=1);

namespace PartnerExchange;

/** The base of every error of this file. */
class ExchangeError extends \RuntimeException
{
}

/** The service refused the call: `refusal` is its code, `requestId` is what you quote to the operator. */
final class RefusedError extends ExchangeError
{
    public function __construct(
        string $path,
        public int $refusal,
        public string $msg,
        public int $status,
        public ?string $requestId,
        public ?int $retryAfter,
        /** Seconds that the service's clock is ahead, where that is news and matters. */
        public ?int $ahead,
    ) {
        parent::__construct("$path: code $refusal, $msg");
    }
}

/** No usable answer came. Nobody can say whether the call was carried out. */
final class NetworkError extends ExchangeError
{
}

/** The webhook is not authentic: answer it with HTTP 401. Its message is a word for your log. */
final class WebhookError extends ExchangeError
{
}

/** The promise proves nothing: send nothing to its address. Its message is a word for your log. */
final class PromiseError extends ExchangeError
{
}

final class Client
{
    /** Calls that may be carried out twice. A create may, because it has its idempotency key. */
    private const REPEATABLE = ['price', 'create', 'order', 'orders', 'assets', 'currencies', 'pairs', 'qr', 'earnings', 'limits', 'validate-address'];
    private const NOT_CARRIED_OUT = [5, 10, 11];
    private const MAX_PAUSE_SECONDS = 20;

    /** Seconds that the service's clock is ahead of ours. */
    private int $ahead = 0;

    /** `timeout`: seconds for one attempt; `retries`: attempts after the first. */
    public function __construct(
        private string $url,
        private ?string $apiKey = null,
        private ?string $apiSecret = null,
        private int $timeout = 30,
        private int $retries = 3,
    ) {
        $scheme = parse_url($url, PHP_URL_SCHEME);
        $isHere = in_array(parse_url($url, PHP_URL_HOST), ['localhost', '127.0.0.1', '[::1]'], true);
        if ($scheme !== 'https' && !($scheme === 'http' && $isHere)) {
            throw new \InvalidArgumentException("$url is no https: address; http: is for this machine alone");
        }
        $this->url = rtrim($url, '/');
    }

    public function price(array $body): array
    {
        return $this->call('price', $body);
    }

    /** One key for each order that you mean to make, kept with your own order: it never makes a second one. */
    public function create(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('create', $body, 'POST', $idempotencyKey ?? bin2hex(random_bytes(16)));
    }

    public function order(array $body): array
    {
        return $this->call('order', $body);
    }

    /** `data` of the answer of /api/v1/`name`. The bytes that are signed are the bytes that are sent. */
    public function call(string $name, array $body = [], string $method = 'POST', ?string $idempotencyKey = null): array
    {
        $raw = $method === 'GET' ? '' : json_encode($body ?: new \stdClass(), JSON_THROW_ON_ERROR);
        $isCorrected = false;
        $attempt = 0;
        while (true) {
            try {
                return $this->attempt($method, "/api/v1/$name", $raw, $idempotencyKey);
            } catch (RefusedError | NetworkError $error) {
                if ($error instanceof RefusedError && $error->refusal === 3 && $error->ahead !== null && !$isCorrected) {
                    [$isCorrected, $this->ahead] = [true, $error->ahead];
                    continue;
                }
                $isRepeatable = $method === 'GET' || in_array($name, self::REPEATABLE, true);
                $pause = self::pauseAfter($error, $attempt, $isRepeatable);
                if ($pause === null || $attempt >= $this->retries) {
                    throw $error;
                }
                usleep($pause);
                $attempt++;
            }
        }
    }

    private function attempt(string $method, string $path, string $raw, ?string $idempotencyKey): array
    {
        $headers = $raw === '' ? [] : ['Content-Type: application/json'];
        if ($this->apiKey !== null) {
            $timestamp = (string) (time() + $this->ahead);
            $nonce = bin2hex(random_bytes(16));
            $sign = sign((string) $this->apiSecret, $raw, $nonce, $timestamp);
            array_push($headers, "X-API-KEY: $this->apiKey", "X-API-SIGN: $sign", "X-API-NONCE: $nonce", "X-API-TIMESTAMP: $timestamp");
        }
        if ($idempotencyKey !== null) {
            $headers[] = "Idempotency-Key: $idempotencyKey";
        }
        // A redirect is not followed: the call was signed for this service.
        $options = ['ignore_errors' => true, 'follow_location' => 0, 'timeout' => $this->timeout];
        $http = ['method' => $method, 'header' => $headers, 'content' => $raw] + $options;
        $stream = @fopen($this->url . $path, 'r', false, stream_context_create(['http' => $http]));
        if ($stream === false) {
            throw new NetworkError("$path: the connection failed");
        }
        return $this->dataOf($path, (string) stream_get_contents($stream), stream_get_meta_data($stream)['wrapper_data']);
    }

    private function dataOf(string $path, string $text, array $lines): array
    {
        $status = (int) (explode(' ', $lines[0])[1] ?? 0);
        $answer = json_decode($text, true);
        if (!is_array($answer) || !is_int($answer['code'] ?? null) || !is_string($answer['msg'] ?? null)) {
            throw new NetworkError("$path: the answer is not the service's (HTTP $status)");
        }
        if ($answer['code'] === 0) {
            return $answer['data'];
        }
        $headers = [];
        foreach ($lines as $line) {
            [$name, $value] = explode(':', $line, 2) + [1 => ''];
            $headers[strtolower($name)] = trim($value);
        }
        $wait = $headers['retry-after'] ?? '';
        $date = strtotime($headers['date'] ?? '');
        $ahead = $date === false ? null : $date - time();
        throw new RefusedError(
            $path,
            $answer['code'],
            $answer['msg'],
            $status,
            $headers['x-request-id'] ?? null,
            ctype_digit($wait) ? (int) $wait : null,
            $ahead !== null && abs($ahead - $this->ahead) > 30 ? $ahead : null,
        );
    }

    /** Microseconds until the next attempt. Null: the call is not tried again. */
    private static function pauseAfter(ExchangeError $error, int $attempt, bool $isRepeatable): ?int
    {
        $code = $error instanceof RefusedError ? $error->refusal : null;
        $isUnknown = $code === null || $code === 99;
        if (!in_array($code, self::NOT_CARRIED_OUT, true) && !($isUnknown && $isRepeatable)) {
            return null;
        }
        $asked = $error instanceof RefusedError ? $error->retryAfter : null;
        if ($asked !== null) {
            return $asked <= self::MAX_PAUSE_SECONDS ? $asked * 1_000_000 : null;
        }
        $whole = min(500_000 * 2 ** $attempt, self::MAX_PAUSE_SECONDS * 1_000_000);
        return random_int(intdiv($whole, 2), $whole);
    }
}

/** X-API-SIGN of this body. A `timestamp` of null is body-only mode. */
function sign(string $apiSecret, string $body, string $nonce, ?string $timestamp): string
{
    return hash_hmac('sha256', $timestamp === null ? $body : "$timestamp\n$nonce\n$body", $apiSecret);
}

/**
 * The event. `raw`: the bytes that came, before anything parsed them, such as `file_get_contents('php://input')`;
 * `headers`: names to values, such as `getallheaders()`; `secrets`: the webhookSecret, or a list of the new and the old
 * one while you replace it. The headers of Standard Webhooks are taken where they are there, because they sign the time
 * as well.
 */
function verifyWebhook(string $raw, array $headers, string|array $secrets, ?int $now = null): array
{
    $named = array_map(fn ($value) => (string) (is_array($value) ? reset($value) : $value), array_change_key_case($headers));
    $standard = $named['webhook-signature'] ?? '';
    $timestamp = $named[$standard === '' ? 'x-partner-webhook-timestamp' : 'webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || strlen($timestamp) > 15) {
        throw new WebhookError('header-missing');
    }
    $message = $standard === '' ? $raw : ($named['webhook-id'] ?? '') . ".$timestamp.$raw";
    $given = $standard === '' ? [$named['x-partner-webhook-sign'] ?? ''] : explode(' ', $standard);
    $isAuthentic = false;
    foreach ((array) $secrets as $secret) {
        if ($secret === '') {
            throw new \InvalidArgumentException('a webhookSecret is empty: anybody could sign with it');
        }
        $digest = hash_hmac('sha256', $message, $secret, true);
        $expected = $standard === '' ? bin2hex($digest) : 'v1,' . base64_encode($digest);
        foreach ($given as $each) {
            $isAuthentic = hash_equals($expected, $each) || $isAuthentic;
        }
    }
    if (!$isAuthentic) {
        throw new WebhookError($given[0] === '' ? 'header-missing' : 'signature-wrong');
    }
    $age = ($now ?? time()) - (int) $timestamp;
    if ($age > 300 || $age < -60) {
        throw new WebhookError('timestamp-out-of-range');
    }
    $event = json_decode($raw, true);
    if (!is_string($event['id'] ?? null) || !is_string($event['type'] ?? null)) {
        throw new WebhookError('body-not-an-event');
    }
    return $event;
}

/**
 * The statement of a signed promise. `promise`: the field of an order, or a file of the order page, as an array; `trusted`:
 * the public keys that you trust, base64; `expected`: terms that it must have, such as `['id' => $id, 'to' => ['address' => $to]]`.
 * It follows no links to other keys: add a new key to your list.
 */
function verifyPromise(array $promise, string|array $trusted, array $expected = []): array
{
    ['key' => $id, 'statement' => $text, 'signature' => $signature] = $promise + ['key' => null, 'statement' => null, 'signature' => null];
    if (!is_string($id) || !is_string($text) || !is_string($signature)) {
        throw new PromiseError('malformed');
    }
    $keys = array_filter(
        array_map(fn ($key) => (string) base64_decode($key, true), (array) $trusted),
        fn ($key) => strlen($key) === SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES && substr(hash('sha256', $key), 0, 16) === $id,
    );
    if ($keys === []) {
        throw new PromiseError('key-unknown');
    }
    $bytes = (string) base64_decode($signature, true);
    if (strlen($bytes) !== SODIUM_CRYPTO_SIGN_BYTES || !sodium_crypto_sign_verify_detached($bytes, $text, reset($keys))) {
        throw new PromiseError('signature-wrong');
    }
    $statement = json_decode($text, true);
    if (($statement['type'] ?? null) !== 'partner-exchange/promise/1') {
        throw new PromiseError('malformed');
    }
    if (array_replace_recursive($statement, $expected) !== $statement) {
        throw new PromiseError('other-terms');
    }
    return $statement;
}
