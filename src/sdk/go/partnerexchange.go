// Package partnerexchange is a client of the Partner Exchange API: signed calls with retries, and webhooks. Go 1.18 and
// its standard library.
//
// Amounts are text: give them as text, and read them with math/big.
package partnerexchange

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const maxPause = 20 * time.Second

// Calls that may be carried out twice. A create may, because it has its idempotency key.
var repeatable = map[string]bool{"price": true, "create": true, "order": true, "orders": true, "assets": true,
	"currencies": true, "pairs": true, "qr": true, "earnings": true, "limits": true, "validate-address": true}

// RefusedError says that the service refused the call: Code says why, RequestID is what you quote to the operator.
type RefusedError struct {
	Call       string
	Code       int
	Msg        string
	Status     int
	RequestID  string
	RetryAfter time.Duration
	ahead      time.Duration
	isSkewed   bool
}

func (e *RefusedError) Error() string { return fmt.Sprintf("%s: code %d, %s", e.Call, e.Code, e.Msg) }

// NetworkError says that no usable answer came. Nobody can say whether the call was carried out.
type NetworkError struct {
	Call string
	Err  error
}

func (e *NetworkError) Error() string { return e.Call + ": " + e.Err.Error() }
func (e *NetworkError) Unwrap() error { return e.Err }

// WebhookError says that a webhook is not authentic: answer it with HTTP 401. It is a word for your log.
type WebhookError string

func (e WebhookError) Error() string { return string(e) }

// PromiseError says that a promise proves nothing: send nothing to its address. It is a word for your log.
type PromiseError string

func (e PromiseError) Error() string { return string(e) }

// Client may be used by several goroutines. Retries are attempts after the first.
type Client struct {
	HTTP    *http.Client
	Retries int

	url, key, secret string
	ahead            atomicDuration // How far the service's clock is ahead of ours.
}

type atomicDuration struct{ nanoseconds int64 }

func (d *atomicDuration) load() time.Duration     { return time.Duration(atomic.LoadInt64(&d.nanoseconds)) }
func (d *atomicDuration) store(new time.Duration) { atomic.StoreInt64(&d.nanoseconds, int64(new)) }

// New makes a client. An apiKey that is empty makes unsigned calls alone.
func New(address, apiKey, apiSecret string) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	host := parsed.Hostname()
	isHere := host == "localhost" || host == "127.0.0.1" || host == "::1"
	if parsed.Scheme != "https" && !(parsed.Scheme == "http" && isHere) {
		return nil, errors.New(address + " is no https: address; http: is for this machine alone")
	}
	// A redirect is not followed: the call was signed for this service.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		HTTP:    &http.Client{Timeout: 30 * time.Second, CheckRedirect: stay},
		Retries: 3,
		url:     strings.TrimRight(address, "/"),
		key:     apiKey,
		secret:  apiSecret,
	}, nil
}

// Call puts `data` of the answer of /api/v1/`name` into out, which may be nil. body is anything that encoding/json takes.
func (c *Client) Call(ctx context.Context, name string, body, out any) error {
	return c.Send(ctx, http.MethodPost, name, body, out, "")
}

// Create makes an order. One key for each order that you mean to make, kept with your own order: it never makes a second
// one.
func (c *Client) Create(ctx context.Context, body, out any, idempotencyKey string) error {
	return c.Send(ctx, http.MethodPost, "create", body, out, idempotencyKey)
}

// Send is Call with another method, or with an idempotency key. The bytes that are signed are the bytes that are sent.
func (c *Client) Send(ctx context.Context, method, name string, body, out any, idempotencyKey string) error {
	var raw []byte
	if method != http.MethodGet {
		if body == nil {
			body = struct{}{}
		}
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		raw = encoded
	}
	isCorrected := false
	for attempt := 0; ; {
		err := c.attempt(ctx, method, name, raw, out, idempotencyKey)
		var refused *RefusedError
		if errors.As(err, &refused) && refused.isSkewed && !isCorrected {
			isCorrected = true
			c.ahead.store(refused.ahead)
			continue
		}
		isRepeatable := method == http.MethodGet || (repeatable[name] && (name != "create" || idempotencyKey != ""))
		pause, isRetried := pauseAfter(err, attempt, isRepeatable)
		if !isRetried || attempt >= c.Retries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		attempt++
	}
}

func (c *Client) attempt(ctx context.Context, method, name string, raw []byte, out any, idempotencyKey string) error {
	request, err := http.NewRequestWithContext(ctx, method, c.url+"/api/v1/"+name, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if len(raw) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		nonce := make([]byte, 16)
		if _, err := rand.Read(nonce); err != nil {
			return err
		}
		timestamp := strconv.FormatInt(time.Now().Add(c.ahead.load()).Unix(), 10)
		request.Header.Set("X-API-KEY", c.key)
		request.Header.Set("X-API-NONCE", hex.EncodeToString(nonce))
		request.Header.Set("X-API-TIMESTAMP", timestamp)
		request.Header.Set("X-API-SIGN", Sign(c.secret, raw, hex.EncodeToString(nonce), timestamp))
	}
	if idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", idempotencyKey)
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return &NetworkError{name, err}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return &NetworkError{name, err}
	}
	return c.read(name, response, text, out)
}

func (c *Client) read(name string, response *http.Response, text []byte, out any) error {
	var answer struct {
		Code *int
		Msg  string
		Data json.RawMessage
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Code == nil {
		return &NetworkError{name, fmt.Errorf("the answer is not the service's (HTTP %d)", response.StatusCode)}
	}
	if *answer.Code == 0 {
		if out == nil {
			return nil
		}
		return json.Unmarshal(answer.Data, out)
	}
	refused := &RefusedError{Call: name, Code: *answer.Code, Msg: answer.Msg, Status: response.StatusCode}
	refused.RequestID = response.Header.Get("X-Request-Id")
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		refused.RetryAfter = time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil && refused.Code == 3 {
		refused.ahead = time.Until(date)
		news := refused.ahead - c.ahead.load()
		refused.isSkewed = news > 30*time.Second || news < -30*time.Second
	}
	return refused
}

// The pause before the next attempt, and whether there is one.
func pauseAfter(err error, attempt int, isRepeatable bool) (time.Duration, bool) {
	var refused *RefusedError
	var network *NetworkError
	switch {
	case errors.As(err, &refused):
		isCarriedOut := refused.Code != 5 && refused.Code != 10 && refused.Code != 11
		if isCarriedOut && !(refused.Code == 99 && isRepeatable) {
			return 0, false
		}
		if refused.RetryAfter > 0 {
			return refused.RetryAfter, refused.RetryAfter <= maxPause
		}
	case !errors.As(err, &network) || !isRepeatable:
		return 0, false
	}
	whole := maxPause
	if attempt < 5 {
		whole = 500 * time.Millisecond << attempt
	}
	return whole/2 + time.Duration(mathrand.Int63n(int64(whole/2))), true
}

// Sign makes X-API-SIGN of these bytes. An empty timestamp is body-only mode.
func Sign(apiSecret string, body []byte, nonce, timestamp string) string {
	head := ""
	if timestamp != "" {
		head = timestamp + "\n" + nonce + "\n"
	}
	return hex.EncodeToString(digest(apiSecret, append([]byte(head), body...)))
}

func digest(secret string, message []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(message)
	return mac.Sum(nil)
}

// Event is a webhook. Data holds what its type says; ignore types that you do not know.
type Event struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt string          `json:"createdAt"`
	Data      json.RawMessage `json:"data"`
}

// VerifyWebhook returns the event. raw are the bytes that came, before anything parsed them. secrets are the
// webhookSecret, and the old one too while you replace it. The headers of Standard Webhooks are taken where they are
// there, because they sign the time as well.
func VerifyWebhook(raw []byte, headers http.Header, now time.Time, secrets ...string) (*Event, error) {
	standard := headers.Get("Webhook-Signature")
	timestamp, given := headers.Get("X-Partner-Webhook-Timestamp"), []string{headers.Get("X-Partner-Webhook-Sign")}
	message := raw
	if standard != "" {
		timestamp, given = headers.Get("Webhook-Timestamp"), strings.Split(standard, " ")
		message = append([]byte(headers.Get("Webhook-Id")+"."+timestamp+"."), raw...)
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil || given[0] == "" {
		return nil, WebhookError("header-missing")
	}
	isAuthentic := false
	for _, secret := range secrets {
		if secret == "" {
			return nil, errors.New("a webhookSecret is empty: anybody could sign with it")
		}
		expected := hex.EncodeToString(digest(secret, message))
		if standard != "" {
			expected = "v1," + base64.StdEncoding.EncodeToString(digest(secret, message))
		}
		for _, each := range given {
			isAuthentic = hmac.Equal([]byte(expected), []byte(each)) || isAuthentic
		}
	}
	if !isAuthentic {
		return nil, WebhookError("signature-wrong")
	}
	if age := now.Unix() - int64(seconds); age > 300 || age < -60 {
		return nil, WebhookError("timestamp-out-of-range")
	}
	event := &Event{}
	if err := json.Unmarshal(raw, event); err != nil || event.ID == "" || event.Type == "" {
		return nil, WebhookError("body-not-an-event")
	}
	return event, nil
}

// Promise is the field of an order, and a file of the order page.
type Promise struct {
	Key       string `json:"key"`
	Statement string `json:"statement"`
	Signature string `json:"signature"`
}

// Terms of a promise. Those that are empty are not compared.
type Terms struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	From Side   `json:"from"`
	To   Side   `json:"to"`
	Back Side   `json:"back"`
}

// Side is what is paid, or where it goes.
type Side struct {
	Address string `json:"address"`
	Code    string `json:"code"`
	Network string `json:"network"`
}

func (s Side) isOther(expected Side) bool {
	differs := func(one, other string) bool { return other != "" && one != other }
	return differs(s.Address, expected.Address) || differs(s.Code, expected.Code) || differs(s.Network, expected.Network)
}

// VerifyPromise returns the terms that were promised; the statement has more. trusted are the public keys that you trust,
// base64. It follows no links to other keys: add a new key to your list.
func VerifyPromise(promise Promise, expected Terms, trusted ...string) (*Terms, error) {
	var key ed25519.PublicKey
	for _, each := range trusted {
		decoded, err := base64.StdEncoding.DecodeString(each)
		id := sha256.Sum256(decoded)
		if err == nil && len(decoded) == ed25519.PublicKeySize && hex.EncodeToString(id[:8]) == promise.Key {
			key = decoded
		}
	}
	if key == nil {
		return nil, PromiseError("key-unknown")
	}
	signature, err := base64.StdEncoding.DecodeString(promise.Signature)
	if err != nil || !ed25519.Verify(key, []byte(promise.Statement), signature) {
		return nil, PromiseError("signature-wrong")
	}
	terms := &Terms{}
	if err := json.Unmarshal([]byte(promise.Statement), terms); err != nil || terms.Type != "partner-exchange/promise/1" {
		return nil, PromiseError("malformed")
	}
	isOther := expected.ID != "" && terms.ID != expected.ID
	if isOther || terms.From.isOther(expected.From) || terms.To.isOther(expected.To) || terms.Back.isOther(expected.Back) {
		return nil, PromiseError("other-terms")
	}
	return terms, nil
}
