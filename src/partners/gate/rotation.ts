/**
 * Replacing a partner's secrets at the partner's own call (book: contract, "POST /api/v1/keys/rotate", "Rotation").
 * The record is in D1. While a rotation is undecided, the gate's own storage has a journal entry:
 *
 *   journal written → D1: secrets and audit line in one batch → journal cleared (decided) → the partner is answered
 *
 * After a crash before the decision nobody has been answered, so the journal's old secrets are put back and the new ones
 * never work. After the decision only the new ones work. If the answer is lost on the wire after the decision, the
 * operator replaces the secret: there is no overlap.
 */
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { Db } from '../../platform/d1/database.ts';
import { logError } from '../../platform/log.ts';
import type { IssuedSecrets, RotationRequest } from '../../ports/gates.ts';
import { changePartner, type PartnerColumns } from '../changes.ts';
import { newSecret, SEALED_COLUMNS } from '../secrets.ts';
import { findPartner } from '../store.ts';
import type { PartnerRow } from '../table.ts';

/** Tries at a write whose answer was lost, or that another change of the record came before. */
const MAX_TRIES = 5;
const COMMAND = 'keys/rotate';

/** The secret that was sealed in D1 before, and the one that is to be there instead. */
export interface Rotation {
	readonly partnerId: string;
	readonly replaced: PartnerColumns;
	readonly replacing: PartnerColumns;
}

interface Journal {
	read(): Rotation | null;
	/** Durable once it resolves. */
	write(rotation: Rotation): Promise<void>;
	clear(): void;
}

export interface RotationContext {
	readonly db: Db;
	readonly secretsKeys: KeyRing;
	readonly journal: Journal;
	readonly now: number;
}

/**
 * The new secrets, and the record that has them; null when the secrets of `before` were replaced meanwhile. The caller
 * decides the rotation by clearing the journal. One rotation of a partner at a time.
 */
export async function rotateSecrets(
	context: RotationContext,
	before: PartnerRow,
	{ names, clientNetworkHash }: Pick<RotationRequest, 'names' | 'clientNetworkHash'>,
): Promise<{ readonly partner: PartnerRow; readonly secrets: IssuedSecrets } | null> {
	const issued = await Promise.all(
		names.map(async (name) => {
			const replaced = before[SEALED_COLUMNS[name]];
			return { name, ...(await newSecret(context.secretsKeys, before.id, name, replaced)) };
		}),
	);
	const replaced = Object.fromEntries(names.map((name) => [SEALED_COLUMNS[name], before[SEALED_COLUMNS[name]]]));
	const replacing = Object.fromEntries(issued.map(({ name, sealed }) => [SEALED_COLUMNS[name], sealed]));
	await context.journal.write({ partnerId: before.id, replaced, replacing });
	const partner = await replace(context, before, replacing, { rotated: names, clientNetworkHash });
	if (partner) return { partner, secrets: Object.fromEntries(issued.map(({ name, secret }) => [name, secret])) };
	context.journal.clear();
	return null;
}

const byPartner = ({ db, now }: RotationContext) => ({ db, now, actor: 'partner' });

/** A lost answer is no answer: the row, read again, says what is true, and the same write may be repeated. */
async function replace(context: RotationContext, first: PartnerRow, replacing: PartnerColumns, changes: unknown) {
	let before = first;
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		const row =
			(await orLost(
				changePartner(byPartner(context), before, { columns: replacing, entry: { command: COMMAND, changes } }),
			)) ?? (await orLost(findPartner(context.db, before.id)));
		if (!row) continue;
		if (holds(row, replacing)) return row;
		if (!holds(row, sealedOf(before))) return null;
		before = row;
	}
	throw new Error('the rotation could not be written');
}

async function orLost<T>(asked: Promise<T>): Promise<T | null> {
	try {
		return await asked;
	} catch (error) {
		logError('rotation_answer_lost', error);
		return null;
	}
}

/**
 * Puts back what an undecided rotation replaced, if there is one. Written also where nothing has to be put back: a write
 * that is still on its way then finds the record changed. What an operator has replaced since stays.
 */
export async function abandonRotation(context: RotationContext): Promise<void> {
	const rotation = context.journal.read();
	if (!rotation) return;
	for (let tries = 0; tries < MAX_TRIES; tries++) {
		const row = await findPartner(context.db, rotation.partnerId);
		if (
			row &&
			!(await changePartner(byPartner(context), row, { columns: putBack(row, rotation), entry: abandoned(rotation) }))
		)
			continue;
		context.journal.clear();
		return;
	}
	throw new Error('the rotation could not be abandoned');
}

function putBack(row: PartnerRow, { replaced, replacing }: Rotation): PartnerColumns {
	const ours = Object.values(SEALED_COLUMNS).filter((column) => row[column] === replacing[column]);
	return Object.fromEntries(ours.map((column) => [column, replaced[column]]));
}

const abandoned = ({ replaced }: Rotation) => ({ command: COMMAND, changes: { abandoned: Object.keys(replaced) } });

const sealedOf = ({ apiSecretSealed, webhookSecretSealed }: PartnerRow) => ({ apiSecretSealed, webhookSecretSealed });

const holds = (row: PartnerRow, columns: PartnerColumns): boolean =>
	Object.values(SEALED_COLUMNS).every((column) => columns[column] === undefined || row[column] === columns[column]);
