/** Shared by the endpoints that change a reference code: the partner's gate is told before they answer. */
import { databaseOf } from '../../platform/d1/database.ts';
import { type Answer, answer, type SignedCall } from '../../ports/endpoint.ts';
import { tellGate } from '../changes.ts';
import { codeView } from '../codes.ts';
import { CODE_PATTERN } from '../partner.ts';
import { setCodeEnabled } from '../store.ts';
import type { ReferenceCodeRow } from '../table.ts';

export async function setEnabled(call: SignedCall, code: string, enabled: boolean): Promise<Answer> {
	const db = databaseOf(call.env);
	if (!CODE_PATTERN.test(code)) return { kind: 'code-unknown' };
	// First, because the gate puts back into the database what it takes for disabled.
	if (enabled && !(await tellGate(call.env, call.partner.id, { code, enabled }))) return { kind: 'gate-not-told' };
	const row = await setCodeEnabled(db, call.partner.id, code, enabled);
	return row ? answerChanged(call, row) : { kind: 'code-unknown' };
}

/**
 * The record is stored; the answer follows when the gate, too, admits by it. If the gate does not answer, the caller gets
 * 99 and repeats: disabling and enabling tell the gate again, creating answers 1 and the list has the code. The gate
 * reads the record again by itself within a minute.
 */
export async function answerChanged({ env, partner }: SignedCall, row: ReferenceCodeRow): Promise<Answer> {
	return (await tellGate(env, partner.id, row)) ? answer(codeView(row)) : { kind: 'gate-not-told' };
}
