/**
 * A rotation that dies or loses D1's answers at any point leaves exactly one apiSecret in force: the old one until the
 * partner has an answer, the new one from then on (book: contract, "Rotation"). The rule runs here on the service's
 * real D1, with every write as a crash point. The tests at the end try the gate's own journal on the running service.
 */
import { drizzle } from 'drizzle-orm/d1';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { changePartner } from '../../src/partners/changes.ts';
import {
	abandonRotation,
	type Rotation,
	type RotationContext,
	rotateSecrets,
} from '../../src/partners/gate/rotation.ts';
import { openApiSecret, SEALED_COLUMNS } from '../../src/partners/secrets.ts';
import { findPartner } from '../../src/partners/store.ts';
import type { PartnerRow } from '../../src/partners/table.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, sharedService, type TestService } from '../support/service.ts';

// These tests lose answers on purpose.
vi.spyOn(console, 'error').mockImplementation(() => undefined);

const service = sharedService();
const NAMES = ['apiSecret', 'webhookSecret'] as const;
const REQUEST = { names: NAMES, clientNetworkHash: '' };

/** What happens to a write: it is made or not, and its answer arrives or not. A dead process makes no further write. */
type Fate = 'fine' | 'lost before' | 'lost after' | 'dies before' | 'dies after';
type Write = 'journal' | 'D1' | 'decision';

interface Process {
	readonly context: RotationContext;
	/** What the gate does in one step once D1 has the new secrets. */
	decide(): void;
}

const gateStorage = new Map<string, Rotation>();

/** A process with the same D1 and gate storage. The first writes have the given fates; all later ones succeed. */
async function startProcess(partnerId: string, fates: Partial<Record<Write, Fate[]>> = {}): Promise<Process> {
	const { local, database } = service.current();
	let dead = false;
	const meet = (write: Write): ((after: boolean) => void) => {
		const fate = dead ? 'dies before' : (fates[write]?.shift() ?? 'fine');
		return (after) => {
			if (fate === 'fine' || fate.endsWith('after') !== after) return;
			dead ||= fate.startsWith('dies');
			throw new Error(`${write} ${fate}`);
		};
	};
	const during = <T>(write: Write, work: () => T): T => {
		const fate = meet(write);
		fate(false);
		const result = work();
		fate(true);
		return result;
	};
	const losing = new Proxy(database, {
		get(target, property) {
			const value = Reflect.get(target, property) as unknown;
			if (property === 'batch') {
				return async (statements: D1PreparedStatement[]) => {
					const fate = meet('D1');
					fate(false);
					const results = await target.batch(statements);
					fate(true);
					return results;
				};
			}
			if (dead) throw new Error('D1 asked by a dead process');
			return typeof value === 'function' ? value.bind(target) : value;
		},
	});
	const journal = {
		read: () => gateStorage.get(partnerId) ?? null,
		write: async (rotation: Rotation) => during('journal', () => void gateStorage.set(partnerId, rotation)),
		clear: () => during('decision', () => void gateStorage.delete(partnerId)),
	};
	const context = { db: drizzle(losing), secretsKeys: keyRing(local.secrets, 'SECRETS_KEY'), journal, now: Date.now() };
	return { context, decide: journal.clear };
}

async function rowOf(partnerId: string): Promise<PartnerRow> {
	const row = await findPartner((await startProcess(partnerId)).context.db, partnerId);
	if (!row) throw new Error('no such partner');
	return row;
}

/** The apiSecret in force, opened from the record. */
const inForce = async (partnerId: string): Promise<string> =>
	openApiSecret(keyRing(service.current().local.secrets, 'SECRETS_KEY'), await rowOf(partnerId));

const audited = async (partnerId: string): Promise<string[]> => {
	const rows = await service
		.current()
		.sql<{ changes: string }>(
			"SELECT changes FROM audit_log WHERE subject = ? AND command = 'keys/rotate' ORDER BY rowid",
			partnerId,
		);
	return rows.map(({ changes }) => Object.keys(JSON.parse(changes) as object)[0] ?? '');
};

/** The new apiSecret that the partner is given, or null when they get no answer. */
async function rotate(partnerId: string, fates: Partial<Record<Write, Fate[]>>): Promise<string | null> {
	const before = await rowOf(partnerId);
	const { context, decide } = await startProcess(partnerId, fates);
	try {
		const rotated = await rotateSecrets(context, before, REQUEST);
		decide();
		return rotated?.secrets.apiSecret ?? null;
	} catch {
		return null;
	}
}

describe('a process that dies', () => {
	it.each<[Write, Fate, 'old' | 'new', string[]]>([
		['journal', 'dies before', 'old', []],
		['journal', 'dies after', 'old', ['abandoned']],
		['D1', 'dies before', 'old', ['abandoned']],
		['D1', 'dies after', 'old', ['rotated', 'abandoned']],
		['decision', 'dies before', 'old', ['rotated', 'abandoned']],
		['decision', 'dies after', 'new', ['rotated']],
	])('at the %s (%s) leaves the %s secrets in force, audited as %j', async (write, fate, left, log) => {
		const partner = await createPartner(service.current());
		const before = await rowOf(partner.id);
		expect(await rotate(partner.id, { [write]: [fate] })).toBeNull();
		await abandonRotation((await startProcess(partner.id)).context);
		expect((await inForce(partner.id)) === partner.apiSecret).toBe(left === 'old');
		const after = await rowOf(partner.id);
		for (const column of Object.values(SEALED_COLUMNS)) {
			expect(after[column] === before[column]).toBe(left === 'old');
		}
		expect(await audited(partner.id)).toEqual(log);
		expect(gateStorage.has(partner.id)).toBe(false);
		// The next rotation succeeds.
		expect(await rotate(partner.id, {})).toBe(await inForce(partner.id));
	});

	it.each<[Write, Fate]>([
		['D1', 'dies before'],
		['D1', 'dies after'],
		['decision', 'dies before'],
		['decision', 'dies after'],
		['D1', 'lost before'],
		['D1', 'lost after'],
	])('again while it puts the old secrets back, at the %s (%s), still puts them back', async (write, fate) => {
		const partner = await createPartner(service.current());
		await rotate(partner.id, { decision: ['dies before'] });
		expect(await inForce(partner.id)).not.toBe(partner.apiSecret);
		const second = await startProcess(partner.id, { [write]: [fate] });
		await expect(abandonRotation(second.context)).rejects.toThrow();
		await abandonRotation((await startProcess(partner.id)).context);
		expect(await inForce(partner.id)).toBe(partner.apiSecret);
		expect(gateStorage.has(partner.id)).toBe(false);
	});
});

describe("a rotation whose answer D1's connection loses", () => {
	it.each<[string, Fate[]]>([
		['once, after the commit', ['lost after']],
		['once, before the commit', ['lost before']],
		['twice, before and then after the commit', ['lost before', 'lost after']],
		['four times', ['lost before', 'lost before', 'lost before', 'lost before']],
	])('%s: the row, read again, decides', async (_, fates) => {
		const partner = await createPartner(service.current());
		const told = await rotate(partner.id, { D1: [...fates] });
		expect(told).toMatch(/^[A-Za-z0-9_-]{43}$/);
		expect(await inForce(partner.id)).toBe(told);
		expect(await audited(partner.id)).toEqual(['rotated']);
	});

	it('every time: the partner gets no secret and the old one stays', async () => {
		const partner = await createPartner(service.current());
		expect(await rotate(partner.id, { D1: Array<Fate>(5).fill('lost before') })).toBeNull();
		await abandonRotation((await startProcess(partner.id)).context);
		expect(await inForce(partner.id)).toBe(partner.apiSecret);
	});

	it('a write that arrives after the old secrets were put back changes nothing', async () => {
		const partner = await createPartner(service.current());
		const before = await rowOf(partner.id);
		await rotate(partner.id, { D1: ['dies before'] });
		const replacing = gateStorage.get(partner.id)?.replacing ?? {};
		await abandonRotation((await startProcess(partner.id)).context);
		const { context } = await startProcess(partner.id);
		expect(
			await changePartner({ ...context, actor: 'partner' }, before, {
				columns: replacing,
				entry: { command: 'keys/rotate', changes: {} },
			}),
		).toBeNull();
		expect(await inForce(partner.id)).toBe(partner.apiSecret);
	});
});

describe('beside an operator', () => {
	it('who changes the record meanwhile, the rotation applies to the changed record', async () => {
		const partner = await createPartner(service.current());
		const before = await rowOf(partner.id);
		await service.current().operator('partner/update', { id: partner.id, afftaxBps: 77 });
		const rotated = await rotateSecrets((await startProcess(partner.id)).context, before, REQUEST);
		expect(rotated?.partner.afftaxBps).toBe(77);
		expect(await inForce(partner.id)).toBe(rotated?.secrets.apiSecret);
	});

	it.each(NAMES)('who replaces the %s meanwhile, the rotation loses', async (secret) => {
		const partner = await createPartner(service.current());
		const before = await rowOf(partner.id);
		await service.current().operator('partner/replace-secret', { id: partner.id, secret });
		const replaced = await rowOf(partner.id);
		expect(await rotateSecrets((await startProcess(partner.id)).context, before, REQUEST)).toBeNull();
		expect(await rowOf(partner.id)).toEqual(replaced);
		expect(gateStorage.has(partner.id)).toBe(false);
	});

	it('a secret that they have replaced since is not put back', async () => {
		const partner = await createPartner(service.current());
		await rotate(partner.id, { decision: ['dies before'] });
		const { webhookSecretSealed } = await rowOf(partner.id);
		const { apiSecret } = await service
			.current()
			.operator<{ apiSecret: string }>('partner/replace-secret', { id: partner.id, secret: 'apiSecret' });
		await abandonRotation((await startProcess(partner.id)).context);
		expect(await inForce(partner.id)).toBe(apiSecret);
		expect((await rowOf(partner.id)).webhookSecretSealed).not.toBe(webhookSecretSealed);
	});
});

/** From now on D1 ignores each new apiSecret, and keeps it in a table of this test. */
async function holdBack(running: TestService): Promise<void> {
	await running.sql('CREATE TABLE held_back (sealed TEXT)');
	await running.sql(`CREATE TRIGGER hold_back BEFORE UPDATE OF api_secret_sealed ON partners BEGIN
		INSERT INTO held_back VALUES (NEW.api_secret_sealed);
		SELECT RAISE(IGNORE);
	END`);
}

const list = (running: TestService, partner: Credentials) =>
	signed(running, partner, '/api/v1/codes', '', { method: 'GET' });

describe('the gate', () => {
	afterEach(async () => {
		await service.current().sql('DROP TRIGGER IF EXISTS hold_back');
		await service.current().sql('DROP TABLE IF EXISTS held_back');
	});

	it('whose rotation cannot be written answers 99, keeps the old secret, and undoes it by itself', async () => {
		const partner = await createPartner(service.current());
		await holdBack(service.current());
		const answer = await signed(service.current(), partner, '/api/v1/keys/rotate', { rotate: ['apiSecret'] });
		expect(answer.text).toBe('{"code":99,"msg":"INTERNAL"}');
		expect((await list(service.current(), partner)).code).toBe(0);
		await service.current().sql('DROP TRIGGER hold_back');
		await service
			.current()
			.sql('UPDATE partners SET api_secret_sealed = (SELECT sealed FROM held_back) WHERE id = ?', partner.id);
		// Nobody calls; the alarm does it.
		await eventually('the old secret to be put back', async () => (await inForce(partner.id)) === partner.apiSecret);
		expect((await list(service.current(), partner)).code).toBe(0);
	});

	it('that was evicted during an undecided rotation puts the old secret back when it starts again', async () => {
		const running = service.current();
		const partner = await createPartner(running);
		await holdBack(running);
		const { code } = await signed(running, partner, '/api/v1/keys/rotate', { rotate: ['apiSecret'] });
		expect(code).toBe(99);
		await running.sql('DROP TRIGGER hold_back');
		await running.sql(
			'UPDATE partners SET api_secret_sealed = (SELECT sealed FROM held_back) WHERE id = ?',
			partner.id,
		);
		await running.evict('PARTNER_GATE', partner.id);
		expect((await list(running, partner)).code).toBe(0);
		const rotated = await signed(running, partner, '/api/v1/keys/rotate', { rotate: ['apiSecret'] });
		expect(rotated.code).toBe(0);
		expect((await list(running, partner)).code).toBe(3);
		expect((await list(running, { ...partner, ...rotated.data })).code).toBe(0);
	});
});
