/** What calls and webhooks carry, and the calls themselves. Generated from the OpenAPI document by `npm run sdk:generate`. */

import type { CallOptions, CreateOptions } from './connection.ts';

/** One asset of the catalog. */
export interface Currency {
	/** Canonical asset id, used on every endpoint. */
	code: string;
	/** Trading symbol. */
	coin: string;
	/** Settlement network name. */
	network: string;
	/** Long display name. */
	name: string;
	/** Always true in the list: accepted as deposit. */
	recv: true;
	/** True when payouts are enabled on the asset’s network. */
	send: boolean;
	/** Memo or destination-tag flag; always null (no network needs one). */
	tag: string | null;
	/** Reserved; always null. */
	logo: string | null;
	/** Reserved; always null. */
	color: string | null;
	/** Always null. */
	minAmount: string | null;
	/** Always null. */
	maxAmount: string | null;
	/** Maximum decimal places accepted in amounts of this asset. */
	precision: number;
	/** Where `with` asks for it: chain id of EIP-155, null where the network has none. */
	chainId?: number | null | undefined;
	/** Where `with` asks for it: a token’s contract or mint, null for a coin. */
	contract?: string | null | undefined;
}

/** One pair that can be quoted and ordered. */
export interface Pair {
	/** Source asset id. */
	from: string;
	/** Destination asset id. */
	to: string;
	/** Source network. */
	fromNetwork: string;
	/** Destination network. */
	toNetwork: string;
	/** Always `["FLOAT"]`. */
	rateTypes: 'FLOAT'[];
}

/** One asset, as wallets know it. */
export interface Asset {
	/** Asset id, used on every endpoint. */
	code: string;
	/** CAIP-19 name: chain and contract, or coin. Every call takes it instead of `code`. */
	asset: string;
	/** Trading symbol. */
	coin: string;
	/** Settlement network name. */
	network: string;
	/** Long display name. */
	name: string;
	/** Deposits are taken. */
	recv: boolean;
	/** Payouts are made. */
	send: boolean;
	/** Chain id of EIP-155, null where the network has none. */
	chainId: number | null;
	/** A token’s contract or mint, null for a coin. */
	contract: string | null;
	/** Smallest units per coin are 10 to this power. */
	decimals: number;
	/** Maximum decimal places accepted in amounts of this asset. */
	precision: number;
	/** Blocks that a small deposit usually needs. */
	confirmations: number;
	/** How long they usually take. */
	minutes: number;
	/** Page of a transaction; `{tx}` stands for its id. */
	explorer: string;
	/** Payment link with `{address}` and `{amount}` in coins, or `{units}` in smallest units; null where wallets know none. */
	payment: string | null;
	/** Reserved; always null. */
	logo: string | null;
}

/** A quote at the live rate. */
export interface Quote {
	from: {
		/** Source asset id. */
		code: string;
		/** Trading symbol. */
		coin: string;
		/** Network name. */
		network: string;
		/** Effective rate after base fee margin and afftax; the same on both sides. */
		rate: string;
		/** Source decimal precision. */
		precision: number;
		/** USD value of the amount, two decimal places. */
		usd: string;
		/** Deposit amount; echoes the input when direction is `from`, derived when `to`. */
		amount: string;
		/** Smallest deposit that create accepts at this rate, in source units, inclusive. */
		min: string;
		/** Largest deposit that create accepts at this rate, in source units, inclusive. */
		max: string;
		/** Reserved; always `0`. */
		btc: '0';
	};
	to: {
		/** Destination asset id. */
		code: string;
		/** Trading symbol. */
		coin: string;
		/** Network name. */
		network: string;
		/** Effective rate after base fee margin and afftax; the same on both sides. */
		rate: string;
		/** Destination decimal precision. */
		precision: number;
		/** USD value of the amount, two decimal places. */
		usd: string;
		/** Amount received after rate and network fee; `0` when the result is not positive. */
		amount: string;
		/** `from.min` in destination units. */
		min: string;
		/** `from.max` in destination units. */
		max: string;
	};
	/** Reserved; always empty. */
	errors: string[];
	/** Applied afftax; 0 for anonymous calls. */
	markupBps: number;
	/** Where `with` asks for it: base fee, afftax, network fee and rounding together. */
	cost?:
		| {
				/** Destination units for one source unit, before any fee; rounded down. */
				midRate: string;
				/** What `to.amount` has less than `from.amount` at `midRate`, in destination units; up. */
				amount: string;
				/** The same as a share of `from.amount`, in basis points of two places; up. */
				bps: string;
		  }
		| undefined;
}

/** An order with its access token: the answer to create alone has it. */
export interface CreatedOrder {
	/** Order id. */
	id: string;
	/** The only rate mode: the rate floats until the deposit confirms. */
	type: 'float';
	/** See [States and transitions](#states-and-transitions). */
	status: 'NEW' | 'PENDING' | 'EXCHANGE' | 'DONE' | 'EXPIRED' | 'EMERGENCY';
	time: {
		/** Creation time. Unix seconds. */
		reg: number;
		/** Deposit deadline. Unix seconds. */
		expiration: number;
		/** Seconds: `max(0, expiration - now)`, computed per call. */
		left: number;
		/** Last change of the order. Unix seconds. */
		update: number;
		/** Payout-broadcast time, Unix seconds; null until DONE. */
		finish: number | null;
	};
	from: {
		/** Source asset id. */
		code: string;
		/** Source network name. */
		network: string;
		/** Deposit amount. */
		amount: string;
		/** Generated pay-in address. */
		address: string;
		tx: {
			/** Set once an on-chain pay-in is observed. */
			id: string | null;
			/** Amount actually received. */
			amount: string | null;
		};
	};
	to: {
		/** Destination asset id. */
		code: string;
		/** Destination network name. */
		network: string;
		/** Amount the recipient gets: an estimate until the deposit is final, the settled amount after. */
		amount: string;
		/** Recipient address. */
		address: string;
		tx: {
			/** Set once the payout is broadcast. */
			id: string | null;
			/** Payout amount: what was sent. */
			amount: string | null;
		};
	};
	back: {
		/** Refund address; non-null when one was supplied at create. */
		address: string | null;
		tx: {
			/** Refund transaction id, once a refund is broadcast. */
			id: string | null;
		};
	};
	emergency: {
		/** Empty unless status is EMERGENCY. `LIMIT`: the deposit is outside the per-pair USD bounds. `EXPIRED`: it came after the deposit window. `LESS` and `MORE` are reserved and not currently emitted. */
		status: ('LIMIT' | 'EXPIRED' | 'LESS' | 'MORE')[];
		/** `NONE` until the partner submits a choice. */
		choice: 'NONE' | 'EXCHANGE';
	};
	/** Effective rate after margin and afftax: an estimate until the deposit is final, settled after. */
	rate: string;
	/** Payout network fee in destination units. */
	networkFee: string;
	/** Afftax applied, in basis points, stored at creation; null on public (non-partner) orders. */
	markupBps: number | null;
	/** Your own reference from create; absent where you gave none. */
	externalId?: string | undefined;
	/** The floor under the rate: the least that `from.amount` may bring; absent where create set none. */
	minToAmount?: string | undefined;
	/** Where `with` asks for it. */
	links?:
		| {
				/** The page of the order, which its payer opens; null where the call does not have its token. */
				page: string | null;
				/** Where anyone who has it reads the order, and no more. */
				status: string;
				/** A page that shows people the same, and has no button. */
				statusPage: string;
		  }
		| undefined;
	/** Where `with` asks for it: the deposit as wallets take it. */
	payment?:
		| {
				/** CAIP-19 name of what is paid. */
				asset: string;
				/** Deposit amount in its smallest units. */
				units: string;
				/** BIP 21, EIP-681, Solana Pay or the network’s own; null where wallets know none. */
				link: string | null;
		  }
		| undefined;
	/** Where `with` asks for it: what came to the pay-in address that the order did not ask for. */
	strays?:
		| {
				/** Asset id of what came; null for a token that is not listed. */
				code: string | null;
				/** Contract or mint of a token that is not listed; else null. */
				token: string | null;
				/** Network that it came on. */
				network: string;
				/** Amount that came; of a token that is not listed in its smallest units. */
				amount: string;
				/** `FOUND`: it goes back by itself. `RETURNED`: it was sent back. `HELD`: the operator decides. `KEPT`: too little to send back at the network’s fee now. */
				status: 'FOUND' | 'RETURNED' | 'HELD' | 'KEPT';
				back: {
					/** Where it goes back to. */
					address: string;
					tx: {
						/** Set once the return is broadcast. */
						id: string | null;
						/** Amount that was sent back, less the network’s fee. */
						amount: string | null;
					};
				};
		  }[]
		| undefined;
	/** Where `with` asks for it: the terms and what was paid, signed by the wallets’ signer. Null where it does not sign; take an order without it for unverified. */
	promise?:
		| {
				/** Id of the key, in `/.well-known/partner-exchange-keys.json`. */
				key: string;
				/** What is signed: JSON, exactly these bytes. */
				statement: string;
				/** Ed25519, base64. */
				signature: string;
		  }
		| null
		| undefined;
	/** Where `with` asks for it. Null while DONE, EXPIRED or EMERGENCY. */
	progress?:
		| {
				/** Of the deposit that has the fewest; null where it is not known just now. */
				confirmations: number | null;
				/** What the network usually asks of that value. */
				needed: number;
				/** Expected until the payout is broadcast; while NEW, from the deposit on. */
				minutes: number;
		  }
		| null
		| undefined;
	/** Access token, returned exactly once; null on a replay with the same Idempotency-Key. */
	token: string | null;
}

/** An order, as its partner sees it. */
export interface Order {
	/** Order id. */
	id: string;
	/** The only rate mode: the rate floats until the deposit confirms. */
	type: 'float';
	/** See [States and transitions](#states-and-transitions). */
	status: 'NEW' | 'PENDING' | 'EXCHANGE' | 'DONE' | 'EXPIRED' | 'EMERGENCY';
	time: {
		/** Creation time. Unix seconds. */
		reg: number;
		/** Deposit deadline. Unix seconds. */
		expiration: number;
		/** Seconds: `max(0, expiration - now)`, computed per call. */
		left: number;
		/** Last change of the order. Unix seconds. */
		update: number;
		/** Payout-broadcast time, Unix seconds; null until DONE. */
		finish: number | null;
	};
	from: {
		/** Source asset id. */
		code: string;
		/** Source network name. */
		network: string;
		/** Deposit amount. */
		amount: string;
		/** Generated pay-in address. */
		address: string;
		tx: {
			/** Set once an on-chain pay-in is observed. */
			id: string | null;
			/** Amount actually received. */
			amount: string | null;
		};
	};
	to: {
		/** Destination asset id. */
		code: string;
		/** Destination network name. */
		network: string;
		/** Amount the recipient gets: an estimate until the deposit is final, the settled amount after. */
		amount: string;
		/** Recipient address. */
		address: string;
		tx: {
			/** Set once the payout is broadcast. */
			id: string | null;
			/** Payout amount: what was sent. */
			amount: string | null;
		};
	};
	back: {
		/** Refund address; non-null when one was supplied at create. */
		address: string | null;
		tx: {
			/** Refund transaction id, once a refund is broadcast. */
			id: string | null;
		};
	};
	emergency: {
		/** Empty unless status is EMERGENCY. `LIMIT`: the deposit is outside the per-pair USD bounds. `EXPIRED`: it came after the deposit window. `LESS` and `MORE` are reserved and not currently emitted. */
		status: ('LIMIT' | 'EXPIRED' | 'LESS' | 'MORE')[];
		/** `NONE` until the partner submits a choice. */
		choice: 'NONE' | 'EXCHANGE';
	};
	/** Effective rate after margin and afftax: an estimate until the deposit is final, settled after. */
	rate: string;
	/** Payout network fee in destination units. */
	networkFee: string;
	/** Afftax applied, in basis points, stored at creation; null on public (non-partner) orders. */
	markupBps: number | null;
	/** Your own reference from create; absent where you gave none. */
	externalId?: string | undefined;
	/** The floor under the rate: the least that `from.amount` may bring; absent where create set none. */
	minToAmount?: string | undefined;
	/** Where `with` asks for it. */
	links?:
		| {
				/** The page of the order, which its payer opens; null where the call does not have its token. */
				page: string | null;
				/** Where anyone who has it reads the order, and no more. */
				status: string;
				/** A page that shows people the same, and has no button. */
				statusPage: string;
		  }
		| undefined;
	/** Where `with` asks for it: the deposit as wallets take it. */
	payment?:
		| {
				/** CAIP-19 name of what is paid. */
				asset: string;
				/** Deposit amount in its smallest units. */
				units: string;
				/** BIP 21, EIP-681, Solana Pay or the network’s own; null where wallets know none. */
				link: string | null;
		  }
		| undefined;
	/** Where `with` asks for it: what came to the pay-in address that the order did not ask for. */
	strays?:
		| {
				/** Asset id of what came; null for a token that is not listed. */
				code: string | null;
				/** Contract or mint of a token that is not listed; else null. */
				token: string | null;
				/** Network that it came on. */
				network: string;
				/** Amount that came; of a token that is not listed in its smallest units. */
				amount: string;
				/** `FOUND`: it goes back by itself. `RETURNED`: it was sent back. `HELD`: the operator decides. `KEPT`: too little to send back at the network’s fee now. */
				status: 'FOUND' | 'RETURNED' | 'HELD' | 'KEPT';
				back: {
					/** Where it goes back to. */
					address: string;
					tx: {
						/** Set once the return is broadcast. */
						id: string | null;
						/** Amount that was sent back, less the network’s fee. */
						amount: string | null;
					};
				};
		  }[]
		| undefined;
	/** Where `with` asks for it: the terms and what was paid, signed by the wallets’ signer. Null where it does not sign; take an order without it for unverified. */
	promise?:
		| {
				/** Id of the key, in `/.well-known/partner-exchange-keys.json`. */
				key: string;
				/** What is signed: JSON, exactly these bytes. */
				statement: string;
				/** Ed25519, base64. */
				signature: string;
		  }
		| null
		| undefined;
	/** Where `with` asks for it. Null while DONE, EXPIRED or EMERGENCY. */
	progress?:
		| {
				/** Of the deposit that has the fewest; null where it is not known just now. */
				confirmations: number | null;
				/** What the network usually asks of that value. */
				needed: number;
				/** Expected until the payout is broadcast; while NEW, from the deposit on. */
				minutes: number;
		  }
		| null
		| undefined;
}

/** A reference code. */
export interface ReferenceCode {
	/** Record id. */
	id: string;
	/** Unique per partner; the suffix of `X-API-KEY`. */
	code: string;
	/** Free-form; never shown to end users. */
	label: string | null;
	/** Afftax of the code, basis points; 0 falls through to the partner default. */
	afftaxBps: number;
	/** False after soft-disable. */
	enabled: boolean;
	/** Creation time, ISO 8601. */
	createdAt: string;
}

/** The newly issued secrets. */
export interface RotatedSecrets {
	/** The new apiSecret, shown this once; present if it was rotated. */
	apiSecret?: string | undefined;
	/** The new webhookSecret, shown this once; present if it was rotated. */
	webhookSecret?: string | undefined;
}

/** A scoped key, with its secret. */
export interface NewScopedKey {
	/** Record id. */
	id: string;
	/** What it may call. */
	kind: 'app' | 'read' | 'server';
	/** Free-form; never shown to end users. */
	label: string;
	/** Public, for `X-API-KEY`. */
	apiKey: string;
	/** Blocks of addresses that calls may come from; empty: any. */
	addresses: string[];
	/** When it ends; null: never, Unix seconds. */
	expiresAt: number | null;
	/** Creation time, Unix seconds. */
	createdAt: number;
	/** When it last signed an admitted call, to the hour; null: never, Unix seconds. */
	lastUsedAt: number | null;
	/** Keys the HMAC of its calls; shown this once. */
	apiSecret: string;
}

/** A scoped key. */
export interface ScopedKey {
	/** Record id. */
	id: string;
	/** What it may call. */
	kind: 'app' | 'read' | 'server';
	/** Free-form; never shown to end users. */
	label: string;
	/** Public, for `X-API-KEY`. */
	apiKey: string;
	/** Blocks of addresses that calls may come from; empty: any. */
	addresses: string[];
	/** When it ends; null: never, Unix seconds. */
	expiresAt: number | null;
	/** Creation time, Unix seconds. */
	createdAt: number;
	/** When it last signed an admitted call, to the hour; null: never, Unix seconds. */
	lastUsedAt: number | null;
}

/** An endpoint of yours for webhooks. */
export interface WebhookEndpoint {
	/** Record id; each delivery names it. */
	id: string;
	/** Where events are posted. */
	url: string;
	/** The types that it gets. */
	events: ('order.status_changed' | 'partner.paid_out' | 'partner.attention')[];
	/** False: it gets nothing. */
	enabled: boolean;
	/** Unix seconds. */
	createdAt: number;
}

/** The credentials of a visitor. */
export interface Visit {
	/** Public, for `X-API-KEY`. */
	apiKey: string;
	/** Keys the HMAC of your calls. */
	apiSecret: string;
	/** Keys the HMAC of webhooks. */
	webhookSecret: string;
	/** When the key ends, Unix seconds. */
	expiresAt: number;
	/** How many orders it may make. */
	orders: number;
}

/** What happened to an order. */
export interface PlayedDeposit {
	/** The order. */
	id: string;
	/** What happened to it. */
	event: 'paid' | 'confirmed' | 'dropped';
	/** The transaction of the new deposit; null without one. */
	txId: string | null;
}

/** The body of `currencies`. */
export interface CurrenciesRequest {
	/** `["chain"]` adds `chainId` and `contract`. */
	with?: 'chain'[] | undefined;
}

/** The body of `pairs`. */
export type PairsRequest = Record<string, never>;

/** The body of `assets`. */
export type AssetsRequest = Record<string, never>;

/** The body of `price`. */
export interface PriceRequest {
	/** Only `float`. */
	type: 'float';
	/** Source asset id, or its CAIP-19 name as `assets` has it; active and part of an active pair. */
	fromCcy: string;
	/** Destination asset id, or its CAIP-19 name. */
	toCcy: string;
	/** Network hint for tie-breaking an ambiguous `fromCcy`. */
	fromNetwork?: string | null | undefined;
	/** Network hint for `toCcy`. */
	toNetwork?: string | null | undefined;
	/** `from`: `amount` is the deposit. `to`: `amount` is what is to be received. */
	direction: 'from' | 'to';
	/** Decimal in the asset chosen by `direction`, of at most its `precision` places. Strings preferred. */
	amount: string | number;
	/** Basis points added to the rate as your margin; out of range returns code 1 (never clamped). */
	afftax?: number | null | undefined;
	/** What the answer has beyond its usual fields; another name returns code 1. */
	with?: 'cost'[] | null | undefined;
}

/** The body of `pairLimits`. */
export type PairLimitsRequest = Record<string, never>;

/** The body of `create`. */
export interface CreateRequest {
	/** Only `float`. */
	type: 'float';
	/** Source asset id, or its CAIP-19 name as `assets` has it; active and part of an active pair. */
	fromCcy: string;
	/** Destination asset id, or its CAIP-19 name. */
	toCcy: string;
	/** Network hint for tie-breaking an ambiguous `fromCcy`. */
	fromNetwork?: string | null | undefined;
	/** Network hint for `toCcy`. */
	toNetwork?: string | null | undefined;
	/** `from`: `amount` is the deposit. `to`: `amount` is what is to be received. */
	direction: 'from' | 'to';
	/** Decimal in the asset chosen by `direction`. Hint only: the server re-quotes. Strings preferred. */
	amount: string | number;
	/** Basis points added to the rate as your margin; out of range returns code 1 (never clamped). */
	afftax?: number | null | undefined;
	/** Where the payout goes. Validated against the destination network; invalid returns code 1, and so does an address of this service, one that is known to burn coins, or a contract that a node shows to be a token, a pair, a router or a program. */
	toAddress: string;
	/** Memo or destination tag; reserved, no network needs it. */
	tag?: string | null | undefined;
	/** Source-network address for returns, validated like `toAddress` against that network; omitting it returns code 1. */
	refundAddress: string;
	/** The floor under the rate, as text: the least that `from.amount` may bring, of at most `precision` places of `toCcy`. Less, and the deposit goes back. More than the quote, or beside `slippageBps`, returns code 1. */
	minToAmount?: string | null | undefined;
	/** The same floor as basis points below the quote of this moment, rounded up to the precision. */
	slippageBps?: number | null | undefined;
	/** A reference of your own, printable ASCII: every answer about the order has it. */
	externalId?: string | null | undefined;
	/** Among your creates that ask for it, this `externalId` makes one order. */
	externalIdUnique?: boolean | null | undefined;
	/** The events of this order go here too, signed like all. https, on a public host name; anything else returns code 1. */
	callbackUrl?: string | null | undefined;
	/** What the answer has beyond its usual fields; another name returns code 1. */
	with?: ('progress' | 'strays' | 'links' | 'payment' | 'promise')[] | null | undefined;
}

/** The body of `order`. */
export interface OrderRequest {
	/** Order id from create. */
	id: string;
	/** Raw access token from create; a malformed or wrong one returns code 6. */
	token: string;
	/** What the answer has beyond its usual fields; another name returns code 1. */
	with?: ('progress' | 'strays' | 'links' | 'payment' | 'promise')[] | null | undefined;
}

/** The body of `orders`. */
export interface OrdersRequest {
	/** Only orders that have it now. */
	status?: 'NEW' | 'PENDING' | 'EXCHANGE' | 'DONE' | 'EXPIRED' | 'EMERGENCY' | null | undefined;
	/** Only these orders. */
	ids?: string[] | null | undefined;
	/** Orders made from then on. Unix seconds of `time.reg`. */
	since?: number | null | undefined;
	/** Orders made before. Unix seconds of `time.reg`. */
	until?: number | null | undefined;
	/** Only orders with this reference of yours. */
	externalId?: string | null | undefined;
	/** Most orders in the answer. */
	limit?: number | null | undefined;
	/** Of the page before, with the same filters. */
	cursor?: string | null | undefined;
	/** What the answer has beyond its usual fields; another name returns code 1. */
	with?: ('progress' | 'strays' | 'links' | 'payment')[] | null | undefined;
}

/** The body of `emergency`. */
export interface EmergencyRequest {
	/** Order id from create. */
	id: string;
	/** Raw access token from create; a malformed or wrong one returns code 6. */
	token: string;
	/** Exactly `EXCHANGE` (case-sensitive); anything else returns code 12. */
	choice: 'EXCHANGE';
}

/** The body of `qr`. */
export interface QrRequest {
	/** Order id from create. */
	id: string;
	/** Raw access token from create; a malformed or wrong one returns code 6. */
	token: string;
}

/** The body of `validateAddress`. */
export interface ValidateAddressRequest {
	/** Asset id, CAIP-19 name or coin symbol, as `fromCcy` on create. */
	ccy: string;
	/** Network hint, as `fromNetwork` on create. */
	network?: string | null | undefined;
	/** The address. */
	address: string;
}

/** The body of `createCode`. */
export interface CreateCodeRequest {
	/** 4 to 32 letters, digits, `_` or `-`; unique per partner. */
	code: string;
	/** Up to 64 characters, never shown to end users; an empty or blank one becomes null. */
	label?: string | null | undefined;
	/** Afftax in basis points; 0, the default, falls through to the partner default. */
	afftaxBps?: number | null | undefined;
}

/** The body of `disableCode`. */
export interface DisableCodeRequest {
	/** The code. */
	code: string;
}

/** The body of `enableCode`. */
export interface EnableCodeRequest {
	/** The code. */
	code: string;
}

/** The body of `earnings`. */
export type EarningsRequest = Record<string, never>;

/** The body of `rotateKeys`. */
export interface RotateKeysRequest {
	/** What to replace; repeated elements count once. */
	rotate: ('apiSecret' | 'webhookSecret')[];
}

/** The body of `createKey`. */
export interface CreateKeyRequest {
	/** What it may call. */
	kind: 'app' | 'read' | 'server';
	/** 1 to 64 characters, for you. */
	label: string;
	/** Addresses or blocks (`192.0.2.0/24`, `2001:db8::/32`) that calls may come from; at most 16; none: any. */
	addresses?: string[] | null | undefined;
	/** When the key ends, Unix seconds, in the future; absent: never. */
	expiresAt?: number | null | undefined;
}

/** The body of `revokeKey`. */
export interface RevokeKeyRequest {
	/** The id of the key. */
	id: string;
}

/** The body of `createEndpoint`. */
export interface CreateEndpointRequest {
	/** https, on a public host name; anything else returns code 1. */
	url: string;
	/** The types that it gets; absent: all. */
	events?: ('order.status_changed' | 'partner.paid_out' | 'partner.attention')[] | null | undefined;
	/** Absent: true. */
	enabled?: boolean | null | undefined;
}

/** The body of `deleteEndpoint`. */
export interface DeleteEndpointRequest {
	/** The id of the endpoint. */
	id: string;
}

/** The body of `changeEndpoint`. */
export interface ChangeEndpointRequest {
	/** The id of the endpoint. */
	id: string;
	url?: string | null | undefined;
	events?: ('order.status_changed' | 'partner.paid_out' | 'partner.attention')[] | null | undefined;
	/** False: it gets nothing until it is true again. */
	enabled?: boolean | null | undefined;
}

/** The body of `testWebhook`. */
export interface TestWebhookRequest {
	/** The id of one of your endpoints; absent: all. */
	endpoint?: string | null | undefined;
}

/** The body of `listDeliveries`. */
export interface ListDeliveriesRequest {
	/** Of the page before. */
	cursor?: string | null | undefined;
	/** Most events in the answer. */
	limit?: number | null | undefined;
}

/** The body of `redeliverWebhook`. */
export interface RedeliverWebhookRequest {
	/** The event’s id. */
	id: string;
	/** The id of one of your endpoints; absent: all. */
	endpoint?: string | null | undefined;
}

/** The body of `sandboxKeys`. */
export type SandboxKeysRequest = Record<string, never>;

/** The body of `sandboxDeposit`. */
export interface SandboxDepositRequest {
	/** The id of an order of yours. */
	id: string;
	/** `paid` (absent: this): a deposit comes. `confirmed`: all its deposits become final. `dropped`: those that are not final disappear. */
	event?: 'paid' | 'confirmed' | 'dropped' | null | undefined;
	/** Of a deposit, in coins, as `0.5`; absent: what the order asks for. */
	amount?: string | null | undefined;
	/** 0: the deposit stays in the mempool; absent: it is final at once. */
	confirmations?: 0 | null | undefined;
}

/** The answer of `orders`. */
export interface OrdersData {
	orders: Order[];
	/** For the next page; null where there is none. */
	cursor: string | null;
	/** Unix seconds: every order made from then on is listed, of earlier ones some are archived; null where none is. */
	completeSince: number | null;
	/** Orders of this page that fail a check of the service: `order` answers them with code 99. */
	unreadable: string[];
}

/** The answer of `qr`. */
export interface QrData {
	/** `data:image/png;base64,…`: 256 by 256 pixels, level M, 2-module quiet zone, of the raw pay-in address. */
	qrPng: string;
}

/** The answer of `validateAddress`. */
export interface ValidateAddressData {
	/** True where create takes it for this asset. */
	valid: boolean;
	code: string;
	network: string;
}

/** The answer of `earnings`. */
export interface EarningsData {
	/** Ever earned, worth when it was earned. */
	earnedUsd: string;
	/** Ever paid out. */
	paidUsd: string;
	/** Owed, worth now; null, like `usd`, without a fresh price. */
	owedUsd: string | null;
	/** Orders that are DONE. */
	ordersDone: number;
	/** What their deposits were worth. */
	volumeUsd: string;
	/** By asset. Money whose payout is planned is still owed. */
	owed: {
		code: string;
		network: string;
		/** Owed. */
		amount: string;
		/** Worth now. */
		usd: string | null;
	}[];
	/** Payouts, newest first. */
	paid: {
		/** Id of the payout. */
		payoutId: string;
		/** Asset id that was paid. */
		asset: string;
		/** Its network. */
		network: string;
		/** What was sent. */
		amount: string;
		/** Its USD value, two decimal places. */
		usd: string;
		/** Where it went. */
		address: string;
		/** Transaction id. */
		txId: string;
		/** Orders whose earnings it pays. */
		orderCount: number;
		/** When it was sent. Unix seconds. */
		time: number;
	}[];
	/** Reference codes under which an order was made. */
	codes: {
		code: string;
		/** Orders made under it. */
		orders: number;
		/** Those that are DONE. */
		ordersDone: number;
		/** What their deposits were worth. */
		volumeUsd: string;
		/** What they earned you. */
		earnedUsd: string;
	}[];
}

/** The answer of `testWebhook`. */
export interface TestWebhookData {
	/** The event’s id. */
	id: string;
	type: 'webhook.test';
}

/** The answer of `listDeliveries`. */
export interface ListDeliveriesData {
	events: {
		/** The event’s id. */
		id: string;
		/** The endpoint that it goes to; one event is listed once for each of its endpoints. */
		endpoint: string;
		type: string;
		orderId: string | null;
		/** Unix milliseconds. */
		createdAt: number;
		/** `due`: a next attempt comes. `ended`: none comes, and none was answered with a 2xx. */
		state: 'due' | 'delivered' | 'ended';
		/** Unix milliseconds. Null unless it is due. */
		nextAttemptAt: number | null;
		deliveries: {
			attempt: number;
			/** Unix milliseconds. */
			at: number;
			/** HTTP status; null where there was no answer. */
			status: number | null;
			milliseconds: number;
			/** Why there was none. */
			error: string | null;
		}[];
	}[];
	/** For the next page; null where there is none. */
	cursor: string | null;
}

/** The answer of `redeliverWebhook`. */
export interface RedeliverWebhookData {
	/** The event’s id. */
	id: string;
	type: string;
}

/** `order.status_changed`: One webhook per status change, the operator-finalised EXPIRED of an EMERGENCY order included; none for deleted orders. Attempts of different events can overtake each other: `sequence` says which is newest. */
export interface OrderStatusChangedEvent {
	/** The event’s own id, the same on every attempt: tell repetitions by it. */
	id: string;
	type: 'order.status_changed';
	/** When the event came about, ISO 8601. */
	createdAt: string;
	apiVersion: 'v1';
	data: {
		order: Order;
		/** The status before. */
		previousStatus: 'NEW' | 'PENDING' | 'EXCHANGE' | 'DONE' | 'EXPIRED' | 'EMERGENCY';
		/** Counts from 1 per order; the highest is the newest. */
		sequence: number;
	};
}

/** `partner.paid_out`: Sent when a payout of your earnings is broadcast. */
export interface PartnerPaidOutEvent {
	/** The event’s own id, the same on every attempt: tell repetitions by it. */
	id: string;
	type: 'partner.paid_out';
	/** When the event came about, ISO 8601. */
	createdAt: string;
	apiVersion: 'v1';
	data: {
		/** Id of the payout. */
		payoutId: string;
		/** Asset id that was paid. */
		asset: string;
		/** Its network. */
		network: string;
		/** What was sent. */
		amount: string;
		/** Its USD value, two decimal places. */
		usd: string;
		/** Where it went. */
		address: string;
		/** Transaction id. */
		txId: string;
		/** Orders whose earnings it pays. */
		orderCount: number;
	};
}

/** `partner.attention`: Sent once for each thing that begins to wait for you, within a minute or two; for an endpoint that fails, at most once a day (UTC). The cabinet’s overview lists the same things while they wait. */
export interface PartnerAttentionEvent {
	/** The event’s own id, the same on every attempt: tell repetitions by it. */
	id: string;
	type: 'partner.attention';
	/** When the event came about, ISO 8601. */
	createdAt: string;
	apiVersion: 'v1';
	data: {
		/** `order_undecided`: an order in EMERGENCY waits for your decision. `refund_asked`: its payer asked for a refund. `endpoint_failing`: an endpoint of yours failed three times in a row, or for the last time. `payout_waits`: your automatic payout cannot be made. `key_expires`: a scoped key ends within seven days. */
		reason: 'order_undecided' | 'refund_asked' | 'endpoint_failing' | 'payout_waits' | 'key_expires';
		/** The order, where it is about one. */
		orderId: string | null;
		/** The webhook endpoint, where it is about one. */
		endpointId: string | null;
		/** The scoped key, where it is about one. */
		keyId: string | null;
		/** Since when it waits, ISO 8601. Of a key: seven days before its end. */
		since: string;
	};
}

/** `partner.payout_address_changed`: Sent at each change, whatever events you chose. Nothing is paid to the new address before `usableAt`. If nobody of yours changed it, tell the operator before then. */
export interface PayoutAddressChangedEvent {
	/** The event’s own id, the same on every attempt: tell repetitions by it. */
	id: string;
	type: 'partner.payout_address_changed';
	/** When the event came about, ISO 8601. */
	createdAt: string;
	apiVersion: 'v1';
	data: {
		/** Asset id that earnings are paid in from now on. */
		asset: string | null;
		/** Where they are paid. */
		address: string | null;
		/** The asset before; null where there was none. */
		previousAsset: string | null;
		/** The address before; null where there was none. */
		previousAddress: string | null;
		/** Nothing is paid to the new address before this time, ISO 8601. */
		usableAt: string;
	};
}

/** `webhook.test`: Sent when you call `/api/v1/webhooks/test`, whatever events you chose. */
export interface WebhookTestEvent {
	/** The event’s own id, the same on every attempt: tell repetitions by it. */
	id: string;
	type: 'webhook.test';
	/** When the event came about, ISO 8601. */
	createdAt: string;
	apiVersion: 'v1';
	data: {
		/** Always `true`. */
		test: true;
	};
}

/** Ignore types that you do not know: events may be added. */
export type WebhookEvent =
	| OrderStatusChangedEvent
	| PartnerPaidOutEvent
	| PartnerAttentionEvent
	| PayoutAddressChangedEvent
	| WebhookTestEvent;

/** One method for each endpoint. */
export interface Calls {
	/** List the assets: `POST /api/v1/currencies`, weight 1. */
	currencies(body?: CurrenciesRequest, options?: CallOptions): Promise<Currency[]>;
	/** List the pairs: `POST /api/v1/pairs`, weight 1. */
	pairs(body?: PairsRequest, options?: CallOptions): Promise<Pair[]>;
	/** List the assets as wallets know them: `POST /api/v1/assets`, weight 1. */
	assets(body?: AssetsRequest, options?: CallOptions): Promise<Asset[]>;
	/** Quote a swap: `POST /api/v1/price`, weight 1. */
	price(body: PriceRequest, options?: CallOptions): Promise<Quote>;
	/** List the limits of all pairs: `POST /api/v1/limits`, weight 5. */
	pairLimits(
		body?: PairLimitsRequest,
		options?: CallOptions,
	): Promise<
		{
			from: string;
			to: string;
			/** Create takes an order of this pair now. */
			open: boolean;
			/** Smallest deposit; null, like the others, without a quote. */
			fromMin: string | null;
			/** Largest deposit. */
			fromMax: string | null;
			/** What the smallest deposit brings. */
			toMin: string | null;
			/** What the largest deposit brings. */
			toMax: string | null;
		}[]
	>;
	/** Create an order with a pay-in address: `POST /api/v1/create`, weight 50. */
	create(body: CreateRequest, options?: CreateOptions): Promise<CreatedOrder>;
	/** Read an order: `POST /api/v1/order`, weight 1. */
	order(body: OrderRequest, options?: CallOptions): Promise<Order>;
	/** List your orders: `POST /api/v1/orders`, weight 5. */
	orders(body: OrdersRequest, options?: CallOptions): Promise<OrdersData>;
	/** Choose EXCHANGE for an EMERGENCY order: `POST /api/v1/emergency`, weight 1. */
	emergency(body: EmergencyRequest, options?: CallOptions): Promise<true>;
	/** Get the pay-in address as a QR image: `POST /api/v1/qr`, weight 5. */
	qr(body: QrRequest, options?: CallOptions): Promise<QrData>;
	/** Check an address: `POST /api/v1/validate-address`, weight 1. */
	validateAddress(body: ValidateAddressRequest, options?: CallOptions): Promise<ValidateAddressData>;
	/** Create a reference code: `POST /api/v1/codes`, weight 1. */
	createCode(body: CreateCodeRequest, options?: CallOptions): Promise<ReferenceCode>;
	/** List your reference codes: `GET /api/v1/codes`, weight 1. */
	listCodes(options?: CallOptions): Promise<ReferenceCode[]>;
	/** Disable a reference code: `DELETE /api/v1/codes`, weight 1. */
	disableCode(body: DisableCodeRequest, options?: CallOptions): Promise<ReferenceCode>;
	/** Enable a reference code again: `POST /api/v1/codes/enable`, weight 1. */
	enableCode(body: EnableCodeRequest, options?: CallOptions): Promise<ReferenceCode>;
	/** Read your earnings: `POST /api/v1/earnings`, weight 5. */
	earnings(body: EarningsRequest, options?: CallOptions): Promise<EarningsData>;
	/** Rotate your secrets: `POST /api/v1/keys/rotate`, weight 1. */
	rotateKeys(body: RotateKeysRequest, options?: CallOptions): Promise<RotatedSecrets>;
	/** Make a scoped key: `POST /api/v1/keys`, weight 1. */
	createKey(body: CreateKeyRequest, options?: CallOptions): Promise<NewScopedKey>;
	/** List your scoped keys: `GET /api/v1/keys`, weight 1. */
	listKeys(options?: CallOptions): Promise<ScopedKey[]>;
	/** Revoke a scoped key: `DELETE /api/v1/keys`, weight 1. */
	revokeKey(body: RevokeKeyRequest, options?: CallOptions): Promise<boolean>;
	/** Add a webhook endpoint: `POST /api/v1/webhooks`, weight 50. */
	createEndpoint(body: CreateEndpointRequest, options?: CallOptions): Promise<WebhookEndpoint>;
	/** List your webhook endpoints: `GET /api/v1/webhooks`, weight 1. */
	listEndpoints(options?: CallOptions): Promise<WebhookEndpoint[]>;
	/** Delete a webhook endpoint: `DELETE /api/v1/webhooks`, weight 50. */
	deleteEndpoint(body: DeleteEndpointRequest, options?: CallOptions): Promise<boolean>;
	/** Change a webhook endpoint: `POST /api/v1/webhooks/change`, weight 50. */
	changeEndpoint(body: ChangeEndpointRequest, options?: CallOptions): Promise<WebhookEndpoint>;
	/** Send a test event: `POST /api/v1/webhooks/test`, weight 50. */
	testWebhook(body: TestWebhookRequest, options?: CallOptions): Promise<TestWebhookData>;
	/** List the deliveries of your webhooks: `POST /api/v1/webhooks/deliveries`, weight 5. */
	listDeliveries(body: ListDeliveriesRequest, options?: CallOptions): Promise<ListDeliveriesData>;
	/** Send an event again: `POST /api/v1/webhooks/redeliver`, weight 50. */
	redeliverWebhook(body: RedeliverWebhookRequest, options?: CallOptions): Promise<RedeliverWebhookData>;
	/** Make test keys: `POST /api/v1/sandbox/keys`, weight 1. */
	sandboxKeys(body?: SandboxKeysRequest, options?: CallOptions): Promise<Visit>;
	/** Play what happens to an order: `POST /api/v1/sandbox/deposit`, weight 10. */
	sandboxDeposit(body: SandboxDepositRequest, options?: CallOptions): Promise<PlayedDeposit>;
}
