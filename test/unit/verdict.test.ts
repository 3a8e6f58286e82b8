/** What the gate says to an authentic call, by the partner's record and the weight that is spent (book: contract, "Signed calls"). */
import { describe, expect, it } from 'vitest';
import { judge, type Loaded, type Signer, signedBytes, signerOf } from '../../src/partners/gate/verdict.ts';
import { SlidingWindow } from '../../src/partners/gate/window.ts';
import type { PartnerKeyRow, PartnerRow } from '../../src/partners/table.ts';
import type { SignedCall } from '../../src/ports/gates.ts';
import { NOW } from '../support/rows.ts';

const SECOND = 1000;
const partner = { id: 'a partner', enabled: true, weightPerMinute: 100, afftaxBps: 30, requireTimestamp: false };
const codes = new Map([
	['blog', { afftaxBps: 70, enabled: true }],
	['free', { afftaxBps: 0, enabled: true }],
	['gone', { afftaxBps: 70, enabled: false }],
]);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const plain: SignedCall = {
	body: bytes('{}'),
	signature: '0'.repeat(64),
	nonce: 'n'.repeat(16),
	timestamp: null,
	code: null,
	weight: 10,
};

const APP_KEY = { id: '0011223344556677', kind: 'app', addresses: [], expiresAt: null } as const;
/** A call of that key to what app keys and server keys may call. */
const from = (address: string | null): Partial<SignedCall> => ({
	key: { id: APP_KEY.id, admits: ['app', 'server'], address },
});

interface Given {
	readonly partner?: Partial<PartnerRow>;
	readonly call?: Partial<SignedCall>;
	/** The scoped key that signed. */
	readonly key?: Partial<PartnerKeyRow>;
	/** Weight of the last minute. */
	readonly spent?: number;
	/** Unix milliseconds. */
	readonly now?: number;
}

function verdictOf({ partner: changed, call, key, spent = 0, now = NOW }: Given) {
	const window = new SlidingWindow();
	window.add(now, spent);
	const row = { ...partner, ...changed } as PartnerRow;
	const record = { partner: row, codes } as unknown as Loaded;
	const signer = { version: 'these secrets', row: key ? { ...APP_KEY, ...key } : null } as Signer;
	return judge(record, signer, { ...plain, ...call }, { window, now });
}

/** The kind of the refusal, or null. */
function refusalOf(given: Given): string | null {
	const verdict = verdictOf(given);
	return verdict.admitted ? null : verdict.refusal.kind;
}

const at = (seconds: number): string => String(NOW / SECOND + seconds);

it('an admitted call says who called, with which secrets, and what is left of the budget', () => {
	expect(verdictOf({ spent: 20 })).toEqual({
		admitted: true,
		partner: {
			id: 'a partner',
			defaultAfftaxBps: 30,
			referenceCode: null,
			secretsVersion: 'these secrets',
			budget: { limit: 100, remaining: 70 },
		},
	});
});

describe('the timestamp', () => {
	it.each<[string, Given, string | null]>([
		['of now is good', { call: { timestamp: at(0) } }, null],
		['300 seconds old is good', { call: { timestamp: at(-300) } }, null],
		['301 seconds old is too old', { call: { timestamp: at(-301) } }, 'timestamp-out-of-range'],
		['60 seconds ahead is good', { call: { timestamp: at(60) } }, null],
		['61 seconds ahead is too far', { call: { timestamp: at(61) } }, 'timestamp-out-of-range'],
		['counts whole seconds of our clock', { call: { timestamp: at(-300) }, now: NOW + 999 }, null],
		['may be missing', {}, null],
		['must be there for a partner who asked for it', { partner: { requireTimestamp: true } }, 'timestamp-required'],
		[
			'is there for a partner who asked for it',
			{ partner: { requireTimestamp: true }, call: { timestamp: at(0) } },
			null,
		],
	])('%s', (_, given, kind) => {
		expect(refusalOf(given)).toBe(kind);
	});
});

describe('the reference code', () => {
	it.each<[string, string | null, number]>([
		['with an afftax of its own sets the default', 'blog', 70],
		['without one leaves the partner’s', 'free', 30],
	])('%s', (_, code, defaultAfftaxBps) => {
		expect(verdictOf({ call: { code } })).toMatchObject({ partner: { defaultAfftaxBps, referenceCode: code } });
	});

	it.each([['gone'], ['other']])('that is disabled or unknown is refused: %s', (code) => {
		expect(refusalOf({ call: { code } })).toBe('code-refused');
	});
});

describe('the order of the checks', () => {
	const disabled = { enabled: false };
	it.each<[string, Given, string]>([
		['timestamp before code', { call: { timestamp: at(-301), code: 'gone' } }, 'timestamp-out-of-range'],
		['code before partner', { partner: disabled, call: { code: 'gone' } }, 'code-refused'],
		['partner before weight', { partner: disabled, spent: 100 }, 'partner-disabled'],
	])('%s', (_, given, kind) => {
		expect(refusalOf(given)).toBe(kind);
	});
});

it('a call is signed by the key that it names, by the first where it names none, and by nobody under another key', () => {
	const [first, scoped] = [{ version: 'first' }, { version: 'scoped' }] as unknown as [Signer, Signer];
	const loaded = { first, keys: new Map([[APP_KEY.id, scoped]]) } as unknown as Loaded;
	expect(signerOf(loaded, {})).toBe(first);
	expect(signerOf(loaded, from(null))).toBe(scoped);
	expect(signerOf(loaded, { key: { id: 'ff00112233445566', admits: ['app'], address: null } })).toBeNull();
});

describe('a scoped key', () => {
	it.each<[string, Given, string | null]>([
		['of a kind that may call it is admitted', { key: {}, call: from(null) }, null],
		['of another kind is not', { key: { kind: 'read' }, call: from(null) }, 'key-not-permitted'],
		['is good until it expires', { key: { expiresAt: NOW + 1 }, call: from(null) }, null],
		['is refused from that moment on', { key: { expiresAt: NOW }, call: from(null) }, 'key-expired'],
		['is admitted from its addresses', { key: { addresses: ['192.0.2.0/24'] }, call: from('192.0.2.9') }, null],
		['from no other', { key: { addresses: ['192.0.2.0/24'] }, call: from('192.0.3.9') }, 'key-address'],
		[
			'nor where the address is not known',
			{ key: { addresses: ['0.0.0.0/0', '::/0'] }, call: from(null) },
			'key-address',
		],
		[
			'is refused as its partner',
			{ partner: { enabled: false }, key: { kind: 'read' }, call: from(null) },
			'partner-disabled',
		],
		[
			'that may not call it hears nothing of the budget',
			{ key: { kind: 'read' }, call: from(null), spent: 100 },
			'key-not-permitted',
		],
	])('%s', (_, given, kind) => {
		expect(refusalOf(given)).toBe(kind);
	});

	it('is refused where the call says nothing of its key', () => {
		expect(refusalOf({ key: {} })).toBe('key-not-permitted');
		expect(refusalOf({ key: { addresses: ['192.0.2.0/24'] } })).toBe('key-address');
	});

	it('is named with the partner', () => {
		expect(verdictOf({ key: {}, call: from(null) })).toMatchObject({
			partner: { key: { id: APP_KEY.id, kind: 'app' } },
		});
	});
});

describe('the weight', () => {
	it('that is exactly left is admitted, and then nothing is left', () => {
		expect(verdictOf({ spent: 90 })).toMatchObject({ partner: { budget: { limit: 100, remaining: 0 } } });
	});

	it('that is not left is refused, with what is left and when to come again', () => {
		const refusal = { kind: 'budget-exhausted', retryAfterSeconds: 60, budget: { limit: 100, remaining: 9 } };
		expect(verdictOf({ spent: 91 })).toEqual({ admitted: false, refusal });
	});

	it('never leaves less than zero, also after the budget was lowered', () => {
		const lowered = { weightPerMinute: 50 };
		expect(verdictOf({ partner: lowered, spent: 91 })).toMatchObject({ refusal: { budget: { remaining: 0 } } });
	});
});

describe('the signed bytes', () => {
	it('are the body alone without a timestamp', () => {
		expect(signedBytes(plain)).toEqual(bytes('{}'));
	});

	it('are timestamp, nonce and body, each on its line, with a timestamp', () => {
		expect(signedBytes({ ...plain, timestamp: '1790000000' })).toEqual(bytes('1790000000\nnnnnnnnnnnnnnnnn\n{}'));
	});
});
