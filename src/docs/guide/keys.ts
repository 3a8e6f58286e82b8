/** Which key belongs where (book: contract, "Scoped keys"): a part of the document, and a chapter of the guide. */

export const KEYS = [
	'## Keys',
	'',
	'Your first key, the one of onboarding, may sign everything. Up to ten scoped keys beside it may sign less, each with an',
	'`apiKey` and an `apiSecret` of its own. They sign as the first key does, in timestamp mode alone.',
	'',
	'| Kind | Where it belongs | What it may call |',
	'|---|---|---|',
	'| first | a server, or a vault | everything |',
	'| `server` | a server; a second one while you change keys | everything but `keys`; `keys/rotate` for its own apiSecret |',
	'| `read` | reports, support, a dashboard | `orders`, `order`, `qr`, `earnings`, the list of codes, quotes and limits; it changes nothing |',
	'| `app` | a wallet’s app | quotes, limits, address checks, `create`; `order` and `qr` of the orders that it made |',
	'',
	'- What a key may not sign returns code 4. A key that is revoked, expired or used from another address returns code 3.',
	'- Anybody can take an app key out of an app. It has a weight budget of its own, and Idempotency-Keys of its own; it lists',
	'  no orders, shows no earnings and rotates nothing. Its caller can create orders in your name, with any recipient and',
	'  any `afftax`.',
	'- `addresses` limits where calls come from, `expiresAt` ends the key by itself. Neither changes later.',
	'- To change keys without a pause: make a second key, use it everywhere, see in `lastUsedAt` (to the hour) that the first',
	'  one rests, revoke it. A revoked key is refused from that moment on, and no other key is touched.',
	'- Webhooks are signed with your one `webhookSecret`, whichever key made the order.',
];
